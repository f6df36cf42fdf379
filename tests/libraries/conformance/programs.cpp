// The exporter and the caller make the same list of programs.
#include "tests/libraries/conformance/programs.hpp"

#include "tests/conformance/tool/random/grid.hpp"

#include <utility>

namespace hasten::conformance {
namespace {

constexpr std::uint64_t random_programs = 300, random_on_device = 12;

// Longer than one tile: several tasks share the elements.
constexpr std::int64_t long_vector = 65'537;

Exported of_cell(const random::Cell& cell, Program program) {
  std::vector<Shape> shapes = shapes_of_rank(cell.rank);
  if (cell.rank == 1) shapes.push_back({long_vector});
  Exported made{{}, std::move(program), {}, {}};
  for (std::size_t i = 0; i < shapes.size(); ++i)
    made.inputs.push_back(random::inputs_of(cell, shapes, i));
  return made;
}

// Appends a cell at the first rank from `begin` on that fits.
void append_cell(const random::Operation& operation, std::size_t type, std::size_t begin,
                 std::vector<Exported>& to) {
  const std::vector<random::Cell> cells = random::cells_of(operation);
  constexpr std::size_t ranks = 5;
  for (std::size_t k = 0; k < ranks; ++k) {
    const random::Cell& cell = cells[type * ranks + (begin + k) % ranks];
    std::optional<Program> program = random::program_of(cell);
    if (!program) continue;
    to.push_back(of_cell(cell, std::move(*program)));
    return;
  }
}

void append_random(std::uint64_t seed, std::vector<Exported>& to) {
  const std::vector<Step> steps =
      random_steps()(rc::Random(seed), 2 + static_cast<int>(seed % 11)).value();
  Exported made{{}, build(steps), {}, {}};
  if (seed % 4 == 0) made.options.determinism = Determinism::everywhere;
  if (seed % 4 == 1 && !reads_out_of_range(steps))  // both at once cannot tell their errors apart
    made.options.checks = seed % 8 == 1 ? Checks::bounds : Checks::arithmetic;
  for (std::uint64_t inputs = 1; inputs <= 4; ++inputs)
    made.inputs.push_back(inputs_for(made.program, inputs));
  to.push_back(std::move(made));
}

}  // namespace

std::vector<Exported> exported_programs(const Target& target) {
  std::vector<Exported> programs;
  const auto& operations = random::operations();
  const bool is_whole = target.name() == cpu().name();
  for (std::size_t row = 0; row < operations.size(); ++row) {
    const std::size_t types = random::cells_of(operations[row]).size() / 5;
    for (std::size_t type = 0; type < types; ++type)
      if (is_whole || type == row % types) append_cell(operations[row], type, row + type, programs);
  }
  for (std::uint64_t seed = 0; seed < (is_whole ? random_programs : random_on_device); ++seed)
    append_random(seed, programs);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    programs[i].entry = "p" + std::to_string(i);
    programs[i].options.target = target;
  }
  return programs;
}

}  // namespace hasten::conformance
