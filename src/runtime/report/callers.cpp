// Backward through the program: the first user of an operation is known before the operation.
#include "runtime/report/callers.hpp"

#include "core/print.hpp"
#include "core/traverse.hpp"

#include <fmt/format.h>

#include <cstring>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

namespace hasten::runtime {
namespace {

constexpr int users_max = 4;

bool is_known(const std::source_location& place) { return place.line() != 0; }

bool are_one_place(const std::source_location& a, const std::source_location& b) {
  return a.line() == b.line() && a.column() == b.column() &&
         std::strcmp(a.file_name(), b.file_name()) == 0;
}

// "normalise" of "auto app::normalise(hasten::Acc<...>)": the name that a reader knows.
std::string short_name(std::string signature) {
  for (const std::string_view unnamed : {"(anonymous namespace)::", "{anonymous}::"})
    for (std::size_t at; (at = signature.find(unnamed)) != std::string::npos;)
      signature.erase(at, unnamed.size());
  const std::size_t end = signature.find('(');
  if (end == std::string::npos) return signature;
  std::size_t begin = end;
  int depth = 0;
  while (begin > 0) {
    const char c = signature[begin - 1];
    depth += c == '>' ? 1 : c == '<' ? -1 : 0;
    if (depth == 0 && (c == ' ' || c == '*' || c == '&' || c == ':')) break;
    --begin;
  }
  return signature.substr(begin, end - begin);
}

// A function and its lambdas count as one.
bool are_in_one_function(const std::source_location& a, const std::source_location& b) {
  return std::strcmp(a.file_name(), b.file_name()) == 0 &&
         short_name(a.function_name()) == short_name(b.function_name());
}

}  // namespace

Callers::Callers(const core::Program& program) {
  // By array: the binding that uses it first, and the site of its first user in another function.
  struct Use {
    const core::Binding* binding = nullptr;
    const char* operation = "";  // as the user wrote it: one call may be several bindings
    std::size_t site = nobody;
  };
  std::vector<Use> uses(program.array_types.size());
  const auto visit = [&](auto& self, const core::Block& block, const Use& outer) -> void {
    if (outer.binding != nullptr)
      for (const core::ArrayId a : block.results) uses[a] = outer;
    for (const core::Binding& binding : block.bindings | std::views::reverse) {
      Use use{&binding, binding.operation, nobody};
      if (!binding.results.empty() && is_known(binding.where)) {
        const Use& user = uses[binding.results[0]];
        const bool leaves = user.binding != nullptr && is_known(user.binding->where) &&
                            !are_in_one_function(binding.where, user.binding->where);
        use.site = user.site;
        if (user.binding != nullptr && are_one_place(binding.where, user.binding->where))
          use.operation = user.operation;
        if (leaves) {
          sites_.push_back({user.binding->where, user.operation, user.site});
          use.site = sites_.size() - 1;
        }
        if (use.site != nobody) sites_.push_back({binding.where, binding.operation, use.site});
      }
      core::visit_blocks(binding.op, [&](const core::Block& inner) { self(self, inner, use); });
      // A use that asks only for an extent makes no array.
      const bool makes = !binding.results.empty();
      const auto note = [&](core::ArrayId a) {
        if (makes || uses[a].binding == nullptr) uses[a] = use;
      };
      core::for_each_use(binding, [](core::Value) {}, note);
    }
  };
  visit(visit, program.body, {});
}

std::string Callers::of(const std::source_location& place) const {
  std::string text;
  for (const Site& site : sites_) {
    if (!are_one_place(site.place, place)) continue;
    std::size_t user = site.user;
    for (int i = 0; i < users_max && user != nobody; ++i, user = sites_[user].user) {
      const Site& used = sites_[user];
      text += fmt::format("; its result is used in {}() at {}",
                          short_name(used.place.function_name()), core::print(used.place));
      if (*used.operation != '\0') text += fmt::format(" ({})", used.operation);
    }
    if (!text.empty()) return text;
  }
  return text;
}

}  // namespace hasten::runtime
