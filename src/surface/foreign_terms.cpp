// Terms that call foreign functions, and the functions' names.
#include <hasten/detail/terms/foreign.hpp>

#include "core/foreign.hpp"
#include "surface/make.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>

namespace hasten::detail {

void check_foreign_name(const std::string& name, const Where& where) {
  if (core::is_foreign_name(name)) return;
  throw BuildError("foreign function: \"" + name +
                       "\" cannot name one: use letters, digits and _ . : - (\"my_library::root\")",
                   where);
}

namespace {

// Kernels call it by its name, in C.
void check_source(const ForeignFunction& function, const Where& where) {
  const auto is_letter = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const bool is_identifier =
      std::ranges::all_of(function.name,
                          [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); }) &&
      is_letter(function.name.front());
  if (is_identifier && function.source.find(function.name) != std::string::npos) return;
  throw BuildError("foreign function: \"" + function.name +
                       "\" must be a name of C, and its text for " + name_of(function.target) +
                       " must define the function of this name",
                   where);
}

}  // namespace

const ForeignFunction* foreign_function(const ForeignFunction& function, const Where& where) {
  check_foreign_name(function.name, where);
  if (function.target != ForeignTarget::cpu) check_source(function, where);
  const ForeignFunction* known = core::register_foreign(function);
  if (known) return known;
  throw BuildError("foreign function: the name \"" + function.name +
                       "\" stands for another function for " + name_of(function.target) +
                       " already (other types, another address or another text); compiled kernels "
                       "know functions by their names: give this one a name of its own",
                   where);
}

Term foreign_call(std::vector<const ForeignFunction*> functions, Function fallback,
                  std::vector<Term> args, const Where& where) {
  auto node = new_node(NodeKind::foreign_call, type_of(fallback.results.at(0)));
  auto foreign = std::make_shared<ForeignImplementations>();
  foreign->functions = std::move(functions);
  node->foreign = std::move(foreign);
  node->children = std::move(args);
  node->functions.push_back(std::move(fallback));
  node->where = where;
  return finish(std::move(node));
}

std::vector<Term> foreign_arrays(std::vector<std::shared_ptr<const ForeignArrayFunction>> functions,
                                 Function fallback, std::vector<Term> args, const Where& where) {
  const std::vector<Term> like = fallback.results;
  auto node = new_array_node(NodeKind::foreign_arrays, type_of(like.at(0)), rank_of(like[0]),
                             "foreign_acc", where);
  auto foreign = std::make_shared<ForeignImplementations>();
  foreign->array_functions = std::move(functions);
  node->foreign = std::move(foreign);
  node->number = static_cast<std::uint32_t>(like.size());
  node->children = std::move(args);
  node->functions.push_back(std::move(fallback));
  return results_of(finish_array(std::move(node)), like);
}

}  // namespace hasten::detail
