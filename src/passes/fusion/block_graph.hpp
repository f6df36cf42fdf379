// The dependences between the bindings of a block.
#pragma once

#include "core/program.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace hasten::passes::fusion {

/// The graph of one block at a time: bindings by their number in the block.
class BlockGraph {
 public:
  explicit BlockGraph(const core::Program& program);

  /// Linear in the block.
  void enter(const core::Block& block);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(needs_.size()); }
  /// The bindings whose arrays or values this one uses, at any depth.
  [[nodiscard]] std::span<const std::uint32_t> needs(std::uint32_t binding) const {
    return needs_[binding];
  }
  /// The binding of an array; none if it is in another block.
  [[nodiscard]] std::uint32_t maker(core::ArrayId array) const { return of(arrays_[array]); }

 private:
  struct Maker {
    std::uint32_t block = 0, binding = 0;
  };
  [[nodiscard]] std::uint32_t of(const Maker& maker) const {
    return maker.block == block_ ? maker.binding : core::none;
  }

  std::vector<Maker> arrays_, values_;  // by number
  std::uint32_t block_ = 0;             // blocks count from 1
  std::vector<std::vector<std::uint32_t>> needs_;
};

/// A topological order of the bindings in which the members of each group are adjacent, and which
/// otherwise keeps the present order. `groups` by binding: any number, or none.
std::vector<std::uint32_t> order_of(const BlockGraph& graph, std::span<const std::uint32_t> groups);

}  // namespace hasten::passes::fusion
