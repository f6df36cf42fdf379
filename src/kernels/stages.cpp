// Finds what is uniform along a row, and what is uniform over all steps of a reduction.
#include "kernels/stages.hpp"

#include "core/traverse.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>

namespace hasten::kernels {

using namespace core;

bool has_reductions(const Region& region) {
  return std::any_of(region.body.begin(), region.body.end(), [](const Stmt& stmt) {
    bool inside = std::holds_alternative<Reduce>(stmt.op);
    visit_regions(stmt, [&](const Region& inner) { inside = inside || has_reductions(inner); });
    return inside;
  });
}

std::vector<bool> varies_inside_rows(const Kernel& kernel, const Region& region) {
  std::vector<bool> varies(kernel.value_types.size());
  varies[region.params.back()] = true;
  for (const Stmt& stmt : region.body) {
    bool inner = false;
    for_each_use(stmt, [&](Value v) { inner = inner || varies[v]; }, [](ArrayId) {});
    for (Value v : stmt.results) varies[v] = inner;
  }
  return varies;
}

bool has_row_reductions(const Kernel& kernel) {
  if (kernel.skeleton != Skeleton::map) return false;
  const std::vector<bool> varies = varies_inside_rows(kernel, kernel.element);
  const auto& body = kernel.element.body;
  return std::any_of(body.begin(), body.end(), [&](const Stmt& stmt) {
    return std::holds_alternative<Reduce>(stmt.op) && !varies[stmt.results.at(0)];
  });
}

namespace {

class Hoister {
 public:
  explicit Hoister(std::size_t values) : inside_(values) {}

  void run(Region& region) {
    std::vector<Stmt> body;
    body.reserve(region.body.size());
    for (Stmt& stmt : region.body) {
      edit_regions(stmt, [&](Region& inner) { run(inner); });
      if (auto* reduce = std::get_if<Reduce>(&stmt.op)) take_out(reduce->element, body);
      body.push_back(std::move(stmt));
    }
    region.body = std::move(body);
  }

 private:
  void take_out(Region& element, std::vector<Stmt>& before) {
    for (Value v : element.params) inside_[v] = true;
    std::erase_if(element.body, [&](Stmt& stmt) {
      bool depends =
          !std::holds_alternative<Prim>(stmt.op) && !std::holds_alternative<Constant>(stmt.op);
      visit_operands(stmt, [&](Value v) { depends = depends || inside_[v]; }, [](ArrayId) {});
      for (Value v : stmt.results) inside_[v] = depends;
      if (!depends) before.push_back(std::move(stmt));
      return !depends;
    });
    // To the code around the reduction these names are internal: nothing depends on them.
    for (Value v : element.params) inside_[v] = false;
    for (const Stmt& stmt : element.body)
      for (Value v : stmt.results) inside_[v] = false;
  }

  std::vector<bool> inside_;  // of the current element, by value
};

}  // namespace

void hoist_from_reductions(KernelBuilder& builder) {
  Hoister hoister(builder.kernel.value_types.size());
  for (Region* region : regions_of(builder.kernel)) hoister.run(*region);
}

std::vector<const Binding*> stages_of(const Environment& environment, const Binding& consumer) {
  std::vector<const Binding*> stages;
  std::vector<ArrayId> arrays;
  std::unordered_set<ArrayId> seen;
  const auto use = [&](ArrayId a) {
    if (seen.insert(a).second) arrays.push_back(a);
  };
  for_each_use(consumer, [](Value) {}, use);
  while (!arrays.empty()) {
    const ArrayId array = arrays.back();
    arrays.pop_back();
    if (!environment.is_delayed(array)) continue;
    const Binding& binding = *environment.producer[array];
    if (std::holds_alternative<Fold>(binding.op)) stages.push_back(&binding);
    for_each_use(binding, [](Value) {}, use);
  }
  // A block's bindings are in an order in which they can be computed.
  std::sort(stages.begin(), stages.end());
  return stages;
}

Value one_launch_pays(const std::vector<const Binding*>& stages, std::vector<Value> space,
                      bool is_fold, const HostCode& host) {
  Value longest = host.number(0);
  for (const Binding* stage : stages) {
    const Value depth = host.extents(std::get<Fold>(stage->op).source).back();
    longest = host.operation(ScalarOp::max, longest, depth, ScalarType::i64);
  }
  const Value limit = host.number(is_fold ? short_stage : long_stage_row);
  const Value is_short = host.operation(ScalarOp::le, longest, limit, ScalarType::boolean);
  if (is_fold) return is_short;
  space.pop_back();
  Value rows = host.number(1);
  for (Value extent : space) rows = host.operation(ScalarOp::mul, rows, extent, ScalarType::i64);
  const Value many =
      host.operation(ScalarOp::ge, rows, host.number(many_stage_rows), ScalarType::boolean);
  return host.operation(ScalarOp::or_, is_short, many, ScalarType::boolean);
}

}  // namespace hasten::kernels
