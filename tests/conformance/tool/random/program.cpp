// Generates, prints, builds and checks random whole programs.
#include "tests/conformance/tool/random/program.hpp"

#include "core/print.hpp"
#include "surface/sharing.hpp"
#include "tests/conformance/tool/random/operations.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>

namespace hasten::conformance {
namespace {

using namespace random;

constexpr std::size_t most_leaves = 6, most_results = 3;

std::vector<Scope::ArrayParam> params() {
  const auto leaf = [](ScalarType type) { return detail::leaf_type(type); };
  return {{leaf(ScalarType::i32), 1},
          {leaf(ScalarType::f32), 2},
          {tuple_of({ScalarType::f64, ScalarType::u8}), 1},
          {leaf(ScalarType::u16), 3},
          {tuple_of({ScalarType::i64, ScalarType::boolean}), 2},
          {leaf(ScalarType::f64), 0},
          {tuple_of({ScalarType::u32, ScalarType::u32}), 1},
          {tuple_of({ScalarType::f16, ScalarType::c64}), 2},
          {leaf(ScalarType::i8), 4},
          {leaf(ScalarType::bf16), 1}};
}

std::int64_t largest_size_of(unsigned rank) {
  std::int64_t size = 1;
  for (unsigned k = 0; k < rank; ++k) size *= rank == 1 ? largest_length : largest_extent;
  return rank == 4 ? 256 : size;
}

/// Adds the arrays that a step makes, if it fits.
void apply(Context& context, const Step& step) {
  const auto pick = [&](std::uint32_t back) {
    return context.arrays[context.arrays.size() - 1 - back % context.arrays.size()];
  };
  const Sized a = pick(step.source), b = pick(step.other);
  for (Sized& made : operations()[step.operation % operations().size()].apply(context, step, a, b))
    if (made.size <= largest_size && detail::type_of(made.term)->leaves.size() <= most_leaves &&
        detail::rank_of(made.term) <= 4)
      context.arrays.push_back(std::move(made));
}

rc::Gen<Step> random_step() {
  Grammar grammar;
  grammar.types = {ScalarType::boolean, ScalarType::i32, ScalarType::i64, ScalarType::u8,
                   ScalarType::u16,     ScalarType::f16, ScalarType::f32, ScalarType::f64};
  grammar.depth = 2;
  grammar.bits_of_floats = false;
  const auto below = [](std::size_t end) {  // over the whole range, whatever RapidCheck's size is
    return rc::gen::resize(rc::kNominalSize,
                           rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(end)));
  };
  return rc::gen::build<Step>(
      rc::gen::set(&Step::operation, below(operations().size())),
      rc::gen::set(&Step::source, below(params().size())),
      rc::gen::set(&Step::other, below(params().size())), rc::gen::set(&Step::number, below(36)),
      rc::gen::set(&Step::function, rc::gen::resize(16, expressions(grammar))));
}

bool reads_anywhere(const Step& step) {
  const Operation& operation = operations()[step.operation % operations().size()];
  return std::ranges::any_of(read_operations(),
                             [&](const Operation& each) { return each.apply == operation.apply; });
}

/// Every fourth program checks its reads, if none can be out of range: targets choose which of
/// several errors they report.
bool checks_bounds(const std::vector<Step>& steps) {
  return !steps.empty() && steps.back().number % 4 == 1 && !reads_out_of_range(steps);
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Step& step) {
  return out << operations()[step.operation % operations().size()].name << " of " << step.source
             << " and " << step.other << " back, number " << step.number << ", function "
             << step.function;
}

rc::Gen<std::vector<Step>> random_steps() {
  // Up to a dozen steps; the list grows with RapidCheck's size.
  return rc::gen::resize(12, rc::gen::container<std::vector<Step>>(random_step()));
}

bool reads_out_of_range(const std::vector<Step>& steps) {
  return std::ranges::any_of(steps, reads_anywhere);
}

Program build(const std::vector<Step>& steps) {
  const auto where = detail::Where::current();
  detail::Traced traced;
  traced.array_params = params();
  traced.scalar_params = {detail::leaf_type(ScalarType::i64), detail::leaf_type(ScalarType::f32)};
  traced.where = where;
  Scope scope(traced.array_params, traced.scalar_params);
  const std::size_t arrays = traced.array_params.size();
  Context context{{}, scope.param(arrays), scope.param(arrays + 1), where};
  for (std::size_t i = 0; i < arrays; ++i)
    context.arrays.push_back({scope.param(i), largest_size_of(traced.array_params[i].rank)});
  for (const Step& step : steps) apply(context, step);
  Terms results;
  for (std::size_t i = 0; i < most_results; ++i)
    results.push_back(context.arrays[context.arrays.size() - 1 - i].term);
  traced.fn = scope.close(std::move(results), "program", where);
  return {"a random program", std::move(traced)};
}

Inputs inputs_for(const Program& program, std::uint64_t seed) {
  constexpr std::int64_t lengths[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65};
  Inputs inputs;
  std::uint64_t state = seed;
  const auto below = [&](std::uint64_t n) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33) % n;
  };
  for (const Scope::ArrayParam& param : program.traced.array_params) {
    Shape shape(param.rank);
    for (std::int64_t& extent : shape) {
      extent = static_cast<std::int64_t>(below(param.rank == 4 ? 5 : largest_extent + 1));
      if (param.rank == 1 && seed % 2 == 0) extent = lengths[below(std::size(lengths))];
    }
    inputs.arrays.push_back(random_array(param.type->leaves, shape, ++state));
  }
  inputs.scalars.push_back({below(6), 0});
  inputs.scalars.push_back(
      {std::bit_cast<std::uint32_t>(static_cast<float>(below(9)) / 2.0F - 2.0F), 0});
  return inputs;
}

std::optional<std::string> disagreement(const std::vector<Step>& steps, const Options& target) {
  const Program program = build(steps);
  Options options = target;
  if (checks_bounds(steps)) options.checks = options.checks | Checks::bounds;
  const Comparison comparison(program, options);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const testing::AssertionResult result = comparison.agrees_on(inputs_for(program, seed));
    if (!result) return "inputs " + std::to_string(seed) + ": " + result.message();
  }
  return std::nullopt;
}

std::string describe(const std::vector<Step>& steps) {
  std::ostringstream out;
  for (const Step& step : steps) out << step << "\n";
  if (checks_bounds(steps)) out << "with Checks::bounds\n";
  out << core::print(detail::recover_sharing(build(steps).traced));
  return out.str();
}

}  // namespace hasten::conformance
