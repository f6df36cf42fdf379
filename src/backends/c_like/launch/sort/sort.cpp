// Devices differ in how they sort, and callers see no difference.
#include "backends/c_like/launch/sort/sort.hpp"

#include "backends/c_like/launch/sort/work.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>

namespace hasten::backends::c_like {

Sorter::Sorter(Driver& driver) : driver_(driver) {
  for (const SortProgram& program : driver.sort_method().programs())
    programs_.emplace_back(driver, program.name, program.text);
}

void Sorter::keep_code_in(const std::shared_ptr<const CodeStore>& store) {
  for (CommonProgram& program : programs_) program.keep_code_in(store);
}

Program& Sorter::program(std::string_view name) {
  const auto found = std::ranges::find(programs_, name, &CommonProgram::name);
  if (found == programs_.end()) throw InternalError("no sort has such a program");
  return found->get();
}

void Sorter::sort(SortShape shape, std::span<const core::ScalarType> types,
                  std::span<const std::byte* const> keys, const SortedKeys& to,
                  ScratchMemory& scratch) {
  if (shape.rows == 0 || shape.size == 0) return;
  driver_.sort_method().sort({driver_, *this, shape, scratch}, types, keys, to);
}

void Sorter::sort_short(Driver& driver, std::int64_t size, unsigned bits, Address keys,
                        Address positions, ScratchMemory& scratch) {
  if (size == 0) return;
  driver.sort_method().sort_short({driver, *this, {1, size}, scratch}, bits, keys, positions);
}

}  // namespace hasten::backends::c_like
