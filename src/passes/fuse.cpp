// One walk forward for costs, one backward for decisions: consumers before producers.
#include "passes/fuse.hpp"

#include "core/scalar_ops.hpp"
#include "passes/walk.hpp"

#include <algorithm>
#include <map>

namespace hasten::passes {
namespace {

using namespace core;

// Work per element below which an array is computed again rather than stored and loaded.
constexpr int cheap_operations_max = 6;
constexpr int cheap_loads_max = 2;
// Statements inlined into one kernel before a chain is cut: compile time grows faster than speed.
constexpr int kernel_size_max = 1000;
// More evaluation contexts than this are as good as very many.
constexpr std::size_t contexts_max = 4;

struct Work {
  int operations = 0, loads = 0, size = 0;
  bool expensive = false;

  void add(const Work& other) {
    constexpr int bound = 1'000'000;
    operations = std::min(bound, operations + other.operations);
    loads = std::min(bound, loads + other.loads);
    size = std::min(bound, size + other.size);
    expensive |= other.expensive;
  }
  [[nodiscard]] bool cheap() const {
    return !expensive && operations <= cheap_operations_max && loads <= cheap_loads_max;
  }
};

// Where a delayed array is evaluated: in the kernel of array `home`, through the index path
// `path` (0: at the kernel's own index).
struct Context {
  ArrayId home;
  std::uint32_t path;
  bool repeated;  // an element may be evaluated several times
  friend bool operator==(const Context&, const Context&) = default;
};

struct Facts {
  Work own, total;  // own function; with everything it would inline
  const Block* block = nullptr;
  bool linear = false;  // can be read in row-major order without dividing indices
  // demand, filled backwards
  std::vector<Context> contexts;
  bool scattered = false;      // read at computed indices, from another block, or in many contexts
  const char* must = nullptr;  // reason to be in memory
};

bool is_delayable(const ArrayOp& op) {
  return std::holds_alternative<Unit>(op) || std::holds_alternative<Generate>(op) ||
         std::holds_alternative<Map>(op) || std::holds_alternative<ZipWith>(op) ||
         std::holds_alternative<Reshape>(op) || std::holds_alternative<Replicate>(op) ||
         std::holds_alternative<Slice>(op) || std::holds_alternative<Backpermute>(op) ||
         std::holds_alternative<Demand>(op);
}

std::vector<ArrayId> sources_of(const ArrayOp& op) {
  std::vector<ArrayId> sources;
  const bool is_control =
      std::holds_alternative<ArrayIf>(op) || std::holds_alternative<ArrayWhile>(op);
  if (!is_control && !std::holds_alternative<HostScalar>(op))
    visit_operands(op, [](Value) {}, [&](ArrayId a) { sources.push_back(a); });
  return sources;
}

Work work_of(Region& fn) {
  Work work;
  for_each_region(fn, [&](Region& region) {
    for (const Stmt& stmt : region.body) {
      ++work.size;
      if (auto* prim = std::get_if<Prim>(&stmt.op)) {
        ++work.operations;
        work.expensive |= row(prim->op).expensive;
      } else if (std::holds_alternative<Load>(stmt.op) ||
                 std::holds_alternative<LoadLinear>(stmt.op)) {
        ++work.loads;
      } else {
        work.expensive |=
            std::holds_alternative<While>(stmt.op) || std::holds_alternative<ForeignCall>(stmt.op);
      }
    }
  });
  return work;
}

// Every result is its own parameter plus or minus something fixed: no element is read twice.
bool is_injective(const Region& fn) {
  std::map<Value, Value> origin;  // value -> parameter it is a shift (or reflection) of
  for (Value p : fn.params) origin[p] = p;
  for (const Stmt& stmt : fn.body) {
    auto* prim = std::get_if<Prim>(&stmt.op);
    if (!prim || (prim->op != ScalarOp::add && prim->op != ScalarOp::sub)) continue;
    const auto a = origin.find(prim->args[0]), b = origin.find(prim->args[1]);
    if ((a == origin.end()) != (b == origin.end()))
      origin[stmt.results[0]] = a == origin.end() ? b->second : a->second;
  }
  std::vector<Value> used;
  for (Value result : fn.results) {
    auto it = origin.find(result);
    if (it == origin.end()) continue;
    used.push_back(it->second);
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return used.size() == fn.params.size();
}

class Fuser {
 public:
  explicit Fuser(Program& program) : program_(program), facts_(program.array_types.size()) {
    measure(program.body);
    demand_results(program.body, "a result of the program");
    decide(program.body);
  }

 private:
  // -- forward: costs -------------------------------------------------------------------------

  void measure(Block& block) {
    for (ArrayId a : block.params) facts_[a].block = &block, facts_[a].linear = true;
    for (Binding& binding : block.bindings) {
      edit_blocks(binding.op, [&](Block& inner) { measure(inner); });
      for (ArrayId a : binding.results) measure(binding, a, block);
    }
  }

  void measure(Binding& binding, ArrayId a, const Block& block) {
    Facts& facts = facts_[a];
    facts.block = &block;
    if (Region* fn = region_of(binding.op)) facts.own = work_of(*fn);
    ++facts.own.size;
    facts.linear = is_linear(binding.op, a);
    if (!is_delayable(binding.op)) {
      facts.total.loads = static_cast<int>(program_.array_types[a].leaves.size());
      return;
    }
    facts.total = facts.own;
    for (ArrayId source : sources_of(binding.op)) facts.total.add(facts_[source].total);
  }

  bool is_linear(const ArrayOp& op, ArrayId a) const {
    if (!is_delayable(op) || program_.array_types[a].rank <= 1) return true;
    if (std::holds_alternative<Map>(op) || std::holds_alternative<Reshape>(op) ||
        std::holds_alternative<Demand>(op))
      return facts_[sources_of(op)[0]].linear;
    if (auto* zip = std::get_if<ZipWith>(&op))  // of one array with itself, say
      return facts_[zip->sources[0]].linear &&
             std::all_of(zip->sources.begin(), zip->sources.end(),
                         [&](ArrayId s) { return s == zip->sources[0]; });
    return false;
  }

  // -- backward: demand and decisions ---------------------------------------------------------

  void demand_memory(ArrayId a, const char* reason) {
    if (!facts_[a].must) facts_[a].must = reason;
  }

  void demand_results(const Block& block, const char* reason) {
    for (ArrayId a : block.results) demand_memory(a, reason);
  }

  void demand(ArrayId a, const Context& context, const Block& from) {
    Facts& facts = facts_[a];
    if (facts.block != &from) facts.scattered = true;
    auto& contexts = facts.contexts;
    if (std::find(contexts.begin(), contexts.end(), context) != contexts.end()) return;
    if (contexts.size() < contexts_max)
      contexts.push_back(context);
    else
      facts.scattered = true;
  }

  void decide(Block& block) {
    for (auto it = block.bindings.rbegin(); it != block.bindings.rend(); ++it) {
      Binding& binding = *it;
      decide_storage(binding);
      demand_operands(binding, block);
    }
  }

  void decide_storage(Binding& binding) {
    if (binding.results.empty()) return;
    Facts& facts = facts_[binding.results[0]];
    const auto manifest = [&](const char* reason) {
      binding.storage = Storage::manifest;
      binding.reason = reason;
    };
    if (std::holds_alternative<ForeignArrays>(binding.op)) return manifest("made by foreign code");
    if (!is_delayable(binding.op)) return manifest(facts.must ? facts.must : "");
    if (facts.must) return manifest(facts.must);
    const bool cheap = facts.total.cheap();
    if (facts.scattered && !cheap) return manifest("read at computed indices or from a loop");
    if (facts.contexts.size() > 1 && !cheap) return manifest("used in several places");
    if (facts.contexts.size() == 1 && facts.contexts[0].repeated && !cheap)
      return manifest("each element is used many times");
    for (const Context& c : facts.contexts)
      if (sizes_[c.home] + facts.own.size > kernel_size_max)
        return manifest("its consumer's kernel is large enough");
    for (const Context& c : facts.contexts) sizes_[c.home] += facts.own.size;
    binding.storage = Storage::delayed;
  }

  void demand_operands(Binding& binding, Block& block) {
    if (auto* scalar = std::get_if<HostScalar>(&binding.op)) {
      demand_reads(scalar->stmt);
      return;
    }
    demand_control(binding.op);
    if (Region* fn = region_of(binding.op)) demand_reads(*fn, block);
    const ArrayId self = binding.results.empty() ? none : binding.results[0];
    if (binding.storage == Storage::manifest) {
      demand_sources(binding, {self, 0, false}, block);
    } else {
      const std::vector<Context> contexts = facts_[self].contexts;
      for (const Context& context : contexts) demand_sources(binding, context, block);
      if (facts_[self].scattered)
        for (ArrayId source : sources_of(binding.op)) facts_[source].scattered = true;
    }
  }

  void demand_control(ArrayOp& op) {
    if (auto* branch = std::get_if<ArrayIf>(&op)) {
      for (Block* b : {&branch->then_, &branch->else_}) {
        demand_results(*b, "the result of a branch");
        decide(*b);
      }
    }
    if (auto* loop = std::get_if<ArrayWhile>(&op)) {
      demand_results(loop->body, "the state of a loop");
      decide(loop->body);
      decide(loop->condition);
      for (ArrayId a : loop->init) demand_memory(a, "the state of a loop");
    }
    if (auto* foreign = std::get_if<ForeignArrays>(&op)) {
      demand_results(foreign->fallback, "the result of a fallback");
      decide(foreign->fallback);
    }
  }

  void demand_sources(const Binding& binding, const Context& context, const Block& block) {
    const std::vector<ArrayId> sources = sources_of(binding.op);
    if (std::holds_alternative<Compute>(binding.op))
      return demand_memory(sources[0], "compute() keeps it");
    if (std::holds_alternative<Reshape>(binding.op)) {
      if (binding.storage == Storage::manifest)
        return demand_memory(sources[0], "reshaped in memory");
      if (!facts_[sources[0]].linear)
        return demand_memory(sources[0], "reshaped, and not computed in row-major order");
    }
    if (std::holds_alternative<SortPositions>(binding.op))
      return demand_memory(sources[0], "sorted in memory");
    if (std::holds_alternative<ForeignArrays>(binding.op)) {
      for (ArrayId source : sources) demand_memory(source, "handed to foreign code");
      return;
    }
    if (auto* permute = std::get_if<Permute>(&binding.op))
      return demand_permuted(*permute, context, block);
    if (std::holds_alternative<Concat>(binding.op)) return demand_parts(sources, context, block);
    // What is kept is decided, then written.
    if (std::holds_alternative<Compact>(binding.op)) {
      for (ArrayId source : sources) demand(source, context, block);
      return;
    }
    if (auto* fold = std::get_if<FoldSegments>(&binding.op))
      return demand_segments(*fold, context, block);
    Context inner = context;
    if (std::holds_alternative<Reshape>(binding.op) || std::holds_alternative<Slice>(binding.op))
      inner.path = path(context.path, binding.results[0]);
    if (std::holds_alternative<Replicate>(binding.op)) {
      inner.path = path(context.path, binding.results[0]);
      inner.repeated = true;
    }
    if (auto* permuted = std::get_if<Backpermute>(&binding.op)) {
      inner.path = path(context.path, binding.results[0]);
      inner.repeated |= !is_injective(permuted->fn);
    }
    // A scan in two passes evaluates its source in both.
    inner.repeated |= std::holds_alternative<Scan>(binding.op);
    for (ArrayId source : sources) demand(source, inner, block);
  }

  // The defaults are written by a kernel of their own.
  void demand_permuted(const Permute& op, const Context& context, const Block& block) {
    demand(op.targets, context, block);
    demand(op.source, context, block);
    if (op.mode != detail::PermuteMode::covering)
      demand(op.defaults, {context.home, path(context.path, context.home), false}, block);
  }

  // Each offset is read at the end of a segment and at the start of the next, in every row.
  void demand_segments(const FoldSegments& op, const Context& context, const Block& block) {
    demand(op.source, context, block);
    demand(op.offsets, {context.home, path(context.path, context.home), true}, block);
  }

  // Each part is a kernel of its own.
  void demand_parts(const std::vector<ArrayId>& sources, const Context& context,
                    const Block& block) {
    std::uint32_t part = context.path;
    for (ArrayId source : sources) {
      demand(source, {context.home, part, context.repeated}, block);
      part = path(part, context.home);
    }
  }

  // Reads inside functions: at computed indices.
  void demand_reads(Region& fn, const Block&) {
    for_each_region(fn, [&](Region& region) {
      for (Stmt& stmt : region.body) {
        if (auto* load = std::get_if<Load>(&stmt.op)) facts_[load->array].scattered = true;
        if (auto* load = std::get_if<LoadLinear>(&stmt.op)) {
          facts_[load->array].scattered = true;
          if (!facts_[load->array].linear) demand_memory(load->array, "read by linear index");
        }
      }
    });
  }

  // Reads of host scalars.
  void demand_reads(Stmt& stmt) {
    constexpr const char* reason = "read by the host";
    if (auto* load = std::get_if<Load>(&stmt.op)) demand_memory(load->array, reason);
    if (auto* load = std::get_if<LoadLinear>(&stmt.op)) demand_memory(load->array, reason);
    edit_regions(stmt, [&](Region& region) {
      for (Stmt& inner : region.body) demand_reads(inner);
    });
  }

  std::uint32_t path(std::uint32_t from, ArrayId through) {
    return paths_.try_emplace({from, through}, static_cast<std::uint32_t>(paths_.size() + 1))
        .first->second;
  }

  Program& program_;
  std::vector<Facts> facts_;      // by array
  std::map<ArrayId, int> sizes_;  // statements inlined, by home
  std::map<std::pair<std::uint32_t, ArrayId>, std::uint32_t> paths_;
};

}  // namespace

Program fuse(Program program) {
  Fuser fuser(program);
  return program;
}

}  // namespace hasten::passes
