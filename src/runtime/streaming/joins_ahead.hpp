// For a plan in parts: which parts have a known place in their whole before they are made.
#pragma once

#include "kernels/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace hasten::runtime {

class JoinsAhead {
 public:
  explicit JoinsAhead(const kernels::Plan& plan);

  struct Place {
    const kernels::JoinStep* join;
    std::size_t number;
  };
  /// The place of a part, if the beginnings of all parts are known when this part is made; else,
  /// and for arrays that are no parts, nothing.
  [[nodiscard]] std::optional<Place> of(core::ArrayId part) const;
  /// The number of rows of each part of that join, by the values of a run.
  [[nodiscard]] std::vector<std::int64_t> rows(const Place& place,
                                               const std::vector<core::Bits>& values) const;

 private:
  void find_joins(const kernels::Steps& steps);
  void find_rows(const kernels::Plan& plan, const kernels::Launch& launch);
  [[nodiscard]] bool is_known(core::Value value, std::size_t when) const;
  void note_order(const kernels::Plan& plan, const kernels::Steps& steps);

  std::unordered_map<core::ArrayId, Place> places_;
  std::unordered_map<core::ArrayId, core::Value> rows_;    // by part that a launch makes
  std::unordered_map<core::ArrayId, std::size_t> made_;    // by the order of steps: when it is made
  std::unordered_map<core::Value, std::size_t> computed_;  // likewise
  std::size_t now_ = 0;
};

}  // namespace hasten::runtime
