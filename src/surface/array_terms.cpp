// Builds array terms; each is checked at once not to be nested in a scalar function.
#include "surface/make.hpp"

#include <hasten/detail/terms/array.hpp>

#include "core/foreign.hpp"

#include <algorithm>
#include <string>

namespace hasten::detail {
std::unique_ptr<Node> new_array_node(NodeKind kind, Type type, std::size_t rank,
                                     const char* operation, const Where& where) {
  auto node = new_node(kind, type);
  node->is_array = true;
  node->rank = static_cast<std::uint32_t>(rank);
  node->operation = operation;
  node->where = where;
  return node;
}

Term finish_array(std::unique_ptr<Node> node) {
  const char* operation = node->operation;
  const Where where = node->where;
  Term term = finish(std::move(node));
  check_array_operand(*term.node(), operation, where);
  return term;
}

namespace {

std::vector<Term> with_source(const Term& source, std::vector<Term> rest) {
  rest.insert(rest.begin(), source);
  return rest;
}

}  // namespace

Term use_array(Type type, std::shared_ptr<const HostArray> host, const Where& where) {
  auto node = new_array_node(NodeKind::use, type, host->shape().size(), "use", where);
  node->host = std::move(host);
  return finish_array(std::move(node));
}

Term unit(const Term& element, const Where& where) {
  auto node = new_array_node(NodeKind::unit, type_of(element), 0, "unit", where);
  node->children = {element};
  return finish_array(std::move(node));
}

Term generate(std::vector<Term> extent, Function fn, Type result, const Where& where) {
  return generate(std::move(extent), std::move(fn), result, "generate", where);
}

Term generate(std::vector<Term> extent, Function fn, Type result, const char* operation,
              const Where& where) {
  auto node = new_array_node(NodeKind::generate, result, extent.size(), operation, where);
  node->children = std::move(extent);
  node->functions.push_back(std::move(fn));
  return finish_array(std::move(node));
}

Term map(Function fn, Type result, const Term& source, const char* operation, const Where& where) {
  auto node = new_array_node(NodeKind::map, result, rank_of(source), operation, where);
  node->children = {source};
  node->functions.push_back(std::move(fn));
  return finish_array(std::move(node));
}

Term zip_with(Function fn, Type result, std::vector<Term> sources, Meet meet, const char* operation,
              const Where& where) {
  auto node = new_array_node(NodeKind::zip_with, result, rank_of(sources.at(0)), operation, where);
  node->number = static_cast<std::uint32_t>(meet);
  node->children = std::move(sources);
  node->functions.push_back(std::move(fn));
  return finish_array(std::move(node));
}

Term reshape(std::vector<Term> extent, const Term& source, const Where& where) {
  return reshape(std::move(extent), source, "reshape", where);
}

Term reshape(std::vector<Term> extent, const Term& source, const char* operation,
             const Where& where) {
  auto node = new_array_node(NodeKind::reshape, type_of(source), extent.size(), operation, where);
  node->children = with_source(source, std::move(extent));
  return finish_array(std::move(node));
}

Term replicate(std::vector<Term> axes, const Term& source, const Where& where) {
  return replicate(std::move(axes), source, "replicate", where);
}

Term replicate(std::vector<Term> axes, const Term& source, const char* operation,
               const Where& where) {
  auto node = new_array_node(NodeKind::replicate, type_of(source), axes.size(), operation, where);
  node->children = with_source(source, std::move(axes));
  return finish_array(std::move(node));
}

Term slice(std::vector<Term> axes, const Term& source, const Where& where) {
  const auto kept = std::count_if(axes.begin(), axes.end(), [](const Term& t) { return !t; });
  auto node = new_array_node(NodeKind::slice, type_of(source), static_cast<std::size_t>(kept),
                             "slice", where);
  node->children = with_source(source, std::move(axes));
  return finish_array(std::move(node));
}

Term backpermute(std::vector<Term> extent, Function fn, const Term& source, const char* operation,
                 const Where& where) {
  return backpermute(std::move(extent), std::move(fn), source, Reads::anywhere,
                     Call{operation, where});
}

Term backpermute(std::vector<Term> extent, Function fn, const Term& source, Reads reads,
                 const Call& call) {
  auto node = new_array_node(NodeKind::backpermute, type_of(source), extent.size(), call.operation,
                             call.where);
  node->number = static_cast<std::uint32_t>(reads);
  node->children = with_source(source, std::move(extent));
  node->functions.push_back(std::move(fn));
  return finish_array(std::move(node));
}

Term fold(Function fn, const Term& seed, const Term& source, const char* operation,
          const Where& where) {
  auto node =
      new_array_node(NodeKind::fold, type_of(source), rank_of(source) - 1, operation, where);
  node->children = {source, seed};
  node->functions.push_back(std::move(fn));
  return finish_array(std::move(node));
}

Term fold_segments(Function fn, const Term& seed, const Term& source, const Term& offsets,
                   const char* operation, const Where& where) {
  auto node =
      new_array_node(NodeKind::fold_segments, type_of(source), rank_of(source), operation, where);
  node->children = {source, offsets, seed};
  node->functions.push_back(std::move(fn));
  return finish_array(std::move(node));
}

Term segment_numbers(const Term& offsets, const Term& extent, const Call& call) {
  auto node =
      new_array_node(NodeKind::segment_numbers, type_of(offsets), 1, call.operation, call.where);
  node->children = {offsets, extent};
  return finish_array(std::move(node));
}

Term scan(Function fn, const Term& seed, const Term& source, const char* operation,
          const Where& where) {
  auto node = new_array_node(NodeKind::scan, type_of(source), rank_of(source), operation, where);
  node->children = {source, seed};
  node->functions.push_back(std::move(fn));
  return finish_array(std::move(node));
}

Term permute(Function combine, const Term& defaults, const std::vector<TargetsAndSource>& loops,
             PermuteMode mode, const char* operation, const Where& where) {
  auto node =
      new_array_node(NodeKind::permute, type_of(defaults), rank_of(defaults), operation, where);
  node->number = static_cast<std::uint32_t>(mode);
  node->children = {defaults};
  for (const TargetsAndSource& loop : loops) {
    node->children.push_back(loop.targets);
    node->children.push_back(loop.source);
  }
  node->functions.push_back(std::move(combine));
  return finish_array(std::move(node));
}

Term concat(unsigned axis, std::vector<Term> sources, const char* operation, const Where& where) {
  const Term& first = sources.at(0);
  auto node = new_array_node(NodeKind::concat, type_of(first), rank_of(first), operation, where);
  node->number = axis;
  node->children = std::move(sources);
  return finish_array(std::move(node));
}

Term compact(const Term& mask, const Term& source, const char* operation, const Where& where) {
  auto node = new_array_node(NodeKind::compact, type_of(source), 1, operation, where);
  node->number = 1;
  node->children = {mask, source};
  return finish_array(std::move(node));
}

std::pair<Term, Term> compact_parts(const Term& mask, const Term& source, const char* operation,
                                    const Where& where) {
  auto node = new_array_node(NodeKind::compact, type_of(source), 1, operation, where);
  node->number = 2;
  node->children = {mask, source};
  std::vector<Term> parts = results_of(finish_array(std::move(node)), {source, source});
  return {std::move(parts[0]), std::move(parts[1])};
}

Term sort_positions(const Term& keys, const char* operation, const Where& where) {
  auto node =
      new_array_node(NodeKind::sort, leaf_type(ScalarType::i64), rank_of(keys), operation, where);
  node->children = {keys};
  return finish_array(std::move(node));
}

Term sort_first_positions(const Term& keys, const Term& count, const char* operation,
                          const Where& where) {
  auto node =
      new_array_node(NodeKind::sort, leaf_type(ScalarType::i64), rank_of(keys), operation, where);
  node->number = static_cast<std::uint32_t>(SortResults::first);
  node->children = {keys, count};
  return finish_array(std::move(node));
}

std::vector<Term> sort_runs(const Term& keys, const std::vector<Term>& carried, Positions wanted,
                            const char* operation, const Where& where) {
  const Type members[] = {leaf_type(ScalarType::i64), leaf_type(ScalarType::boolean)};
  auto node = new_array_node(NodeKind::sort, tuple_type(members), rank_of(keys), operation, where);
  node->number = static_cast<std::uint32_t>(wanted == Positions::all ? SortResults::runs
                                                                     : SortResults::run_starts);
  node->children = with_source(keys, carried);
  Term sorted = finish_array(std::move(node));
  if (carried.empty()) return {std::move(sorted)};
  std::vector<Term> like = carried;
  like.insert(like.begin(), sorted);
  return results_of(sorted, like);
}

Term demand(const Term& condition, const char* message, std::vector<Term> shown, const Term& source,
            const char* operation, const Where& where) {
  auto node = new_array_node(NodeKind::demand, type_of(source), rank_of(source), operation, where);
  node->message = message;
  node->children = {source, condition};
  node->children.insert(node->children.end(), shown.begin(), shown.end());
  return finish_array(std::move(node));
}

Term demand_count(const Term& condition, const char* message, const Term& source,
                  const Call& call) {
  auto node = new_array_node(NodeKind::demand, type_of(source), rank_of(source), call.operation,
                             call.where);
  node->message = message;
  node->number = 1;
  node->children = {source, condition};
  return finish_array(std::move(node));
}

Term compute(const Term& source, const Where& where) { return compute(source, "compute", where); }

Term compute(const Term& source, const char* operation, const Where& where) {
  auto node = new_array_node(NodeKind::compute, type_of(source), rank_of(source), operation, where);
  node->children = {source};
  return finish_array(std::move(node));
}

Term named_array(std::string_view name, const Term& array, const Where& where) {
  std::string label(name);
  for (char& c : label)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';  // texts have a line for each operation
  auto node = std::make_unique<Node>();
  static_cast<NodeContent&>(*node) = *array.node();
  node->label = core::interned(label);
  if (node->where.line() == 0) node->where = where;
  return Term(node.release());
}

std::vector<Term> results_of(const Term& several, const std::vector<Term>& like) {
  std::vector<Term> results;
  for (std::uint32_t i = 0; i < like.size(); ++i) {
    const Node& owner = *several.node();
    auto node = new_array_node(NodeKind::array_result, type_of(like[i]), rank_of(like[i]),
                               owner.operation, owner.where);
    node->number = i;
    node->children = {several};
    results.push_back(finish_array(std::move(node)));
  }
  return results;
}

std::vector<Term> array_if(const Term& condition, std::vector<Term> then_, std::vector<Term> else_,
                           const Where& where) {
  auto node =
      new_array_node(NodeKind::array_if, type_of(then_.at(0)), rank_of(then_[0]), "acond", where);
  node->number = static_cast<std::uint32_t>(then_.size());
  node->children = with_source(condition, then_);
  node->children.insert(node->children.end(), else_.begin(), else_.end());
  return results_of(finish_array(std::move(node)), then_);
}

std::vector<Term> array_while(Function condition, Function body, std::vector<Term> init,
                              const Where& where) {
  auto node =
      new_array_node(NodeKind::array_while, type_of(init.at(0)), rank_of(init[0]), "awhile", where);
  node->number = static_cast<std::uint32_t>(init.size());
  node->children = init;
  node->functions.push_back(std::move(condition));
  node->functions.push_back(std::move(body));
  return results_of(finish_array(std::move(node)), init);
}

}  // namespace hasten::detail
