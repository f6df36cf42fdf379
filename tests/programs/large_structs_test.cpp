// Structs with the most members that HASTEN_STRUCT takes, 32, of every kind: each member is read
// and written separately.
#include "support.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

using hs::Exp, hs::Vector;

namespace wide {

struct Point {
  float x = 0, y = 0;
};
HASTEN_STRUCT(Point, x, y);

struct Record {
  double a0 = 0, a1 = 0, a2 = 0, a3 = 0;
  float b0 = 0, b1 = 0, b2 = 0, b3 = 0;
  std::int64_t c0 = 0, c1 = 0, c2 = 0, c3 = 0;
  std::int32_t d0 = 0, d1 = 0, d2 = 0, d3 = 0;
  std::uint16_t e0 = 0, e1 = 0, e2 = 0, e3 = 0;
  std::int8_t f0 = 0, f1 = 0, f2 = 0, f3 = 0;
  bool g0 = false, g1 = false, g2 = false;
  std::complex<float> h0;
  Point i0, i1;
  std::array<std::int32_t, 3> j0 = {};
  std::optional<float> k0;
};
HASTEN_STRUCT(Record, a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, e0, e1, e2,
              e3, f0, f1, f2, f3, g0, g1, g2, h0, i0, i1, j0, k0);

Record record(int i) {
  Record r;
  r.a0 = i, r.a1 = i + 0.5, r.a2 = -i, r.a3 = 3 * i;
  r.b0 = static_cast<float>(i), r.b1 = r.b0 + 1, r.b2 = r.b0 + 2, r.b3 = r.b0 / 4;
  r.c0 = i, r.c1 = std::int64_t{i} << 33, r.c2 = -r.c1, r.c3 = 7 - i;
  r.d0 = i, r.d1 = i * i, r.d2 = -i, r.d3 = i % 3;
  r.e0 = static_cast<std::uint16_t>(i), r.e1 = static_cast<std::uint16_t>(i + 1);
  r.e2 = static_cast<std::uint16_t>(i + 2), r.e3 = static_cast<std::uint16_t>(i + 3);
  r.f0 = static_cast<std::int8_t>(i % 100), r.f1 = static_cast<std::int8_t>(i % 7);
  r.f2 = static_cast<std::int8_t>(-(i % 5)), r.f3 = static_cast<std::int8_t>(i % 2);
  r.g0 = i % 2 == 0, r.g1 = i % 3 == 0, r.g2 = true;
  r.h0 = {static_cast<float>(i), -1};
  r.i0 = {r.b0, 1}, r.i1 = {2, r.b1};
  r.j0 = {i, i + 1, i + 2};
  if (i % 4 != 0) r.k0 = r.b3;
  return r;
}

auto all_of(const Point& p) { return std::tuple{p.x, p.y}; }
auto all_of(const Record& r) {
  return std::tuple_cat(std::tuple{r.a0, r.a1, r.a2, r.a3, r.b0, r.b1, r.b2, r.b3, r.c0, r.c1,
                                   r.c2, r.c3, r.d0, r.d1, r.d2, r.d3, r.e0, r.e1, r.e2, r.e3,
                                   r.f0, r.f1, r.f2, r.f3, r.g0, r.g1, r.g2, r.h0, r.j0, r.k0},
                        all_of(r.i0), all_of(r.i1));
}
bool operator==(const Record& a, const Record& b) { return all_of(a) == all_of(b); }

std::vector<Record> records(int count) {
  std::vector<Record> result;
  for (int i = 0; i < count; ++i) result.push_back(record(i));
  return result;
}

}  // namespace wide

namespace {

using wide::Record;

class LargeStructs : public hasten_test::OnEveryTarget {
 protected:
  static void expect_equal(const Vector<Record>& got, const std::vector<Record>& wanted) {
    ASSERT_EQ(got.size(), static_cast<std::int64_t>(wanted.size()));
    for (std::size_t i = 0; i < wanted.size(); ++i)
      EXPECT_TRUE(got(static_cast<std::int64_t>(i)) == wanted[i]) << i;
  }
};

TEST_P(LargeStructs, MembersChangeOneByOne) {
  std::vector<Record> records = wide::records(67);
  const auto changed = run(hs::map(
      [](Exp<Record> r) {
        r.a3 = r.a3 + 1.0;
        r.d1 = r.d1 * 2;
        r.g2 = r.g0 && r.g1;
        r.h0 = r.h0 * r.h0;
        r.i1.y = r.i0.x;
        r.k0 = hs::select(r.g1, Exp<std::optional<float>>(std::nullopt), r.k0);
        return r;
      },
      hs::use(hasten_test::vector_of(records))));
  for (Record& r : records) {
    r.a3 += 1, r.d1 *= 2, r.g2 = r.g0 && r.g1, r.i1.y = r.i0.x;
    r.h0 = {r.h0.real() * r.h0.real() - 1, -2 * r.h0.real()};
    if (r.g1) r.k0.reset();
  }
  expect_equal(changed, records);
}

TEST_P(LargeStructs, AreMovedWhole) {
  std::vector<Record> records = wide::records(130);
  const auto a = hs::use(hasten_test::vector_of(records));
  const auto [reversed, kept, sorted] =
      run(std::tuple{hs::reverse(a), hs::filter([](const Exp<Record>& r) { return r.d3 == 1; }, a),
                     hs::sort_by([](const Exp<Record>& r) { return r.f1; }, a)});
  std::vector<Record> wanted(records.rbegin(), records.rend());
  expect_equal(reversed, wanted);
  wanted = records;
  std::erase_if(wanted, [](const Record& r) { return r.d3 != 1; });
  expect_equal(kept, wanted);
  wanted = records;
  std::ranges::sort(wanted, {}, [](const Record& r) { return std::tuple{r.f1, r.c0}; });  // stable
  expect_equal(sorted, wanted);
}

// An operator on all members, most of which select one side.
TEST_P(LargeStructs, AreFoldedAndScanned) {
  std::vector<Record> records = wide::records(97);
  const auto later = [](const Exp<Record>& x, Exp<Record> y) {
    y.a0 = x.a0 + y.a0;
    y.c1 = hs::max(x.c1, y.c1);
    y.j0 = x.j0;
    return y;
  };
  const auto a = hs::use(hasten_test::vector_of(records));
  const auto [last, all] = run(std::tuple{hs::fold1(later, a), hs::scanl1(later, a)});
  for (std::size_t i = 1; i < records.size(); ++i) {
    records[i].a0 += records[i - 1].a0;
    records[i].c1 = std::max(records[i - 1].c1, records[i].c1);
    records[i].j0 = records[i - 1].j0;
  }
  expect_equal(all, records);
  EXPECT_TRUE(last.item() == records.back());
}

TEST_P(LargeStructs, HaveAComponentForEachMember) {
  const auto records = wide::records(5);
  const Vector<Record> v = hasten_test::vector_of(records);
  EXPECT_EQ(v.component<0>()[4], records[4].a0);
  EXPECT_EQ(v.component<27>()[3], records[3].h0);
  EXPECT_EQ(run(hs::map([](const Exp<Record>& r) { return r.k0; }, hs::use(v)))(3), records[3].k0);
}

HASTEN_ON_EVERY_TARGET(LargeStructs);

}  // namespace
