// Exports the conformance suite's programs for this machine's level: code of other levels might not
// run, or might have other bits than those compared.
#include "backends/cpu/machine/levels.hpp"
#include "tests/libraries/conformance/programs.hpp"

#include <cstring>
#include <vector>

namespace {

using namespace hasten;
using conformance::Exported;

detail::LibraryEntry entry_of(const Exported& exported) {
  const detail::Traced& traced = exported.program.traced;
  detail::LibraryEntry entry;
  entry.name = exported.entry;
  entry.options = exported.options;
  auto& [parameters, results] = entry.interface;
  for (std::size_t i = 0; i < traced.array_params.size(); ++i)
    parameters.push_back(detail::library_array(
        traced.array_params[i].type, traced.array_params[i].rank, "a" + std::to_string(i)));
  for (std::size_t i = 0; i < traced.scalar_params.size(); ++i)
    detail::append_numbers(traced.scalar_params[i], "n" + std::to_string(i), parameters);
  for (std::size_t i = 0; i < traced.fn.results.size(); ++i) {
    const detail::Term& result = traced.fn.results[i];
    results.push_back(detail::library_array(detail::type_of(result), detail::rank_of(result),
                                            "r" + std::to_string(i)));
  }
  entry.compile = [traced](const Options& how) {
    detail::Traced with = traced;
    with.options = how;
    return detail::compile_program(with);
  };
  return entry;
}

}  // namespace

int main(int argc, char** argv) {
  Library library(HASTEN_TEST_LIBRARY);
  for (const Exported& exported : conformance::exported_programs(HASTEN_TEST_TARGET))
    library.add(entry_of(exported));
  std::vector<char*> arguments(argv, argv + argc);
  std::string level = name_of(backends::cpu::level_of_processor());
  for (std::size_t i = 1; i < arguments.size(); ++i)
    if (std::strcmp(arguments[i - 1], "--levels") == 0) arguments[i] = level.data();
  return export_main(static_cast<int>(arguments.size()), arguments.data(), library);
}
