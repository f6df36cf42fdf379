// Properties of scans: order, seeds, every length, every rank.
#include "tests/conformance/tool/operators.hpp"

namespace hasten::conformance {
namespace {

class Scans : public OnTarget {};
HASTEN_CONFORMANCE_SUITE(Scans);

template <class T, std::size_t N, class F>
void sweep_scans(const Options& target, const std::string& name, F f, const Sweep& how = {}) {
  using A = Acc<Array<T, N>>;
  using Z = Acc<Scalar<T>>;
  const std::string of = " by " + name + " of " + type_name<T>() + " rank " + std::to_string(N);
  sweep(target, program("scanl" + of, [&](A a, Z z) { return scanl(f, the(z), a); }), how);
  sweep(target, program("scanr" + of, [&](A a, Z z) { return scanr(f, the(z), a); }), how);
  sweep(target, program("scanl1" + of, [&](A a) { return scanl1(f, a); }), how);
  sweep(target, program("scanr1" + of, [&](A a) { return scanr1(f, a); }), how);
}

/// Scans that are built from other scans.
template <class T, std::size_t N, class F>
void sweep_parts(const Options& target, const std::string& name, F f, const Sweep& how = {}) {
  using A = Acc<Array<T, N>>;
  using Z = Acc<Scalar<T>>;
  const std::string of = " by " + name + " of " + type_name<T>() + " rank " + std::to_string(N);
  sweep(
      target,
      program("prescans" + of,
              [&](A a, Z z) { return std::pair{prescanl(f, the(z), a), prescanr(f, the(z), a)}; }),
      how);
  sweep(target,
        program(
            "postscans" + of,
            [&](A a, Z z) { return std::pair{postscanl(f, the(z), a), postscanr(f, the(z), a)}; }),
        how);
  sweep(target,
        program("split scans" + of,
                [&](A a, Z z) {
                  return std::pair{scanl_split(f, the(z), a), scanr_split(f, the(z), a)};
                }),
        how);
}

TEST_P(Scans, AffineMaps) {
  using T = Affine<std::uint32_t>;
  sweep_scans<T, 1>(GetParam(), "compose", compose, {.large = true});
  sweep_scans<T, 2>(GetParam(), "compose", compose, {.large = true});
  sweep_scans<Affine<std::int64_t>, 3>(GetParam(), "compose", compose, {.large = true});
  sweep_scans<Affine<std::uint8_t>, 4>(GetParam(), "compose", compose);
}

TEST_P(Scans, MatrixProducts) {
  sweep_scans<Square<std::int32_t>, 1>(GetParam(), "multiply", multiply, {.large = true});
  sweep_scans<Square<std::uint16_t>, 2>(GetParam(), "multiply", multiply);
}

TEST_P(Scans, LastAndHeaviest) {
  sweep_scans<bool, 1>(GetParam(), "last", last);
  sweep_scans<Mixed, 2>(GetParam(), "first", first);
  sweep_scans<Particle, 1>(GetParam(), "heavier", heavier);
}

TEST_P(Scans, SumsAndExtrema) {
  for_types(List<std::int8_t, std::int32_t, std::uint64_t, float, double>{},
            [&]<class T>(std::type_identity<T>) {
              const Sweep how{.data = Data::tame, .large = true};
              sweep_scans<T, 1>(GetParam(), "+", std::plus<>{}, how);
              sweep_scans<T, 2>(GetParam(), "max",
                                [](const auto& x, const auto& y) { return max(x, y); });
            });
}

TEST_P(Scans, PartsOfThem) {
  sweep_parts<Affine<std::uint32_t>, 1>(GetParam(), "compose", compose, {.large = true});
  sweep_parts<Square<std::int32_t>, 2>(GetParam(), "multiply", multiply);
  sweep_parts<Affine<std::int64_t>, 3>(GetParam(), "compose", compose);
}

TEST_P(Scans, OnOtherAxes) {
  using T = Affine<std::uint32_t>;
  using A = Acc<Array<T, 3>>;
  using Z = Acc<Scalar<T>>;
  const auto with_seed = [](A a, Z z) {
    return std::tuple{scanl_on<0>(compose, the(z), a), scanr_on<1>(compose, the(z), a),
                      prescanl_on<1>(compose, the(z), a), postscanr_on<0>(compose, the(z), a)};
  };
  sweep(GetParam(), program("scans on axes", with_seed));
  const auto without = [](A a) {
    return std::tuple{scanl1_on<0>(compose, a), scanr1_on<1>(compose, a),
                      scanl1_on<-1>(compose, a)};
  };
  sweep(GetParam(), program("scans without seed on axes", without), {.large = true});
}

TEST_P(Scans, WithNeighbours) {
  using T = std::int32_t;
  const auto rows = [](auto a) { return scanl1(std::plus<>{}, a); };
  sweep_with_neighbours<T, 1>(GetParam(), "scanl1", rows, {.large = true});
  sweep_with_neighbours<T, 2>(GetParam(), "scanl1 of rows", rows, {.large = true});
  const auto columns = [](auto a) { return scanr(std::plus<>{}, 5, transpose(a)); };
  sweep_with_neighbours<T, 2>(GetParam(), "scanr of columns", columns);
}

}  // namespace
}  // namespace hasten::conformance
