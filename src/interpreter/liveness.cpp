// Walks each block backward: the first use found is the last one to run.
#include "interpreter/liveness.hpp"

#include "core/traverse.hpp"

namespace hasten::interp {

using core::ArrayId;
using core::Value;

Liveness::Liveness(const core::Program& program)
    : home_(program.array_types.size()),
      used_(program.array_types.size()) {
  analyse(program.body);
}

void Liveness::analyse(const core::Block& block) {
  for (ArrayId a : block.params) home_[a] = &block;
  for (const core::Binding& binding : block.bindings)
    for (ArrayId a : binding.results) home_[a] = &block;
  for (ArrayId a : block.results) used_[a] = true;

  Deaths deaths(block.bindings.size());
  for (std::size_t i = block.bindings.size(); i-- > 0;) {
    const core::Binding& binding = block.bindings[i];
    const auto use = [&](ArrayId a) {
      if (home_[a] == &block && !used_[a]) deaths[i].push_back(a);
      if (home_[a] == &block) used_[a] = true;
    };
    core::for_each_use(binding, [](Value) {}, use);
    for (ArrayId a : binding.results) use(a);
    core::visit_blocks(binding.op, [&](const core::Block& inner) { analyse(inner); });
  }
  deaths_.emplace(&block, std::move(deaths));
}

}  // namespace hasten::interp
