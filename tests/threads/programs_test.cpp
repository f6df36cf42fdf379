// Several host threads build, compile and run programs at once.
#include "support.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

using hasten_test::on_threads;
using hs::Acc, hs::Exp, hs::Scalar, hs::Vector;

namespace {

constexpr int thread_count = 6;

class Threads : public hasten_test::OnEveryTarget {};

// Another program for each `kind`; the sum of kind + 1 + 2 ... of xs.
Acc<Scalar<std::int64_t>> program(int kind, const hs::Vector<std::int64_t>& xs) {
  Acc<Vector<std::int64_t>> a = hs::use(xs);
  for (int i = 0; i < kind; ++i) a = hs::map([=](auto x) { return x + 1; }, a);
  if (kind % 2 == 0) a = hs::compute(hs::reverse(a));
  if (kind % 3 == 0) a = hs::zip_with([](auto x, auto y) { return x + y - x; }, a, a);
  return hs::sum(a);
}

TEST_P(Threads, BuildAndRunDifferentPrograms) {
  const hs::Vector<std::int64_t> xs =
      hasten_test::vector_of(hasten_test::numbers<std::int64_t>(1000));
  const std::int64_t total = hs::run(hs::sum(hs::use(xs)), GetParam()).item();
  on_threads(thread_count, [&](int thread) {
    for (int round = 0; round < 4; ++round) {
      const int kind = thread + 3 * round;
      EXPECT_EQ(run(program(kind, xs)).item(), total + 1000 * kind);
    }
  });
}

TEST_P(Threads, BuildAndRunTheSameProgram) {
  const hs::Vector<std::int64_t> xs{1, 2, 3};
  on_threads(thread_count, [&](int) {
    for (int kind = 0; kind < 5; ++kind) EXPECT_EQ(run(program(kind, xs)).item(), 6 + 3 * kind);
  });
}

TEST_P(Threads, CallOneCompiledProgram) {
  const auto f = hs::compile(
      [](Exp<std::int32_t> k, Acc<Vector<std::int32_t>> xs) {
        return hs::map([=](auto x) { return x * k; }, hs::compute(hs::reverse(xs)));
      },
      GetParam());
  on_threads(thread_count, [&](int thread) {
    for (int round = 0; round < 20; ++round) EXPECT_EQ(f(thread, {1, 2, round})(0), thread * round);
    EXPECT_NE(f.explain().str().find("reverse"), std::string::npos);
    EXPECT_EQ(f.kernel_count(), 2);
  });
}

std::int64_t plus_one(std::int64_t x) noexcept { return x + 1; }

// Several threads name, build and call foreign functions at once.
TEST_P(Threads, CallForeignFunctions) {
  const auto next = [](const Exp<std::int64_t>& x) {
    return hs::foreign_exp(
        hs::on_cpu("threads::plus_one", &plus_one),
        [](const Exp<std::int64_t>& y) { return y + 1; }, x);
  };
  const auto doubled = [](const Acc<Vector<std::int64_t>>& a) {
    return hs::foreign_acc(
        hs::on_cpu("threads::doubled",
                   [](const Vector<std::int64_t>& v) {
                     auto values = v.to_vector();
                     for (auto& x : values) x *= 2;
                     return hasten_test::vector_of(values);
                   }),
        [](const Acc<Vector<std::int64_t>>& b) {
          return hs::map([](const auto& x) { return x * 2; }, b);
        },
        a);
  };
  const auto f = hs::compile(
      [&](Acc<Vector<std::int64_t>> a) { return hs::sum(hs::map(next, doubled(a))); }, GetParam());
  on_threads(thread_count, [&](int thread) {
    const auto xs = hasten_test::vector_of(hasten_test::numbers<std::int64_t>(3000 + thread));
    const std::int64_t total = hs::run(hs::sum(hs::use(xs)), GetParam()).item();
    for (int round = 0; round < 5; ++round) {
      EXPECT_EQ(f(xs).item(), 2 * total + xs.size());
      EXPECT_EQ(f.async(xs).get().item(), 2 * total + xs.size());
      EXPECT_EQ(run(hs::sum(hs::map(next, hs::use(xs)))).item(), total + xs.size());
    }
  });
}

TEST_P(Threads, ShareTermsAndBuildOnThem) {
  const hs::Vector<std::int32_t> xs{1, 2, 3};
  const Acc<Vector<std::int32_t>> shared = hs::map([](auto x) { return x * x; }, hs::use(xs));
  const Exp<std::int32_t> size = hs::cast<std::int32_t>(hs::size(shared));
  on_threads(thread_count, [&](int thread) {
    for (int round = 0; round < 5; ++round) {
      const auto mine = hs::map([=](auto x) { return x + size + thread; }, shared);
      EXPECT_EQ(run(mine)(2), 9 + 3 + thread);
    }
  });
}

TEST_P(Threads, ChangeTheNumbersOfOneProgram) {
  const hs::Vector<float> xs{1, 2, 3};
  on_threads(thread_count, [&](int thread) {
    for (int round = 0; round < 10; ++round) {
      const float dt = 0.25f * static_cast<float>(thread + 1), k = static_cast<float>(round);
      const auto r = run(hs::map([=](auto x) { return x * dt + k; }, hs::use(xs)));
      EXPECT_EQ(r(2), 3 * dt + k);
    }
  });
}

TEST_P(Threads, WaitForCallsOfOthers) {
  const auto f = hs::compile([](Acc<Vector<std::int32_t>> xs) { return hs::sum(xs); }, GetParam());
  std::vector<hs::Pending<Scalar<std::int32_t>>> calls;
  for (int i = 0; i < 12; ++i) calls.push_back(f.async({1, 2, i}));
  on_threads(thread_count, [&](int) {
    for (int i = 0; i < 12; ++i) {
      const auto call = calls[static_cast<std::size_t>(i)];
      EXPECT_EQ(call.get().item(), 3 + i);
      EXPECT_TRUE(call.ready());
    }
  });
}

TEST_P(Threads, StartCallsAndDropThem) {
  const auto f = hs::compile([](Acc<Vector<std::int32_t>> xs) { return hs::sum(xs); }, GetParam());
  on_threads(thread_count, [&](int thread) {
    for (int i = 0; i < 20; ++i) {
      const auto dropped = f.async({1, 2, i});
      EXPECT_EQ(f.async({thread, i}).get().item(), thread + i);
    }
  });
}

TEST_P(Threads, ErrorsStayWithTheirOwners) {
  on_threads(thread_count, [&](int thread) {
    for (int round = 0; round < 5; ++round) {
      const int n = thread % 2 == 0 ? 3 : 4;
      const auto shaped = hs::reshape(hs::ix(n), hs::use(hs::Vector<std::int32_t>{1, 2, 3}));
      if (n == 3) {
        EXPECT_EQ(run(hs::sum(shaped)).item(), 6);
      } else {
        EXPECT_THROW(run(hs::sum(shaped)), hs::ShapeError);
      }
    }
  });
}

TEST_P(Threads, LoopsAndBranchesKeepApart) {
  const auto f = hs::compile(
      [](Exp<std::int64_t> n, Acc<Vector<double>> xs) {
        const auto doubled = hs::aiterate(
            n, [](Acc<Vector<double>> v) { return hs::map([](auto x) { return x * 2.0; }, v); },
            xs);
        return hs::acond(n > 3, hs::sum(doubled), hs::sum(xs));
      },
      GetParam());
  on_threads(thread_count, [&](int thread) {
    const double expected = thread > 3 ? 3.0 * static_cast<double>(1 << thread) : 3.0;
    for (int round = 0; round < 10; ++round) EXPECT_EQ(f(thread, {1.0, 2.0}).item(), expected);
  });
}

TEST_P(Threads, ArraysOutliveTheThreadsThatMadeThem) {
  std::vector<hs::Vector<float>> results(thread_count);
  std::atomic<int> released{0};
  std::vector<float> memory(300'000, 1.0f);
  {
    const auto borrowed = hs::Vector<float>::borrow(300'000, memory.data(), [&] { ++released; });
    on_threads(thread_count, [&](int thread) {
      results[static_cast<std::size_t>(thread)] =
          run(hs::map([=](auto x) { return x + static_cast<float>(thread); }, hs::use(borrowed)));
    });
  }
  EXPECT_EQ(released, 1);
  for (int i = 0; i < thread_count; ++i)
    EXPECT_EQ(results[static_cast<std::size_t>(i)](299'999), 1.0f + static_cast<float>(i));
  // Blocks given back by one thread serve another.
  on_threads(thread_count, [&](int thread) { results[static_cast<std::size_t>(thread)] = {}; });
}

TEST_P(Threads, CountersAddUp) {
  constexpr std::int64_t elements = 100'000, bytes = 4 * elements, rounds = 20;
  const auto f = hs::compile(
      [](Acc<Vector<std::int32_t>> xs) { return hs::map([](auto x) { return x + 1; }, xs); },
      GetParam());
  const auto xs = hasten_test::vector_of(hasten_test::numbers<std::int32_t>(elements));
  const hs::Statistics before = hs::statistics(), before_f = f.statistics();
  std::vector<Vector<std::int32_t>> kept(thread_count);
  on_threads(thread_count, [&](int thread) {
    for (std::int64_t round = 0; round < rounds; ++round) {
      const std::int64_t peak = hs::statistics().bytes_peak;
      kept[static_cast<std::size_t>(thread)] = f(xs);
      // The argument, this result, and what others keep meanwhile: a peak never gets less.
      EXPECT_GE(hs::statistics().bytes_peak, std::max(peak, 2 * bytes));
    }
  });
  const hs::Statistics after = hs::statistics() - before;
  EXPECT_GE(after.bytes_allocated, thread_count * rounds * bytes);
  EXPECT_LE(after.bytes_allocated, thread_count * rounds * bytes * 11 / 10);
  EXPECT_GE(hs::statistics().bytes_peak, (thread_count + 1) * bytes);  // all are alive
  const bool compiles = GetParam().target != hs::interpreter();
  const hs::Statistics of_f = f.statistics() - before_f;
  EXPECT_EQ(of_f.launches, compiles ? rounds * thread_count : 0);
  if (compiles) {
    EXPECT_EQ(of_f.bytes_allocated, thread_count * rounds * bytes);
    EXPECT_EQ(f.statistics().bytes_peak, bytes);
  }
}

HASTEN_ON_EVERY_TARGET(Threads);

}  // namespace
