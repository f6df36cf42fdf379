// Functions of arrays that enqueue work on a device. They differ from their fallbacks, so that a
// call shows: they concatenate two arrays in the opposite order.
#include "devices.hpp"
#include "tests/support/device_functions.hpp"
#include "tests/support/fake_cuda.hpp"

#include <atomic>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>

using hs::Acc, hs::DeviceArray, hs::DeviceCall, hs::Exp, hs::Vector;

namespace {

using Floats = Vector<float>;

class ForeignOnDevices : public hasten_test::OnEveryDevice {
 protected:
  static bool calls() {
    const std::string kind = hs::test::kind_of(GetParam().target.name());
    return kind == "opencl" || kind == "cuda";
  }
};

// Properties of targets that call only.
class ForeignCalls : public ForeignOnDevices {};

std::atomic<int> all_calls = 0;

template <class A>
DeviceArray<A> swapped_parts(const DeviceCall& call, const hs::test::DeviceFunctions& functions,
                             const DeviceArray<A>& a, const DeviceArray<A>& b) {
  ++all_calls;
  const auto result = call.allocate<A>({a.size() + b.size()});
  constexpr std::int64_t bytes = sizeof(typename A::element_type);
  functions.copy(call, result.memory(), 0, b.memory(), b.size() * bytes);
  functions.copy(call, result.memory(), b.size() * bytes, a.memory(), a.size() * bytes);
  return result;
}

template <class A>
struct SwappedOnCuda {
  DeviceArray<A> operator()(const DeviceCall& call, const DeviceArray<A>& a,
                            const DeviceArray<A>& b) const {
    return swapped_parts<A>(call, hs::test::cuda_functions(), a, b);
  }
};
template <class A>
struct SwappedOnOpencl {
  DeviceArray<A> operator()(const DeviceCall& call, const DeviceArray<A>& a,
                            const DeviceArray<A>& b) const {
    return swapped_parts<A>(call, hs::test::opencl_functions(), a, b);
  }
};

template <class T>
auto joined(const Acc<Vector<T>>& a, const Acc<Vector<T>>& b) {
  return hs::foreign_acc(
      std::tuple{hs::on_cuda("test::joined", SwappedOnCuda<Vector<T>>{}),
                 hs::on_opencl("test::joined", SwappedOnOpencl<Vector<T>>{})},
      [](const Acc<Vector<T>>& x, const Acc<Vector<T>>& y) { return hs::concat(x, y); }, a, b);
}

template <class T>
std::vector<T> join(std::vector<T> a, std::vector<T> b, bool is_swapped) {
  if (is_swapped) std::swap(a, b);
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST_P(ForeignOnDevices, TakeAndGiveArrays) {
  for (const std::int64_t n : {0, 1, 7, 1000}) {
    const auto a = hasten_test::numbers<float>(n), b = hasten_test::numbers<float>(13, 50);
    EXPECT_EQ(run(joined(hs::use(hasten_test::vector_of(a)), hs::use(hasten_test::vector_of(b))))
                  .to_vector(),
              join(a, b, calls()));
  }
  const std::vector<std::complex<double>> c{{1, 2}, {3, 4}}, d{{5, 6}};
  EXPECT_EQ(run(joined(hs::use(hasten_test::vector_of(c)), hs::use(hasten_test::vector_of(d))))
                .to_vector(),
            join(c, d, calls()));
}

// Operations before a call have been enqueued when it is made, and later ones wait for it; nothing
// passes through the host.
TEST_P(ForeignOnDevices, StandAmongLaunches) {
  const auto f = hs::compile(
      [](const Acc<Floats>& x) {
        const auto half = [](const Exp<float>& v) { return v * 0.5F; };
        const auto plus = [](const Exp<float>& v) { return v + 1.0F; };
        return hs::map(plus, joined(hs::map(half, x), hs::scanl1(std::plus{}, x)));
      },
      GetParam());
  constexpr std::int64_t n = 100'000;
  const auto x =
      Floats::from_function({n}, [](hs::Ix<1> i) { return static_cast<float>(i[0] % 5); });
  for (int round = 0; round < 20; ++round) {
    const auto before = hs::statistics().bytes_from_devices;
    const auto result = f(x);
    EXPECT_EQ(hs::statistics().bytes_from_devices, before);
    float sum = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      sum += x(i);
      ASSERT_EQ(result((calls() ? n : 0) + i), x(i) / 2 + 1) << i;
      ASSERT_EQ(result((calls() ? 0 : n) + i), sum + 1) << i;
    }
  }
}

// Called in each round of a loop, on the result of the previous round.
TEST_P(ForeignOnDevices, StandInLoops) {
  const auto rotate = [](const Acc<Floats>& x) {
    const Exp<std::int64_t> half = hs::size(x) / 2;
    return joined(hs::take(half, x), hs::drop(half, x));
  };
  const Floats x{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(run(hs::aiterate(3, rotate, hs::use(x))).to_vector(),
            calls() ? (std::vector<float>{4, 5, 6, 1, 2, 3}) : x.to_vector());
}

// A function that is not found is skipped in favour of the next one.
TEST_P(ForeignOnDevices, AreChosenIfThere) {
  const auto program = [](bool (*found)()) {
    return hs::foreign_acc(
        std::tuple{hs::on_cuda("test::joined_if", SwappedOnCuda<Floats>{}).if_there(found),
                   hs::on_opencl("test::joined_if", SwappedOnOpencl<Floats>{}).if_there(found)},
        [](const Acc<Floats>& x, const Acc<Floats>& y) { return hs::concat(x, y); },
        hs::use(Floats{1, 2}), hs::use(Floats{3}));
  };
  EXPECT_EQ(run(program([] { return true; })).to_vector(), join<float>({1, 2}, {3}, calls()));
  EXPECT_EQ(run(program([] { return false; })).to_vector(), (std::vector<float>{1, 2, 3}));
}

// Groups are tuples; a result may be an argument, and may have any extents.
TEST_P(ForeignOnDevices, TakeAndGiveGroups) {
  using Pair = std::pair<Acc<Floats>, Acc<hs::Matrix<std::int32_t>>>;
  using Placed = std::tuple<DeviceArray<Floats>, DeviceArray<hs::Matrix<std::int32_t>>>;
  const auto other = [](const hs::test::DeviceFunctions& (*functions)()) {
    return [functions](const DeviceCall& call, const Placed& given) {
      const auto& [values, counts] = given;
      const auto row = call.allocate<hs::Matrix<std::int32_t>>({1, counts.extent(1)});
      functions().copy(call, row.memory(), 0, counts.memory(), counts.extent(1) * 4);
      return Placed{values, row};
    };
  };
  const auto [values, counts] = run(hs::foreign_acc(
      std::tuple{hs::on_cuda("test::first_row", other(hs::test::cuda_functions)),
                 hs::on_opencl("test::first_row", other(hs::test::opencl_functions))},
      [](const Pair& p) { return p; },
      Pair{hs::use(Floats{1, 2}), hs::use(hs::Matrix<std::int32_t>{{1, 2, 3}, {4, 5, 6}})}));
  EXPECT_EQ(values.to_vector(), (std::vector<float>{1, 2}));
  EXPECT_EQ(counts.to_vector(), calls() ? (std::vector<std::int32_t>{1, 2, 3})
                                        : (std::vector<std::int32_t>{1, 2, 3, 4, 5, 6}));
}

// Each leaf of a struct is a component with separate memory.
TEST_P(ForeignOnDevices, HaveMemoryForEachComponent) {
  using Pairs = Vector<std::pair<float, std::int32_t>>;
  const auto swap = [](const hs::test::DeviceFunctions& (*functions)()) {
    return [functions](const DeviceCall& call, const DeviceArray<Pairs>& a) {
      static_assert(DeviceArray<Pairs>::components == 2);
      const auto result = call.allocate<Pairs>({1});
      functions().copy(call, result.memory(0), 0, a.memory(0), 4);
      functions().copy(call, result.memory(1), 0, a.memory(1), 4);
      return result;
    };
  };
  const auto result = run(hs::foreign_acc(
      std::tuple{hs::on_cuda("test::first", swap(hs::test::cuda_functions)),
                 hs::on_opencl("test::first", swap(hs::test::opencl_functions))},
      [](const Acc<Pairs>& a) { return a; }, hs::use(Pairs{{1.5F, 2}, {3.5F, 4}})));
  EXPECT_EQ(result.size(), calls() ? 1 : 2);
  EXPECT_EQ(result(0), (std::pair<float, std::int32_t>{1.5F, 2}));
}

// Memory that a function allocates belongs to the program: it is counted, and within the program's
// limit.
TEST_P(ForeignCalls, AreWithinTheLimitOfMemory) {
  hs::Options options = GetParam();
  options.memory_limit = 3 << 20;
  const auto program = [](std::int64_t count) {
    const auto f = [count](const DeviceCall& call, const DeviceArray<Floats>& a) {
      (void)call.allocate<Floats>({count});
      return a;
    };
    return hs::foreign_acc(
        std::tuple{hs::on_cuda("test::scratch", f), hs::on_opencl("test::scratch", f)},
        [](const Acc<Floats>& a) { return a; }, hs::use(Floats{1, 2}));
  };
  EXPECT_EQ(hs::run(program(1000), options).to_vector(), (std::vector<float>{1, 2}));
  EXPECT_THROW((void)hs::run(program(1 << 20), options), hs::MemoryError);
  EXPECT_THROW((void)hs::run(program(std::int64_t{1} << 62), options), hs::MemoryError);
  EXPECT_THROW((void)hs::run(program(-1), options), hs::ShapeError);
  EXPECT_EQ(hs::run(program(1000), options).to_vector(), (std::vector<float>{1, 2}));
}

TEST_P(ForeignCalls, PassExceptionsOn) {
  const auto refuse = [](const DeviceCall& call,
                         const DeviceArray<Floats>& a) -> DeviceArray<Floats> {
    const auto scratch = call.allocate<Floats>({a.size()});
    throw std::runtime_error("not today");
  };
  const auto program = hs::foreign_acc(
      std::tuple{hs::on_cuda("test::refuse", refuse), hs::on_opencl("test::refuse", refuse)},
      [](const Acc<Floats>& a) { return a; }, hs::use(Floats{1, 2}));
  EXPECT_THROW((void)run(program), std::runtime_error);
  EXPECT_EQ(run(joined(hs::use(Floats{1}), hs::use(Floats{2}))).to_vector(),
            (std::vector<float>{2, 1}));
}

// A program inside the call would wait for the call itself.
TEST_P(ForeignCalls, CannotRunProgramsThere) {
  const hs::Options options = GetParam();
  const auto nested = [options](const DeviceCall&, const DeviceArray<Floats>& a) {
    (void)hs::run(hs::map([](const Exp<float>& x) { return x + 1.0F; }, hs::use(Floats{1})),
                  options);
    return a;
  };
  const auto program = hs::foreign_acc(
      std::tuple{hs::on_cuda("test::nested", nested), hs::on_opencl("test::nested", nested)},
      [](const Acc<Floats>& a) { return a; }, hs::use(Floats{1, 2}));
  EXPECT_THROW((void)run(program), hs::TargetError);
  EXPECT_EQ(run(joined(hs::use(Floats{1}), hs::use(Floats{2}))).to_vector(),
            (std::vector<float>{2, 1}));
}

// Equal calls of a function are made once, unless the user says otherwise.
TEST_P(ForeignCalls, EqualCallsAreOne) {
  const auto a = hs::use(Floats{1, 2}), b = hs::use(Floats{3});
  all_calls = 0;
  const auto [first, second] = run(std::pair{joined(a, b), joined(a, b)});
  EXPECT_EQ(all_calls, 1);
  EXPECT_EQ(first.to_vector(), second.to_vector());
  const auto impure = [&] {
    return hs::foreign_acc(
        std::tuple{hs::on_cuda("test::joined", SwappedOnCuda<Floats>{}).impure(),
                   hs::on_opencl("test::joined", SwappedOnOpencl<Floats>{}).impure()},
        [](const Acc<Floats>& x, const Acc<Floats>& y) { return hs::concat(x, y); }, a, b);
  };
  all_calls = 0;
  (void)run(std::pair{impure(), impure()});
  EXPECT_EQ(all_calls, 2);
}

// A call has a row in the profile with the device's time, and a name in explain().
TEST_P(ForeignCalls, AreSeenInProfiles) {
  const auto f = hs::compile(
      [](const Acc<Floats>& a, const Acc<Floats>& b) { return joined(a, b); }, GetParam());
  (void)f.profile();
  const auto big = hasten_test::vector_of(hasten_test::numbers<float>(100'000));
  for (int i = 0; i < 3; ++i) (void)f(big, big);
  std::ostringstream text, explained;
  text << f.profile();
  explained << f.explain();
  EXPECT_NE(text.str().find("test::joined"), std::string::npos) << text.str();
  EXPECT_NE(explained.str().find("foreign code: test::joined"), std::string::npos);
  bool is_timed = false;
  const auto profile = f.profile();
  for (const auto& row : profile.rows())
    if (row.name.find("test::joined") != std::string::npos)
      is_timed = row.calls == 3 && row.median_ms > 0;
  EXPECT_TRUE(is_timed) << text.str();
}

// Programs may run on another device during the call, and the call's time stays correct; they must
// not run on the device that waits for this call, by any path.
class ForeignOnTwoDevices : public hs::test::OnFakeCuda {};

TEST_F(ForeignOnTwoDevices, MayRunProgramsOnTheOther) {
  const auto calling = [](int other, const auto& then) {
    return [=](const DeviceCall& call, const DeviceArray<Floats>& a) {
      const auto copy = call.allocate<Floats>({a.size()});
      hs::test::cuda_functions().copy(call, copy.memory(), 0, a.memory(), a.size() * 4);
      const auto f =
          hs::compile([&](const Acc<Floats>& x) { return then(x); }, {.target = hs::cuda(other)});
      (void)f.profile();
      (void)f(Floats{1, 2}).to_vector();
      return copy;
    };
  };
  const auto add_one = [](const Acc<Floats>& x) {
    return hs::map([](const Exp<float>& v) { return v + 1.0F; }, x);
  };
  const auto program_of = [](const char* name, const auto& function) {
    return [=](const Acc<Floats>& a) {
      return hs::foreign_acc(
          hs::on_cuda(name, function), [](const Acc<Floats>& x) { return x; }, a);
    };
  };
  const auto once = program_of("test::elsewhere", calling(1, add_one));
  const auto f =
      hs::compile([&](const Acc<Floats>& a) { return once(a); }, {.target = hs::cuda(0)});
  (void)f.profile();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(f(Floats{3, 4}).to_vector(), (std::vector<float>{3, 4}));
  const auto profile = f.profile();
  bool is_timed = false;
  for (const auto& row : profile.rows())
    is_timed |= row.name.find("test::elsewhere") != std::string::npos && row.median_ms > 0;
  EXPECT_TRUE(is_timed);
  const auto back = program_of("test::there", calling(0, add_one));
  const auto there_and_back = program_of("test::back", calling(1, back));
  const auto g =
      hs::compile([&](const Acc<Floats>& a) { return there_and_back(a); }, {.target = hs::cuda(0)});
  EXPECT_THROW((void)g(Floats{1}), hs::TargetError);
}

HASTEN_ON_EVERY_DEVICE(ForeignOnDevices);
HASTEN_ON_DEVICES(ForeignCalls);

}  // namespace
