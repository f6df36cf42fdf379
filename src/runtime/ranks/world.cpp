// Ranks agree before an act, and after it. In between they report errors by alarms, which ranks
// that wait for messages poll.
#include "runtime/ranks/world.hpp"

#include "runtime/report/trace.hpp"
#include "support/stopping.hpp"

#include <hasten/run/error.hpp>

#include <fmt/format.h>

#include <sched.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <typeinfo>

namespace hasten::runtime {
namespace {

using detail::Communicator;

/// Another rank has failed: this one ends the act too, and receives the reason.
struct Told {};

// From each rank before an act: its kind, its digest, the note, and how often it has told a stop.
constexpr std::size_t words_before = 5;
// After it: its outcome, the last number, and the rank's word.
constexpr std::size_t words_after = 3;

// `stopped`: because another rank was.
enum class Outcome : std::uint64_t { done, failed, stopped, told };

const char* name_of(World::Act act) {
  switch (act) {
    case World::Act::call: return "calls a program";
    case World::Act::look: return "looks at an array of which other ranks have parts";
    case World::Act::distribute: return "distributes an array";
    case World::Act::leave: return "has ended";
  }
  return "";
}

std::string different(std::span<const std::uint64_t> words, int size) {
  std::string text;
  for (int k = 0; k < size; ++k) {
    const std::uint64_t act = words[words_before * static_cast<std::size_t>(k)];
    text +=
        fmt::format("{}rank {} {}", k == 0 ? "" : ", ", k, name_of(static_cast<World::Act>(act)));
  }
  return text;
}

// -- errors that travel ---------------------------------------------------------------------------

struct Report {
  std::uint32_t kind = 0, line = 0;
  std::uint64_t file_size = 0, text_size = 0;
};

template <class... Kinds>
struct KindList {
  static std::uint32_t number_of(const Error& error) {
    std::uint32_t number = 0, found = 0;
    ((typeid(error) == typeid(Kinds) ? void(found = number) : void(), ++number), ...);
    return found;
  }
  [[noreturn]] static void raise(std::uint32_t kind, const std::string& text,
                                 const std::source_location& where) {
    std::uint32_t number = 0;
    ((number++ == kind ? throw Kinds(text, where) : void()), ...);
    throw Error(text, where);
  }
};
using ErrorKinds = KindList<Error, BuildError, ShapeError, IndexError, ArithmeticError, TargetError,
                            MemoryError, StoppedError, InternalError>;

std::string words_of(const Error& error) {
  const std::string place = Error("", error.where()).what();
  const std::string_view what = error.what();
  return std::string(what.substr(what.starts_with(place) ? place.size() : 0));
}

struct Words {
  std::uint32_t kind = 0, line = 0;
  std::string file, text;
};

Words words_of(const std::exception_ptr& own) {
  try {
    std::rethrow_exception(own);
  } catch (const Error& error) {
    return {ErrorKinds::number_of(error), error.where().line(), error.where().file_name(),
            words_of(error)};
  } catch (const support::Stopped& stopped) {
    const std::string what = stopped.operation.empty() ? "" : stopped.operation + ": ";
    return {ErrorKinds::number_of(StoppedError("", {})), stopped.where.line(),
            stopped.where.file_name(), what + "the call was stopped"};
  } catch (const std::exception& error) {
    return {0, 0, "", error.what()};
  } catch (...) {
    return {0, 0, "", "an element failed"};
  }
}

bool is_error(const std::exception_ptr& own) {
  try {
    std::rethrow_exception(own);
  } catch (const Error&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

World::World(std::unique_ptr<Communicator> communicator)
    : communicator_(std::move(communicator)),
      watch_(*communicator_),
      rank_(communicator_->rank()),
      size_(communicator_->size()) {}

// -- acts -----------------------------------------------------------------------------------------

std::vector<std::uint64_t> World::together(const Together& what, core::FunctionRef<void()> f) {
  const std::lock_guard lock(mutex_);
  if (depth_ > 0) {
    f();
    return {};
  }
  agree(what);
  word_ = 0;
  struct Depth {
    int& depth;
    explicit Depth(int& of) : depth(of) { ++depth; }
    ~Depth() { --depth; }
  } const depth(depth_);
  const StopWatch::During during(watch_, size_ > 1 ? what.stop : nullptr);
  std::exception_ptr own;
  bool was_told = false;
  try {
    f();
    wait_for_all();
  } catch (const Told&) {
    was_told = true;
  } catch (...) {
    own = std::current_exception();
    communicator_->alarm();
  }
  return end(what, own, was_told);
}

void World::agree(const Together& what) {
  if (has_ended_)
    throw TargetError(
        "another rank has ended; every rank must make the same calls, and look at what other ranks "
        "have parts of at the same time",
        what.where);
  const std::array own{static_cast<std::uint64_t>(what.act), what.digest.lo, what.digest.hi,
                       what.note, communicator_->stops_told()};
  std::vector<std::uint64_t> all(words_before * static_cast<std::size_t>(size_));
  communicator_->all_gather(own, all);
  std::vector<std::uint64_t> told;
  for (std::size_t k = 4; k < all.size(); k += words_before) told.push_back(all[k]);
  communicator_->forget_stops(told);
  bool same_act = true, same_digest = true;
  notes_agree_ = true;
  for (std::size_t k = 0; k < all.size(); k += words_before) {
    same_act &= all[k] == own[0];
    notes_agree_ &= all[k + 3] == own[3];
    same_digest &= all[k + 1] == own[1] && all[k + 2] == own[2];
    has_ended_ |= all[k] == static_cast<std::uint64_t>(Act::leave);
  }
  if (what.act == Act::leave) return;
  if (!same_act)
    throw TargetError(fmt::format("the ranks do different things: {}; every rank must make the "
                                  "same calls, and look at results together (or at its own part "
                                  "with hs::mpi::local)",
                                  different(all, size_)),
                      what.where);
  if (!same_digest)
    throw TargetError(
        fmt::format("the ranks {} with different {}; every rank must give the same",
                    what.act == Act::call ? "call programs" : "look at or distribute arrays",
                    what.act == Act::call ? "programs, shapes or numbers" : "arrays"),
        what.where);
}

std::vector<std::uint64_t> World::end(const Together& what, std::exception_ptr own, bool was_told) {
  const Outcome failure = watch_.has_heard() ? Outcome::stopped : Outcome::failed;
  const Outcome outcome = own ? failure : was_told ? Outcome::told : Outcome::done;
  const std::array own_words{static_cast<std::uint64_t>(outcome), number_, word_};
  std::vector<std::uint64_t> all(words_after * static_cast<std::size_t>(size_));
  communicator_->all_gather(own_words, all);
  int failed = size_;
  std::vector<std::uint64_t> said;
  for (const Outcome each : {Outcome::stopped, Outcome::failed})  // the reason, if there is one
    for (int k = size_ - 1; k >= 0; --k)
      if (all[words_after * static_cast<std::size_t>(k)] == static_cast<std::uint64_t>(each))
        failed = k;
  for (std::size_t k = 2; k < all.size(); k += words_after) said.push_back(all[k]);
  if (failed == size_) return said;
  // Some ranks have not come as far.
  for (std::size_t k = 1; k < all.size(); k += words_after) number_ = std::max(number_, all[k]);
  communicator_->settle();
  leaving_.clear();
  arriving_.clear();
  throw_of(failed, what, own);
}

void World::throw_of(int failed, const Together& what, const std::exception_ptr& own) {
  Words words;
  Report report;
  if (failed == rank_) {
    words = words_of(own);
    report = {words.kind, words.line, words.file.size(), words.text.size()};
  }
  communicator_->broadcast(failed, std::as_writable_bytes(std::span(&report, 1)));
  words.file.resize(report.file_size);
  words.text.resize(report.text_size);
  communicator_->broadcast(failed, std::as_writable_bytes(std::span(words.file)));
  communicator_->broadcast(failed, std::as_writable_bytes(std::span(words.text)));
  // Exceptions other than Error are rethrown only on the ranks that have them.
  if (own && (failed == rank_ || !is_error(own))) std::rethrow_exception(own);
  auto where = what.place ? what.place(words.file.c_str(), report.line) : what.where;
  if (where.line() == 0) where = what.where;
  ErrorKinds::raise(report.kind, fmt::format("on rank {}: {}", failed, words.text), where);
}

// -- messages -------------------------------------------------------------------------------------

void World::send(int to, const std::byte* from, std::size_t bytes,
                 std::shared_ptr<const void> keeper) {
  messages_.fetch_add(1, std::memory_order_relaxed);
  bytes_.fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  // MPIs send small messages at once, and keep them at their destination ("eager"): up to 4 KiB at
  // least in shared memory, and more over networks.
  constexpr std::size_t eager_bytes = 2048;
  leaving_.push_back(
      {communicator_->send(to, from, bytes), std::move(keeper), bytes <= eager_bytes});
}

std::shared_ptr<World::Message> World::receive(int from, std::byte* to, std::size_t bytes,
                                               std::shared_ptr<const void> keeper) {
  arriving_.push_back({communicator_->receive(from, to, bytes), std::move(keeper)});
  return arriving_.back().message;
}

void World::wait(Message& message) {
  if (message.is_done()) return;
  const auto start = TraceClock::now();
  wait_for(message);
  const auto end = TraceClock::now();
  waited_ += (end - start) / std::chrono::nanoseconds(1);
  if (is_tracing()) trace("wait", "for messages of other ranks", start, end);
}

void World::wait_for(Message& message) {
  constexpr int busy_polls = 64;
  for (int polls = 0; !message.is_done(); ++polls) {
    if (polls % busy_polls != busy_polls - 1) continue;
    if (communicator_->is_alarmed()) throw Told{};
    sched_yield();  // there may be more ranks than processors
  }
}

// Most receivers are at the same point as this rank, and receive at once; it waits for no others.
void World::flush() {
  constexpr std::chrono::microseconds patience{500};
  const auto drop_gone = [&] {
    std::erase_if(leaving_, [](const UnderWay& each) { return each.message->is_done(); });
  };
  drop_gone();
  const auto start = std::chrono::steady_clock::now();
  const auto waits = [&] {
    return std::ranges::any_of(leaving_, [](const UnderWay& each) { return !each.goes_by_itself; });
  };
  while (waits() && std::chrono::steady_clock::now() - start < patience) {
    if (communicator_->is_alarmed()) throw Told{};
    sched_yield();
    drop_gone();
  }
  waited_ += (std::chrono::steady_clock::now() - start) / std::chrono::nanoseconds(1);
}

void World::wait_for_all() {
  for (auto* const list : {&leaving_, &arriving_}) {
    for (const UnderWay& each : *list) wait(*each.message);
    list->clear();
  }
}

detail::RankTraffic World::traffic() const { return {messages_.load(), bytes_.load()}; }

// Ranks that are in an act notice this, and get an error.
void World::leave() {
  const std::lock_guard lock(mutex_);
  if (!has_ended_) agree({Act::leave, {}, {}});
  has_ended_ = true;
  watch_.end();
}

// -- the world of this process --------------------------------------------------------------------

namespace {

std::mutex& world_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}
std::shared_ptr<World>& the_world() {
  static auto& instance = *new std::shared_ptr<World>;  // never destroyed: arrays may outlive main
  return instance;
}

}  // namespace

std::shared_ptr<World> world() {
  const std::lock_guard lock(world_mutex());
  return the_world();
}

}  // namespace hasten::runtime

namespace hasten::detail {

void join_ranks(std::unique_ptr<Communicator> communicator) {
  const std::lock_guard lock(runtime::world_mutex());
  runtime::the_world() = std::make_shared<runtime::World>(std::move(communicator));
}

void leave_ranks() {
  if (const auto world = runtime::world()) world->leave();
}

RankTraffic rank_traffic() {
  const auto world = runtime::world();
  return world ? world->traffic() : RankTraffic{};
}

}  // namespace hasten::detail
