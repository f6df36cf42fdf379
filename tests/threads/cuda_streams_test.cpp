// The CUDA target's streams under several threads, over a driver whose streams are threads.
// Commands use plain memory: what is not ordered is wrong, and ThreadSanitizer says so.
#include "support.hpp"

#include "backends/cuda/memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace hasten::backends::cuda {
namespace {

using Work = std::function<void()>;

class StreamThread {
 public:
  StreamThread() : thread_([this] { run(); }) {}
  ~StreamThread() {
    post({});
    thread_.join();
  }
  StreamThread(const StreamThread&) = delete;
  StreamThread& operator=(const StreamThread&) = delete;

  void post(Work work) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(std::move(work));
    }
    changed_.notify_one();
  }

 private:
  void run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !queue_.empty(); });
      const Work work = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      if (!work) return;
      work();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> queue_;
  std::thread thread_;
};

// The last place that was marked.
struct EventState {
  std::mutex mutex;
  std::shared_future<void> reached;
  std::shared_future<void> now() {
    const std::lock_guard lock(mutex);
    return reached;
  }
};

StreamThread& of(CUstream stream) { return *reinterpret_cast<StreamThread*>(stream); }
EventState& of(CUevent event) { return *reinterpret_cast<EventState*>(event); }

std::shared_future<void> mark(CUstream stream) {
  const auto mark = std::make_shared<std::promise<void>>();
  of(stream).post([mark] { mark->set_value(); });
  return mark->get_future().share();
}

Library threads_as_driver() {
  Library driver;
  driver.cuDevicePrimaryCtxRetain = [](CUcontext*, CUdevice) -> CUresult { return success; };
  driver.cuDevicePrimaryCtxRelease_v2 = [](CUdevice) -> CUresult { return success; };
  driver.cuStreamCreate = [](CUstream* stream, unsigned) -> CUresult {
    *stream = reinterpret_cast<CUstream>(new StreamThread);
    return success;
  };
  driver.cuStreamDestroy_v2 = [](CUstream stream) -> CUresult {
    delete &of(stream);
    return success;
  };
  driver.cuStreamSynchronize = [](CUstream stream) -> CUresult {
    mark(stream).wait();
    return success;
  };
  driver.cuStreamWaitEvent = [](CUstream stream, CUevent event, unsigned) -> CUresult {
    of(stream).post([reached = of(event).now()] { reached.wait(); });
    return success;
  };
  driver.cuEventCreate = [](CUevent* event, unsigned) -> CUresult {
    *event = reinterpret_cast<CUevent>(new EventState);
    return success;
  };
  driver.cuEventDestroy_v2 = [](CUevent event) -> CUresult {
    delete &of(event);
    return success;
  };
  driver.cuEventRecord = [](CUevent event, CUstream stream) -> CUresult {
    const std::shared_future<void> reached = mark(stream);
    const std::lock_guard lock(of(event).mutex);
    of(event).reached = reached;
    return success;
  };
  driver.cuEventQuery = [](CUevent event) -> CUresult {
    const bool reached =
        of(event).now().wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    return reached ? success : not_ready;
  };
  driver.cuEventSynchronize = [](CUevent event) -> CUresult {
    of(event).now().wait();
    return success;
  };
  return driver;
}

class CudaStreams : public testing::Test {
 protected:
  using Block = std::int64_t;

  static c_like::Address address(Block& block) { return reinterpret_cast<c_like::Address>(&block); }

  // to = f(to, from...), as a launch.
  template <class F>
  void launch(Block& to, const std::vector<Block*>& from, F f) {
    std::vector<Streams::Use> uses = {{address(to), true}};
    for (Block* block : from) uses.push_back({address(*block), false});
    const auto enqueue = [&](const Stream& stream) {
      of(stream.handle()).post([&to, from, f] {
        for (const Block* block : from) to = f(to, *block);
      });
    };
    streams.launch(uses, nullptr, 1, enqueue, [](std::size_t, const c_like::Mark&) {});
  }
  void upload(Block& to, std::int64_t value) {
    streams.wait_for_users({address(to), true});
    const Stagings::Taken taken = uploads.take(large);
    streams.before_upload(taken.which, address(to));
    of(uploads.at(taken.which).stream().handle()).post([&to, value] { to = value; });
    streams.after_upload(taken.which, address(to));
  }
  std::int64_t download(Block& from) {
    streams.wait_for_users({address(from), false});
    const Stagings::Taken taken = downloads.take(large);
    streams.before_download(taken.which, address(from));
    std::int64_t value = 0;
    const Stream& stream = downloads.at(taken.which).stream();
    of(stream.handle()).post([&] { value = from; });
    stream.synchronize();
    return value;
  }

  static constexpr std::size_t large = std::size_t{1} << 20;

  const Library driver = threads_as_driver();
  const Context context{driver, 0, "threads"};
  Stagings uploads{context}, downloads{context};
  Streams streams{context, uploads, downloads};
};

constexpr int thread_count = 4, rounds = 200;

TEST_F(CudaStreams, CommandsThatMeetAreOrdered) {
  std::array<Block, 3> shared = {};
  Block one = 0;
  upload(one, 1);
  hasten_test::on_threads(thread_count, [&](int thread) {
    std::mt19937 random(static_cast<unsigned>(thread));
    std::array<Block, 4> own = {};
    std::array<std::int64_t, 4> expected = {};
    for (int round = 0; round < rounds; ++round) {
      const std::size_t to = random() % 4, from = random() % 4;
      if (random() % 8 == 0) {
        upload(own[to], round);
        expected[to] = round;
      } else if (from != to) {
        const auto mix = [](std::int64_t a, std::int64_t b) { return (a * 3 + b) % 1000003; };
        launch(own[to], {&own[from]}, mix);
        expected[to] = mix(expected[to], expected[from]);
      }
      launch(shared[random() % 3], {&one}, std::plus<>{});
      if (random() % 16 != 0) continue;
      EXPECT_EQ(download(own[to]), expected[to]);
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
      EXPECT_EQ(download(own[i]), expected[i]);
      streams.forget(address(own[i]));
    }
    streams.synchronize();
  });
  EXPECT_EQ(download(shared[0]) + download(shared[1]) + download(shared[2]),
            std::int64_t{thread_count} * rounds);
}

// Readers of one block run in any order; a writer comes after all of them.
TEST_F(CudaStreams, WritersWaitForAllReaders) {
  Block source = 0;
  std::array<Block, thread_count> sums = {};
  for (int round = 1; round <= rounds / 4; ++round) {
    upload(source, round);
    hasten_test::on_threads(thread_count, [&](int thread) {
      launch(sums[static_cast<std::size_t>(thread)], {&source}, std::plus<>{});
    });
  }
  for (Block& sum : sums) EXPECT_EQ(download(sum), std::int64_t{rounds / 4} * (rounds / 4 + 1) / 2);
}

}  // namespace
}  // namespace hasten::backends::cuda
