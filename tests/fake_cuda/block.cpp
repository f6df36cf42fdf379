// Each thread runs until it ends or waits; then waiting threads that may continue do so. Code that
// relies on an order that no barrier enforces is found by another order.
#include "tests/fake_cuda/block.hpp"

#include "tests/fake_cuda/fiber.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

namespace fake_cuda {
namespace {

constexpr unsigned lanes = 32;
constexpr int shared_garbage = 0xcb;

// Byte by byte, because AddressSanitizer's guards lie between variables, which a memset must not
// touch.
[[gnu::no_sanitize_address]] void fill_with_garbage(char* from, const char* to) {
  for (volatile char* at = from; at != to; ++at) *at = static_cast<char>(shared_garbage);
}

enum class State : std::uint8_t { ready, at_barrier, at_meeting, done };

struct Thread {
  State state = State::ready;
  int site = 0;
  int value = 0;      // passed to a barrier
  unsigned mask = 0;  // of a meeting
  unsigned long long brought = 0;
  Index index = {};
};

class GridRun;
thread_local GridRun* current = nullptr;

using Fibers = std::deque<Fiber>;

// Kept from one grid to the next, whichever thread of the host runs it: each stack takes two of the
// process's limited number of mappings, and many devices have many threads.
class FiberPool {
 public:
  Fibers take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return {};
    Fibers fibers = std::move(idle_.back());
    idle_.pop_back();
    return fibers;
  }
  void give_back(Fibers fibers) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(fibers));
  }

 private:
  std::mutex mutex_;
  std::deque<Fibers> idle_;
};

FiberPool& fiber_pool() {
  static auto& pool = *new FiberPool;  // streams may outlive statics
  return pool;
}

class GridRun {
 public:
  GridRun(Context& context, const KernelRecord& kernel, const Grid& grid, void** arguments,
          const Order& order)
      : context_(context),
        kernel_(kernel),
        grid_(grid),
        arguments_(arguments),
        order_(order),
        random_(order.seed * 2 + 1),
        threads_(std::size_t{grid.threads.x} * grid.threads.y * grid.threads.z),
        seen_((threads_.size() + lanes - 1) / lanes * lanes),
        turn_(threads_.size()) {
    std::iota(turn_.begin(), turn_.end(), 0U);
    while (fibers_.size() < threads_.size()) fibers_.emplace_back();
    context_.threads = grid.threads;
    context_.blocks = grid.blocks;
    context_.barrier = [](int site, int value) { return current->barrier(site, value); };
    context_.meet = [](int site, unsigned mask, unsigned long long value) {
      return current->meet(site, mask, value);
    };
    context_.fail = [](const char* what) { current->fail(what); };
  }

  ~GridRun() { fiber_pool().give_back(std::move(fibers_)); }
  GridRun(const GridRun&) = delete;
  GridRun& operator=(const GridRun&) = delete;

  std::string run() {
    const auto [x, y, z] = grid_.blocks;
    std::vector<unsigned> blocks(std::size_t{x} * y * z);
    std::iota(blocks.begin(), blocks.end(), 0U);
    arrange(blocks);
    current = this;
    for (const unsigned block : blocks) {
      context_.block = {block % x, block / x % y, block / x / y};
      run_block();
      if (!error_.empty()) break;
    }
    current = nullptr;
    return std::move(error_);
  }

 private:
  void arrange(std::vector<unsigned>& order) {
    if (order_.kind == Order::reverse) std::sort(order.begin(), order.end(), std::greater<>());
    if (order_.kind != Order::random) return;
    for (std::size_t i = order.size(); i > 1; --i) {
      random_ ^= random_ << 13;  // George Marsaglia, "Xorshift RNGs" (2003)
      random_ ^= random_ >> 7;
      random_ ^= random_ << 17;
      std::swap(order[i - 1], order[random_ % i]);
    }
  }

  void run_block() {
    fill_with_garbage(kernel_.shared, kernel_.shared_end);
    for (unsigned i = 0; i < threads_.size(); ++i) {
      threads_[i] = {};
      threads_[i].index = {i % grid_.threads.x, i / grid_.threads.x % grid_.threads.y,
                           i / grid_.threads.x / grid_.threads.y};
      fibers_[i].start([](void* run) { static_cast<GridRun*>(run)->run_thread(); }, this);
    }
    do {
      arrange(turn_);
      for (const unsigned i : turn_) {
        if (threads_[i].state != State::ready) continue;
        running_ = i;
        context_.thread = threads_[i].index;
        fibers_[i].enter();
        if (!error_.empty()) return;
      }
    } while (go_on());
  }

