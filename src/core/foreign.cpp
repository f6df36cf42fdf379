// Two tables behind one mutex; entries are never removed, because kernels keep pointers.
#include "core/foreign.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>

namespace hasten::core {
namespace {

using detail::ForeignFunction;
using detail::ForeignTarget;
using detail::ScalarType;

using Named = std::tuple<ForeignTarget, std::string, std::vector<ScalarType>, ScalarType>;

struct Registry {
  std::mutex mutex;
  std::map<std::pair<ForeignTarget, std::string>, ForeignFunction> known;
  std::map<Named, ForeignFunction> only_named;
};

// Never destroyed, because programs may live in static storage.
Registry& registry() {
  static Registry& instance = *new Registry;
  return instance;
}

bool same_types(const ForeignFunction& f, const std::vector<ScalarType>& params,
                ScalarType result) {
  return f.params == params && f.result == result;
}

}  // namespace

const ForeignFunction* register_foreign(const ForeignFunction& function) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto [it, is_new] = all.known.try_emplace({function.target, function.name}, function);
  const ForeignFunction& known = it->second;
  const bool same = same_types(known, function.params, function.result) &&
                    known.address == function.address && known.source == function.source;
  return same ? &known : nullptr;
}

const ForeignFunction* foreign_named(ForeignTarget target, std::string_view name,
                                     const std::vector<ScalarType>& params, ScalarType result) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.known.find({target, std::string(name)});
  if (found != all.known.end() && same_types(found->second, params, result)) return &found->second;
  ForeignFunction function{target, std::string(name), params, result};
  return &all.only_named.try_emplace({target, function.name, params, result}, function)
              .first->second;
}

bool is_known(const ForeignFunction& function) {
  return function.address != nullptr || !function.source.empty();
}

void fail_only_named(std::string_view name) {
  throw TargetError("the foreign function \"" + std::string(name) +
                    "\" is only named here; give its implementation with on_cpu, or a fallback");
}

std::vector<std::shared_ptr<const detail::HostArray>> call_foreign(
    ForeignArrayFunctions functions, std::uint32_t index, std::string_view name,
    const std::vector<std::shared_ptr<const detail::HostArray>>& args,
    std::span<const ArrayType> types) {
  if (index >= functions.size()) fail_only_named(name);
  const detail::ForeignArrayFunction& function = *functions[index];
  auto results = function.call(args);
  check_foreign_results(function, results, types);
  return results;
}

void check_foreign_results(const detail::ForeignArrayFunction& function,
                           const std::vector<std::shared_ptr<const detail::HostArray>>& results,
                           std::span<const ArrayType> types) {
  bool right = results.size() == types.size();
  for (std::size_t i = 0; right && i < types.size(); ++i)
    right = results[i] && results[i]->shape().size() == types[i].rank &&
            results[i]->leaves() == types[i].leaves;
  if (!right)
    throw InternalError("foreign_acc: \"" + function.name + "\" gave arrays of other types");
}

bool is_foreign_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == ':' || c == '-';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), fits);
}

const char* interned(std::string_view text) {
  static std::mutex mutex;
  static auto& texts = *new std::set<std::string, std::less<>>;  // kept for good
  const std::lock_guard lock(mutex);
  return texts.emplace(text).first->c_str();
}

}  // namespace hasten::core
