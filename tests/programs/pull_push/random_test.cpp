// Random programs of pull and push arrays: results equal the interpreter's, with one kernel per
// force.
#include "tests/programs/support.hpp"

#include <random>
#include <string>
#include <tuple>
#include <utility>

using hs::Acc, hs::Exp, hs::Pull, hs::Push, hs::Vector;

namespace {

using Index = std::int64_t;

/// Makes a program of a few dozen operations on vectors, the same one for the same seed.
class Maker {
 public:
  Maker(unsigned seed, Acc<Vector<Index>> a, Acc<Vector<Index>> b)
      : random_(seed),
        a_(std::move(a)),
        b_(std::move(b)) {}

  Acc<Vector<Index>> made() { return forced(hs::push(pull(5))); }
  [[nodiscard]] std::size_t forces() const { return forces_; }

 private:
  Index number(Index below) { return static_cast<Index>(random_() % static_cast<unsigned>(below)); }

  template <class P>
  Acc<Vector<Index>> forced(const P& p) {
    ++forces_;
    // All forced arrays differ, because equal ones would be merged.
    const auto which = static_cast<Index>(forces_);
    return hs::force(hs::map([which](auto x) { return x + which; }, p));
  }

  Pull<Index, 1> pull(int depth) {
    if (depth == 0) return hs::pull(number(2) == 0 ? a_ : b_);
    const Index by = number(7) + 1;
    switch (number(10)) {
      case 0: return hs::map([by](auto x) { return x * by - 1; }, pull(depth - 1));
      case 1: return hs::imap([by](auto i, auto x) { return i * by - x; }, pull(depth - 1));
      case 2:
        return hs::zip_with([by](auto x, auto y) { return hs::max(x, y) - by * x; },
                            pull(depth - 1), pull(depth - 2 < 0 ? 0 : depth - 2));
      case 3: return hs::reverse(pull(depth - 1));
      case 4: return hs::take(20 * by, pull(depth - 1));
      case 5: return hs::drop(by, pull(depth - 1));
      case 6: {
        const auto p = pull(depth - 1);
        return hs::backpermute(hs::size(p), [=](auto i) { return (i * 5 + by) % hs::size(p); }, p);
      }
      default: return hs::pull(forced(push(depth - 1)));
    }
  }

  Push<Index, 1> push(int depth) {
    const auto p = pull(depth);
    const Index by = number(5) + 1;
    switch (number(11)) {
      case 0: return hs::interleave(p, hs::map([by](auto x) { return x - by; }, p));
      case 1:
        return hs::push_many<2>(hs::size(p), 2 * hs::size(p), [=](auto i) {
          const auto x = p(i);
          return std::tuple{std::pair{i, x * by}, std::pair{i + hs::size(p), x + i}};
        });
      case 2:
        return hs::permute_bijective(
            hs::size(p), [=](auto i) { return (i + by) % hs::size(p); }, p);
      case 3: return hs::reverse(hs::interleave(hs::reverse(p), p));
      case 4:
        return hs::stencil([by](auto at) { return at(-1) + by * at(0) - at(2); },
                           hs::boundary::mirror, p);
      case 5: return hs::concat(p, hs::map([by](auto x) { return x ^ by; }, p), hs::reverse(p));
      case 6: return hs::concat(hs::interleave(p, hs::reverse(p)), p);
      case 8: return hs::concat(hs::take(7 * by, p), hs::interleave(p, p), hs::drop(by, p));
      case 9:
        return hs::reverse(hs::concat(
            hs::push(hs::pull(b_)),
            hs::permute_bijective(hs::size(p), [=](auto i) { return (i + by) % hs::size(p); }, p)));
      case 7: return hs::imap([by](auto i, auto x) { return x * by + i; }, hs::push(p));
      default:
        return hs::push_many<3>(hs::size(p), 3 * hs::size(p), [=](auto i) {
          const auto x = p(i);
          return std::tuple{std::pair{3 * i + 2, x}, std::pair{3 * i, -x},
                            std::pair{3 * i + 1, x * by}};
        });
    }
  }

  std::mt19937 random_;
  Acc<Vector<Index>> a_, b_;
  std::size_t forces_ = 0;
};

class RandomPullsAndPushes : public hasten_test::OnEveryDevice {};

TEST_P(RandomPullsAndPushes, AKernelForEachForce) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::size_t forces = 0;
    const auto program = [&](Acc<Vector<Index>> a, Acc<Vector<Index>> b) {
      Maker maker(seed, std::move(a), std::move(b));
      const auto result = maker.made();
      forces = maker.forces();
      return result;
    };
    const auto f = hs::compile(program, GetParam());
    const auto expected = hs::compile(program, {.target = hs::interpreter()});
    if (GetParam().target.name() != "interpreter") {
      EXPECT_EQ(f.kernel_count(), forces) << f.explain();
    }
    for (const Index n : {0, 1, 101}) {
      const auto a = hasten_test::vector_of(hasten_test::numbers<Index>(n, 2));
      const auto b = hasten_test::vector_of(hasten_test::numbers<Index>(n + n / 3, 40));
      EXPECT_EQ(f(a, b), expected(a, b)) << n << " elements";
    }
  }
}

HASTEN_ON_EVERY_DEVICE(RandomPullsAndPushes);

}  // namespace
