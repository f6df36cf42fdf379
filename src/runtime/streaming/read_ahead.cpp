// One thread, started with the first rows.
#include "runtime/streaming/read_ahead.hpp"

#include "runtime/streaming/populate.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace hasten::runtime {
namespace {

constexpr std::int64_t least_bytes = std::int64_t{1} << 20, parts_ahead = 2;
constexpr std::size_t most_requests = 16;

}  // namespace

void ReadAhead::after(const std::shared_ptr<const detail::HostArray>& array, std::int64_t begin,
                      std::int64_t end) {
  if (array->size() == 0) return;
  const std::int64_t rows = array->shape()[0];
  end = std::clamp<std::int64_t>(end, 0, rows);
  begin = std::clamp<std::int64_t>(begin, 0, end);
  const std::int64_t next = std::min(rows - end, parts_ahead * (end - begin));
  for (std::size_t leaf = 0; leaf < array->leaves().size(); ++leaf) {
    const auto& component = array->component(leaf);
    const std::int64_t row = static_cast<std::int64_t>(component->size()) / rows;
    if (next * row < least_bytes || !component->borrowed()) continue;
    add({array, array->data(leaf) + end * row, next * row});
  }
}

bool ReadAhead::start() {
  if (thread_.joinable()) return true;
  try {
    thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
  } catch (const std::system_error&) {  // no thread: copies wait for the disk
    return false;
  }
  return true;
}

void ReadAhead::add(Rows rows) {
  if (!start()) return;
  {
    const std::lock_guard lock(mutex_);
    rows_.push_back(std::move(rows));
    if (rows_.size() > most_requests) rows_.pop_front();  // its turn has passed
  }
  changed_.notify_one();
}

void ReadAhead::work(const std::stop_token& stop) {
  for (;;) {
    Rows rows;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [&] { return !rows_.empty(); })) return;
      rows = std::move(rows_.front());
      rows_.pop_front();
    }
    populate(rows.data, rows.bytes, Access::read, stop);
  }
}

}  // namespace hasten::runtime
