// The first thread that has made a form publishes it.
#include "backends/cpu/launch/run_functions.hpp"

#include <hasten/run/error.hpp>

#include <utility>

namespace hasten::backends::cpu {

RunFunctions::RunFunctions(const std::array<RunFunction, form_count>& known, MakeForm make)
    : known_(known),
      make_(std::move(make)) {}

RunFunctions::~RunFunctions() {
  for (const auto& made : made_) delete made.load(std::memory_order_acquire);
}

RunFunction RunFunctions::of(Form form) const {
  const std::size_t number = number_of(form);
  if (known_[number]) return known_[number];
  std::atomic<const FormCode*>& made = made_[number];
  if (const FormCode* there = made.load(std::memory_order_acquire)) return there->run;
  if (!make_) throw InternalError("a kernel was linked without a form that its launch calls for");
  auto own = std::make_unique<const FormCode>(make_(form));
  const FormCode* before = nullptr;
  if (!made.compare_exchange_strong(before, own.get(), std::memory_order_acq_rel))
    return before->run;
  return own.release()->run;
}

}  // namespace hasten::backends::cpu
