// Finds the reads by one walk over the loop's code, and keeps their blocks on the stack.
#include "backends/cpu/emit/rows/private_rows.hpp"

#include "core/scalar_ops.hpp"
#include "core/traverse.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace hasten::backends::cpu {

using namespace core;
using V = llvm::Value*;

namespace {

constexpr std::int64_t block_bytes =
    16384;  // of all blocks of a loop: they stay in the first cache
constexpr std::int64_t steps_unit = 16;

// How a value changes from one step to the next.
enum class Moves : std::uint8_t { still, by_one, other };

class Movement {
 public:
  Movement(const HoistingLevels& places, const Region& body, Value step, RowLoopOf kind)
      : places_(places),
        knows_all_(kind == RowLoopOf::reduction_here || kind == RowLoopOf::while_here) {
    for (Value param : body.params)
      known_[param] = kind == RowLoopOf::while_here ? Moves::other : Moves::still;
    known_[step] = Moves::by_one;
  }

  // A value that the loop does not define is still if it has been emitted when blocks are read.
  [[nodiscard]] Moves operator[](Value v) const {
    const auto found = known_.find(v);
    if (found != known_.end()) return found->second;
    return knows_all_ || places_[v].level <= lane_level ? Moves::still : Moves::other;
  }

  // Whether the statement can run at the first step.
  bool step_over(const Stmt& stmt) {
    Moves moves = Moves::other;
    if (std::holds_alternative<Constant>(stmt.op)) moves = Moves::still;
    if (const auto* prim = std::get_if<Prim>(&stmt.op)) moves = of_prim(*prim);
    for (Value v : stmt.results) known_[v] = moves;
    return moves != Moves::other;
  }

 private:
  [[nodiscard]] Moves of_prim(const Prim& prim) const {
    const auto is = [&](std::size_t i, Moves moves) { return (*this)[prim.args[i]] == moves; };
    const bool all_still = std::all_of(prim.args.begin(), prim.args.end(),
                                       [&](Value v) { return (*this)[v] == Moves::still; });
    if (all_still && !row(prim.op).partial) return Moves::still;
    const bool sum = prim.op == ScalarOp::add && is(0, Moves::still) && is(1, Moves::by_one);
    const bool rest = (prim.op == ScalarOp::add || prim.op == ScalarOp::sub) &&
                      is(0, Moves::by_one) && is(1, Moves::still);
    return sum || rest ? Moves::by_one : Moves::other;
  }

  const HoistingLevels& places_;
  const bool knows_all_;
  std::map<Value, Moves> known_;
};

// Both parts of a complex number are read at one index.
void drop_repeated(std::vector<const LoadLinear*>& reads) {
  std::set<std::pair<std::uint32_t, Value>> seen;
  std::erase_if(reads,
                [&](const LoadLinear* l) { return !seen.emplace(l->array, l->index).second; });
}

std::int64_t bytes_of(ScalarType type) {
  return static_cast<std::int64_t>(detail::size_in_bytes(type));
}

// `bytes`: those of one element of each array together.
std::int64_t steps_of_block(const LaneCode& code, std::int64_t bytes) {
  const std::int64_t steps = block_bytes / (code.lanes() * bytes);
  return std::max<std::int64_t>(1, steps / steps_unit) * steps_unit;
}

llvm::AllocaInst* block_of(LaneCode& code, llvm::Type* element, std::int64_t columns) {
  auto* vector = llvm::FixedVectorType::get(element, code.lanes());
  llvm::AllocaInst* slot =
      code.stack_slot(llvm::ArrayType::get(vector, static_cast<std::uint64_t>(columns)));
  slot->setAlignment(llvm::Align(64));
  return slot;
}

}  // namespace

// Reads under conditions might be of elements that do not exist.
RowReads find_row_reads(const HoistingLevels& places, const Region& body, Value step,
                        RowLoopOf kind) {
  RowReads found;
  Movement moves(places, body, step, kind);
  for (const Stmt& stmt : body.body) {
    const auto* load = std::get_if<LoadLinear>(&stmt.op);
    const bool of_rows = load && moves[load->index] == Moves::by_one &&
                         places[load->index].spread == Spread::varying;
    if (of_rows) found.reads.push_back(load);
    const bool is_inside = kind != RowLoopOf::element || places[stmt.results[0]].level > lane_level;
    if (is_inside && moves.step_over(stmt)) found.indices.push_back(&stmt);
  }
  return found;
}

PrivateRows::PrivateRows(const KernelModule& module, LaneCode& code, const Region& body, Value step,
                         RowLoopOf kind)
    : module_(module),
      code_(code),
      step_(step),
      kind_(kind) {
  if (code.lanes() == 1) return;
  rows_ = find_row_reads(code.hoisting, body, step, kind);
  drop_repeated(rows_.reads);
  std::erase_if(rows_.reads, [&](const LoadLinear* read) {
    return std::ranges::any_of(code.kept_reads, [&](const KeptRead& kept) {
      return kept.array == read->array && kept.index == read->index;
    });
  });
  if (!found()) return;
  std::int64_t bytes = 0;
  for (const LoadLinear* read : rows_.reads) bytes += bytes_of(module.kernel.inputs[read->array]);
  steps_max_ = steps_of_block(code, bytes);
  for (const LoadLinear* read : rows_.reads) {
    const auto [type, parts] = elements(*read);
    blocks_.push_back(block_of(code, type, steps_max_ * parts));
  }
}