  void run_thread() {
    kernel_.call(arguments_);
    threads_[running_].state = State::done;
  }

  // Makes threads ready whose meeting or barrier is complete. Returns false when the block is done.
  bool go_on() {
    bool any = false;
    for (unsigned warp = 0; warp < threads_.size(); warp += lanes) any |= release_warp(warp);
    if (any) return true;
    const auto is = [](State state) {
      return [state](const Thread& thread) { return thread.state == state; };
    };
    if (std::all_of(threads_.begin(), threads_.end(), is(State::done))) return false;
    if (std::all_of(threads_.begin(), threads_.end(), is(State::at_barrier)))
      return release_barrier();
    const auto waiting = static_cast<std::size_t>(
        std::count_if(threads_.begin(), threads_.end(), is(State::at_barrier)));
    const auto meeting = static_cast<std::size_t>(
        std::count_if(threads_.begin(), threads_.end(), is(State::at_meeting)));
    error_ = "divergent: " + std::to_string(waiting) + " threads at a barrier, " +
             std::to_string(meeting) + " at a meeting of lanes, " +
             std::to_string(threads_.size() - waiting - meeting) + " at their end";
    return false;
  }

  bool release_barrier() {
    count_ = 0;
    for (const Thread& thread : threads_) {
      if (thread.site != threads_[0].site) {
        error_ = "divergent: threads of a block at different barriers";
        return false;
      }
      count_ += thread.value != 0 ? 1 : 0;
    }
    for (Thread& thread : threads_) thread.state = State::ready;
    return true;
  }

  bool release_warp(unsigned warp) {
    bool any = false;
    const auto end = std::min<std::size_t>(warp + lanes, threads_.size());
    for (std::size_t i = warp; i < end; ++i) {
      if (threads_[i].state != State::at_meeting) continue;
      const unsigned mask = threads_[i].mask;
      const auto is_there = [&](unsigned lane) {
        if (warp + lane >= threads_.size()) return true;  // a mask in a partial warp
        const Thread& other = threads_[warp + lane];
        return other.state == State::at_meeting && other.mask == mask &&
               other.site == threads_[i].site;
      };
      bool all = true;
      for (unsigned lane = 0; lane < lanes; ++lane)
        if ((mask >> lane & 1U) != 0) all = all && is_there(lane);
      if (!all) continue;
      for (unsigned lane = 0; lane < lanes && warp + lane < threads_.size(); ++lane) {
        if ((mask >> lane & 1U) == 0) continue;
        seen_[warp + lane] = threads_[warp + lane].brought;
        threads_[warp + lane].state = State::ready;
      }
      any = true;
    }
    return any;
  }

  int barrier(int site, int value) {
    Thread& own = threads_[running_];
    own.state = State::at_barrier;
    own.site = site;
    own.value = value;
    fibers_[running_].leave();
    return count_;
  }

  const unsigned long long* meet(int site, unsigned mask, unsigned long long value) {
    Thread& own = threads_[running_];
    if ((mask >> (running_ % lanes) & 1U) == 0) fail("a lane is not in the mask that it gives");
    own.state = State::at_meeting;
    own.site = site;
    own.mask = mask;
    own.brought = value;
    const unsigned warp = running_ / lanes * lanes;
    fibers_[running_].leave();
    return &seen_[warp];
  }

  void fail(const char* what) {
    error_ = what;
    fibers_[running_].leave();  // permanently: the block is abandoned
  }

  Fibers fibers_ = fiber_pool().take();
  Context& context_;
  const KernelRecord& kernel_;
  const Grid& grid_;
  void** arguments_;
  const Order& order_;
  std::uint64_t random_;
  std::vector<Thread> threads_;
  std::vector<unsigned long long> seen_;  // values that each lane saw in its last meeting
  std::vector<unsigned> turn_;
  unsigned running_ = 0;
  int count_ = 0;
  std::string error_;
};

}  // namespace

bool parse_order(const std::string& text, Order& order) {
  if (text == "forward" || text == "reverse") {
    order = {text == "forward" ? Order::forward : Order::reverse, 0};
    return true;
  }
  if (text != "random" && !text.starts_with("random:")) return false;
  order = {Order::random, text == "random" ? 1 : std::strtoull(text.c_str() + 7, nullptr, 10)};
  return true;
}

std::string run_grid(Context& context, const KernelRecord& kernel, const Grid& grid,
                     void** arguments, const Order& order) {
  return GridRun(context, kernel, grid, arguments, order).run();
}

}  // namespace fake_cuda
