// The shapes that arrays of a plan will have, known before anything is computed, as far as they
// follow from the shapes and numbers of a call's arguments.
//
// in:  a plan, the arguments of a call
// out: the shapes of arrays that the plan's own steps make; none for results of branches, loops,
//      compactions and foreign functions, or where an extent is read from an array
#pragma once

#include "kernels/plan.hpp"
#include "runtime/execute/executor.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace hasten::runtime {

class ForeseenShapes {
 public:
  using Shape = std::vector<std::int64_t>;

  ForeseenShapes(const kernels::Plan& plan, const Arguments& arguments);
  [[nodiscard]] const std::optional<Shape>& of(core::ArrayId id) const { return shapes_[id]; }

 private:
  void see(const kernels::HostScalars& step);
  void see(const kernels::BindUse& step) { shapes_[step.array] = given_.used[step.index]->shape(); }
  void see(const kernels::BindInput& step) {
    shapes_[step.array] = given_.inputs[step.index]->shape();
  }
  void see(const kernels::MakeUnit& step) { shapes_[step.array] = Shape{}; }
  void see(const kernels::View& step);
  void see(const kernels::Launch& step);
  template <class Other>
  void see(const Other&) {}

  [[nodiscard]] std::optional<Shape> shape_of(const std::vector<core::Value>& extents) const;
  [[nodiscard]] std::optional<core::Bits> value_of(const core::Stmt& stmt) const;
  [[nodiscard]] std::optional<core::Bits> value_of(const core::Prim& op, core::Value result) const;

  const kernels::Plan& plan_;
  const Arguments& given_;
  std::vector<std::optional<core::Bits>> values_;  // by Value
  std::vector<std::optional<Shape>> shapes_;       // by ArrayId
};

}  // namespace hasten::runtime