PrivateRows::~PrivateRows() {
  std::erase_if(code_.kept_reads, [&](const KeptRead& kept) {
    return std::ranges::find(blocks_, kept.block) != blocks_.end();
  });
}

PrivateRows::Elements PrivateRows::elements(const LoadLinear& read) const {
  const ScalarType type = code_.kernel().inputs[read.array];
  const bool complex = detail::is_complex(type);
  return {memory_type(code_.b.getContext(), detail::part_of(type)), complex ? 2 : 1};
}

void PrivateRows::read(const Lanes& first, V count, V rows) {
  code_.set(step_, first);
  V begin = code_.first_lane(step_);
  for (const Stmt* stmt : rows_.indices) code_.run(*stmt);
  for (std::size_t i = 0; i < rows_.reads.size(); ++i) {
    const auto* index = std::get_if<Affine>(&code_.get(rows_.reads[i]->index));
    // In a reduction or an element rows so near are blocks of their own form.
    const bool is_near = kind_ == RowLoopOf::while_here && index && code_.reads_near(*index);
    if (!index || is_near) continue;
    turn(*rows_.reads[i], *index, count, rows, blocks_[i]);
    code_.kept_reads.push_back({rows_.reads[i]->array, rows_.reads[i]->index, step_, begin,
                                code_.b.CreateAdd(begin, count), blocks_[i]});
  }
}

void PrivateRows::turn(const LoadLinear& read, const Affine& index, V count, V rows, V out) {
  auto& b = code_.b;
  const auto [type, parts] = elements(read);
  const auto in_parts = [&](V x) { return b.CreateMul(x, code_.i64(parts)); };
  V base = b.CreateGEP(type, code_.input(read.array), in_parts(index.base));
  const unsigned bits = type->getScalarSizeInBits();
  V next = next_block(index.step, count, b.CreateMul(in_parts(rows), code_.i64(bits / 8)));
  b.CreateCall(turn_function(module_, Turn::to_columns, bits, code_.lanes()),
               {base, in_parts(index.step), in_parts(count), rows, out, next});
}

// Rows that are read piece by piece are no stream that the hardware recognises: where the launch
// reads from memory, what follows the block is prefetched, or, for longer rows, what follows each
// piece.
V PrivateRows::next_block(V step, V count, V column_bytes) {
  auto& b = code_.b;
  llvm::Function* function = b.GetInsertBlock()->getParent();
  V flag = b.CreateAnd(function->getArg(6), code_.i64(run_ahead));
  V next =
      b.CreateSelect(b.CreateICmpEQ(step, count), b.CreateMul(column_bytes, count), code_.i64(-1));
  return b.CreateSelect(b.CreateICmpNE(flag, code_.i64(0)), next, code_.i64(0));
}

std::vector<std::unique_ptr<PrivateRows>> rows_of_reductions(const KernelModule& module,
                                                             LaneCode& code, const Region& element,
                                                             V on) {
  auto& b = code.b;
  std::vector<std::unique_ptr<PrivateRows>> all;
  for (const Stmt& stmt : element.body) {
    const auto* reduce = std::get_if<Reduce>(&stmt.op);
    const auto is_known = [&](Value v) {
      return code.hoisting[v].level <= lane_level && !code.hoisting.varying(v);
    };
    if (!reduce || code.hoisting[stmt.results[0]].level <= lane_level || !is_known(reduce->begin) ||
        !is_known(reduce->end))
      continue;
    auto rows = std::make_unique<PrivateRows>(module, code, reduce->element,
                                              reduce->element.params[0], RowLoopOf::reduction);
    if (!rows->found()) continue;
    V begin = code.scalar(reduce->begin);
    V count =
        b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateSub(code.scalar(reduce->end), begin),
                                code.i64(rows->steps_max()));
    rows->read(Uniform{begin}, count, on);
    all.push_back(std::move(rows));
  }
  return all;
}

RowWrites::RowWrites(const KernelModule& module, LaneCode& code, std::size_t first)
    : module_(module),
      code_(code) {
  const auto& outputs = module.kernel.outputs;
  std::vector<std::size_t> rows;
  std::int64_t bytes = 0;
  for (std::size_t i = first; i < outputs.size(); ++i) {
    if (detail::is_complex(outputs[i])) continue;
    rows.push_back(i);
    bytes += bytes_of(outputs[i]);
  }
  if (rows.empty()) return;
  steps_max_ = steps_of_block(code, bytes);
  for (const std::size_t i : rows)
    blocks_[i] = block_of(code, memory_type(code.b.getContext(), outputs[i]), steps_max_);
}

bool RowWrites::collect(std::size_t output, V step, V value) {
  const auto block = blocks_.find(output);
  if (block == blocks_.end()) return false;
  V x = code_.to_memory(module_.kernel.outputs[output], value);
  code_.b.CreateStore(x, code_.b.CreateGEP(x->getType(), block->second, step));
  return true;
}

void RowWrites::write(V place, V length, V count, V rows) {
  auto& b = code_.b;
  for (const auto& [output, block] : blocks_) {
    llvm::Type* element = memory_type(b.getContext(), module_.kernel.outputs[output]);
    llvm::Function* turn =
        turn_function(module_, Turn::to_rows, element->getScalarSizeInBits(), code_.lanes());
    V to = b.CreateGEP(element, code_.output(output), place);
    b.CreateCall(turn, {block, length, count, rows, to, code_.i64(0)});
  }
}

}  // namespace hasten::backends::cpu
