// A map that chooses components, and a fold of all axes.
#include "passes/checks/flags.hpp"

namespace hasten::passes {

using namespace core;

ArrayId components(Program& program, BlockWriter& writer, ArrayId array, std::size_t first,
                   std::size_t count) {
  const ArrayType type = program.array_types[array];
  RegionWriter code(program);
  const std::vector<Value> all = code.parameters(type.leaves);
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  ArrayType chosen{type.rank,
                   {type.leaves.begin() + static_cast<std::ptrdiff_t>(first),
                    type.leaves.begin() + static_cast<std::ptrdiff_t>(first + count)}};
  return writer.add(std::move(chosen),
                    Map{code.take({begin, begin + static_cast<std::ptrdiff_t>(count)}), array});
}

Value none_holds(Program& program, BlockWriter& writer, ArrayId flags) {
  const std::uint32_t rank = program.array_types[flags].rank;
  if (rank > 0) {
    RegionWriter code(program);
    const std::vector<Value> sides = code.parameters({boolean, boolean});
    const Value any = code.prim(ScalarOp::or_, boolean, sides);
    const Value seed = writer.host(boolean, Constant{{}, none});
    flags = writer.add({0, {boolean}}, Fold{code.take({any}), {seed}, flags, rank});
  }
  const Value failed = writer.host(boolean, Load{flags, 0, {}});
  return writer.host(boolean, Prim{ScalarOp::not_, {failed}});
}

}  // namespace hasten::passes
