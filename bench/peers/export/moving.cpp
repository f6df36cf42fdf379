// Programs that move elements: scans, choosing, sorting, scattering, gathering, transforms.
#include "../../../examples/programs/pull_push.hpp"
#include "../../ours/programs.hpp"
#include "entries.hpp"

#include <complex>
#include <tuple>

namespace bench::peers {
namespace {

using Complex = std::complex<float>;
constexpr int64_t transform_size = 1 << 18;

Acc<Vector<float>> gathered(Acc<Vector<float>> x, Acc<Vector<int32_t>> from) {
  return hs::map([=](auto i) { return x[i]; }, from);
}

// The keys are 0, 1, 2 and 3.
std::tuple<Acc<Vector<float>>, Acc<Vector<int64_t>>> four_groups(Acc<Vector<int32_t>> keys,
                                                                 Acc<Vector<float>> x) {
  return {sums_by_place(Exp<int64_t>(4), keys, x), counts(Exp<int64_t>(4), keys)};
}

// Compressed rows; there is one more offset than there are rows.
Acc<Vector<float>> sparse_product(Acc<Vector<int32_t>> offsets, Acc<Vector<int32_t>> columns,
                                  Acc<Vector<float>> values, Acc<Vector<float>> x) {
  auto products =
      hs::zip_with([=](auto column, auto value) { return value * x[column]; }, columns, values);
  return hs::fold_seg_offsets(std::plus<>{}, 0.0f, products, offsets);
}

Acc<Vector<Complex>> transform(Acc<Vector<Complex>> x) {
  return ::programs::wide_butterflies(transform_size, x);
}

}  // namespace

void add_moving(hs::Library& library) {
  library.entry("scan", sums, {}, fast())
      .entry("filter", positive, {}, fast())
      .entry("segmented_sum", segment_sums, {}, fast())
      .entry("histogram", counts, {}, fast())
      .entry("sort", ascending, {}, fast())
      .entry("permute", permuted, {}, fast())
      .entry("gather", gathered, {}, fast())
      .entry("scatter_add", sums_by_place, {}, fast())
      .entry("four_groups", four_groups, {}, fast())
      .entry("sparse_product", sparse_product, {}, fast())
      .entry("transform", transform, {}, fast());
}

}  // namespace bench::peers
