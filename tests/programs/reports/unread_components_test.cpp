// Members that nothing reads are neither loaded nor moved to devices: bytes are counted where they
// are moved and where kernels read them.
#include "tests/programs/support.hpp"

#include <functional>
#include <tuple>
#include <vector>

using hs::Acc, hs::Exp, hs::Profile, hs::ProfileRow, hs::Vector;

namespace unread {

struct Body {
  double x = 0, y = 0, z = 0;
  float mass = 0;
  std::int16_t kind = 0;
};
HASTEN_STRUCT(Body, x, y, z, mass, kind);

}  // namespace unread

namespace {

using unread::Body;

constexpr std::int64_t count = 1000;
constexpr std::int64_t mass_bytes = 4 * count, x_bytes = 8 * count;

Vector<Body> bodies() {
  std::vector<Body> all;
  for (int i = 0; i < count; ++i)
    all.push_back({1.0 * i, 2.0 * i, 3, static_cast<float>(i % 7), static_cast<std::int16_t>(i)});
  return hasten_test::vector_of(all);
}

Exp<float> mass_of(const Exp<Body>& body) { return body.mass; }

class UnreadComponents : public hasten_test::OnEveryDevice {
 protected:
  static bool is_device() {
    return GetParam().target != hs::interpreter() && GetParam().target != hs::cpu();
  }

  /// The bytes that all launches read and wrote, and those moved to the device.
  template <class F>
  static void expect_bytes(const F& f, std::int64_t launched, std::int64_t moved) {
    const Vector<Body> all = bodies();
    const hs::Statistics before = hs::statistics();
    f(all);
    const Profile profile = f.profile();
    if (GetParam().target == hs::interpreter()) return;
    std::int64_t bytes = 0;
    for (const ProfileRow& row : profile.rows())
      if (row.kind == "launch") bytes += row.bytes;
    EXPECT_EQ(bytes, launched) << profile << f.explain();
    const std::int64_t went = hs::statistics().bytes_to_devices - before.bytes_to_devices;
    EXPECT_EQ(went, is_device() ? moved : 0) << profile;
  }

  template <class F>
  static auto of_bodies(F f) {
    return hs::compile(
        std::function<decltype(f(std::declval<Acc<Vector<Body>>>()))(Acc<Vector<Body>>)>(f),
        GetParam());
  }
};

TEST_P(UnreadComponents, OfMaps) {
  const auto f = of_bodies([](const Acc<Vector<Body>>& a) { return hs::map(mass_of, a) * 2.0f; });
  expect_bytes(f, mass_bytes + mass_bytes, mass_bytes);
}

TEST_P(UnreadComponents, OfFoldsAndScans) {
  const auto total =
      of_bodies([](const Acc<Vector<Body>>& a) { return hs::sum(hs::map(mass_of, a)); });
  expect_bytes(total, mass_bytes + 4, mass_bytes);
  const auto sums = of_bodies(
      [](const Acc<Vector<Body>>& a) { return hs::scanl1(std::plus<>{}, hs::map(mass_of, a)); });
  expect_bytes(sums, mass_bytes + mass_bytes, mass_bytes);
}

// Unused results: three of the members that a map returns.
TEST_P(UnreadComponents, OfWhatIsMadeBefore) {
  const auto f = of_bodies([](const Acc<Vector<Body>>& a) {
    const auto moved = hs::compute(hs::map(
        [](Exp<Body> b) {
          b.x = b.x + b.y * b.z;
          b.mass = b.mass + 1.0f;
          return b;
        },
        a));
    return hs::scanl1(std::plus<>{}, hs::map(mass_of, moved));
  });
  // The masses, read and written twice, or once if both are one kernel.
  const std::int64_t passes = f.launch_count() == 1 ? 2 : 4;
  expect_bytes(f, passes * mass_bytes, mass_bytes);
}

TEST_P(UnreadComponents, OfReversalsAndNeighbours) {
  const auto f = of_bodies([](const Acc<Vector<Body>>& a) {
    const auto back = hs::reverse(a);
    return hs::zip_with([](const Exp<Body>& b, const Exp<Body>& c) { return b.x - c.x; }, a, back);
  });
  expect_bytes(f, x_bytes + x_bytes, x_bytes);
}

TEST_P(UnreadComponents, OfGathers) {
  const auto f = of_bodies([](const Acc<Vector<Body>>& a) {
    return hs::generate(
        count, [=](const Exp<std::int64_t>& i) { return Exp<Body>(a[(i * 7 + 3) % count]).mass; });
  });
  expect_bytes(f, mass_bytes + mass_bytes, mass_bytes);
}

// A loop whose state is the bodies, of which only the masses and one coordinate are used.
TEST_P(UnreadComponents, OfStates) {
  constexpr std::int64_t rounds = 3;
  const auto f = of_bodies([](const Acc<Vector<Body>>& a) {
    const auto last = hs::aiterate(
        Exp<std::int64_t>(rounds),
        [](const Acc<Vector<Body>>& v) {
          return hs::map(
              [](Exp<Body> b) {
                b.mass = b.mass * 0.5f;
                b.y = b.y + b.z;
                return b;
              },
              v);
        },
        a);
    return hs::map(mass_of, last);
  });
  const Vector<Body> all = bodies();
  const auto wanted = all.component<3>()[10] * 0.125f;
  EXPECT_EQ(f(all)(10), wanted);
  expect_bytes(f, 2 * mass_bytes, mass_bytes);  // for one launch
}

HASTEN_ON_EVERY_DEVICE(UnreadComponents);

}  // namespace
