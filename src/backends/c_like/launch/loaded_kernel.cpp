// The first user makes a program; others who need the same one wait for that program only.
#include "backends/c_like/launch/loaded_kernel.hpp"

#include "kernels/stages.hpp"

#include <system_error>
#include <thread>
#include <vector>

namespace hasten::backends::c_like {

LoadedKernel::LoadedKernel(const kernels::Kernel& kernel, LaunchFacts facts, const Dialect& dialect,
                           FirstModule first, Make make, std::shared_ptr<support::StopWord> quiet)
    : kernel_(kernel),
      facts_(std::move(facts)),
      dialect_(dialect),
      folds_rows_(kernels::has_row_reductions(kernel)),
      first_module_(std::move(first.name)),
      make_(std::move(make)),
      quiet_(std::move(quiet)) {
  slot(IndexWidth::narrow, first_module_).program = std::move(first.program);
}

LoadedKernel::Slot& LoadedKernel::slot(IndexWidth width, std::string_view module) const {
  const std::lock_guard lock(mutex_);
  return slots_[{width, module}];
}

Program& LoadedKernel::program(IndexWidth width, std::string_view function) const {
  const std::string_view module = module_of(dialect_, function);
  Slot& slot = this->slot(width, module);
  const std::lock_guard lock(slot.mutex);
  if (!slot.program) slot.program = make_(width, module);
  return *slot.program;
}

void LoadedKernel::prepare(IndexWidth width, std::span<const std::string_view> functions) const {
  if (!dialect_.module_per_function) return;  // they are one module
  const auto make = [&](std::string_view function) noexcept {
    try {
      static_cast<void>(program(width, function));
    } catch (...) {  // its user tries again
    }
  };
  std::vector<std::string_view> missing;
  for (const std::string_view function : functions) {
    Slot& slot = this->slot(width, function);
    const std::lock_guard lock(slot.mutex);
    if (!slot.program) missing.push_back(function);
  }
  if (missing.size() < 2) return;  // the launch makes it
  std::vector<std::jthread> others;
  try {
    for (std::size_t i = 1; i < missing.size(); ++i) others.emplace_back(make, missing[i]);
  } catch (const std::system_error&) {  // no more threads: one after the other
  }
  make(missing.front());
}

}  // namespace hasten::backends::c_like
