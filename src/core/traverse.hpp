// The traversals that passes share: operands, nested code, free names, copies.
//
// visit_operands, visit_regions and visit_blocks look at one node; the others go all the way down.
#pragma once

#include "core/program.hpp"

#include <cstdint>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace hasten::core {

/// A borrowed callable, so that traversals are compiled once.
template <class Signature>
class FunctionRef;
template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
  FunctionRef(F&& f)  // NOLINT(google-explicit-constructor): lambdas are passed in place
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(args...);
        }) {}
  R operator()(Args... args) const { return call_(object_, args...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

/// The operands of a statement or array operation itself, not of nested code. `none` entries (kept
/// axes) are skipped.
void visit_operands(const Stmt& stmt, FunctionRef<void(Value)> value,
                    FunctionRef<void(ArrayId)> array);
void visit_operands(const ArrayOp& op, FunctionRef<void(Value)> value,
                    FunctionRef<void(ArrayId)> array);
/// The same, to change them in place.
void edit_operands(Stmt& stmt, FunctionRef<void(Value&)> value, FunctionRef<void(ArrayId&)> array);
void edit_operands(ArrayOp& op, FunctionRef<void(Value&)> value, FunctionRef<void(ArrayId&)> array);

/// Regions directly inside a statement: branches, loop conditions and bodies.
void visit_regions(const Stmt& stmt, FunctionRef<void(const Region&)> f);
void edit_regions(Stmt& stmt, FunctionRef<void(Region&)> f);
/// The function of an array operation (null if it has none), and the blocks directly inside it.
[[nodiscard]] const Region* region_of(const ArrayOp& op);
[[nodiscard]] Region* region_of(ArrayOp& op);
void visit_blocks(const ArrayOp& op, FunctionRef<void(const Block&)> f);
void edit_blocks(ArrayOp& op, FunctionRef<void(Block&)> f);

/// Every use of a value or array in the region, at any depth, results included.
void for_each_use(const Region& region, FunctionRef<void(Value)> value,
                  FunctionRef<void(ArrayId)> array);
void for_each_use(const Stmt& stmt, FunctionRef<void(Value)> value,
                  FunctionRef<void(ArrayId)> array);
void for_each_use(const Block& block, FunctionRef<void(Value)> value,
                  FunctionRef<void(ArrayId)> array);
void for_each_use(const Binding& binding, FunctionRef<void(Value)> value,
                  FunctionRef<void(ArrayId)> array);
/// Every value defined in the region, at any depth, parameters included.
void for_each_definition(const Region& region, FunctionRef<void(Value)> value);
void for_each_definition(const Block& block, FunctionRef<void(Value)> value,
                         FunctionRef<void(ArrayId)> array);

/// The names that code uses and does not define, in order of first use.
struct FreeNames {
  std::vector<Value> values;
  std::vector<ArrayId> arrays;
};
[[nodiscard]] FreeNames free_names(const Region& region);
[[nodiscard]] FreeNames free_names(const Stmt& stmt);
[[nodiscard]] FreeNames free_names(const Block& block);

using Renaming = std::unordered_map<std::uint32_t, std::uint32_t>;

/// A copy in which every definition has a new number. `renaming` receives the new numbers; its
/// previous entries are applied to the copy.
[[nodiscard]] Region clone(const Region& region, Renaming& renaming, Program& program);
[[nodiscard]] Block clone(const Block& block, Renaming& values, Renaming& arrays, Program& program);

/// Replaces uses, at any depth.
void rename_uses(Region& region, const Renaming& values, const Renaming& arrays = {});
void rename_uses(Stmt& stmt, const Renaming& values, const Renaming& arrays = {});
void rename_uses(Block& block, const Renaming& values, const Renaming& arrays = {});

}  // namespace hasten::core
