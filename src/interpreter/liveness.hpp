// When arrays can be released: after the last binding of their own block that uses them.
#pragma once

#include "core/program.hpp"

#include <unordered_map>
#include <vector>

namespace hasten::interp {

class Liveness {
 public:
  explicit Liveness(const core::Program& program);

  /// The arrays of this block that are not used after its binding number `binding`.
  [[nodiscard]] const std::vector<core::ArrayId>& dead_after(const core::Block& block,
                                                             std::size_t binding) const {
    return deaths_.at(&block)[binding];
  }

 private:
  using Deaths = std::vector<std::vector<core::ArrayId>>;  // by binding
  void analyse(const core::Block& block);

  std::vector<const core::Block*> home_;  // by ArrayId: the block that defines it
  std::vector<bool> used_;                // by ArrayId, while walking backward
  std::unordered_map<const core::Block*, Deaths> deaths_;
};

}  // namespace hasten::interp
