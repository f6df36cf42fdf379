// Which values and which components of arrays are needed: the rest is dead, loops included, because
// nothing is needed until something needed uses it.
#pragma once

#include "core/program.hpp"
#include "core/traverse.hpp"

#include <utility>
#include <vector>

namespace hasten::passes {

class Needs {
 public:
  explicit Needs(const core::Program& program);

  [[nodiscard]] bool value(core::Value v) const { return values_[v]; }
  [[nodiscard]] bool leaf(core::ArrayId a, std::size_t i) const { return leaves_[first_[a] + i]; }

 private:
  // The definition of a value.
  struct Origin {
    const core::Stmt* statement = nullptr;    // its result, or a parameter of a region inside it
    const core::Binding* function = nullptr;  // a parameter of its function
    std::uint32_t index = 0;
    bool is_parameter = false;
  };
  // The definition of an array: a result of the binding, or a parameter of a block inside it.
  struct Source {
    const core::Binding* binding = nullptr;
    std::uint32_t index = 0;
    bool is_parameter = false;
  };

  void survey(const core::Block& block);
  void survey(const core::Binding& binding);
  void survey(const core::Region& region);
  void survey(const core::Stmt& stmt);
  void note_views(const core::Binding& binding);
  void ask_for_roots(const core::Binding& binding);

  void ask(core::Value v);
  void ask(const std::vector<core::Value>& values);
  void ask(core::ArrayId a, std::size_t leaf);
  void ask_all(core::ArrayId a);
  void run();
  void visit_value(core::Value v);
  void visit_statement(const core::Stmt& stmt, std::uint32_t index, bool is_parameter);
  void visit_parameter(const core::Binding& binding, std::uint32_t index);
  void visit_leaf(core::ArrayId a, std::uint32_t leaf);
  void visit_leaf(const core::Binding& binding, std::uint32_t index, std::uint32_t leaf);
  [[nodiscard]] std::size_t leaf_count(core::ArrayId a) const {
    return program_.array_types[a].leaves.size();
  }

  const core::Program& program_;
  std::vector<std::size_t> first_;  // number of the first leaf, by array
  std::vector<bool> values_, leaves_;
  std::vector<Origin> origins_;                    // by value
  std::vector<Source> sources_;                    // by array
  std::vector<std::vector<core::ArrayId>> views_;  // arrays that share the leaves of this one
  std::vector<core::Value> open_values_;
  std::vector<std::pair<core::ArrayId, std::uint32_t>> open_leaves_;
};

}  // namespace hasten::passes
