// Products in which one reciprocal root occurs more than once: m * r * (r * r) of r = rsqrt(x).
//
// in:  a kernel
// out: which products, and of which root. A target that may contract computes such a product from
//      an estimate of the root and corrects the product alone, once, in place of the root.
#pragma once

#include "kernels/kernel.hpp"

#include <optional>
#include <vector>

namespace hasten::kernels {

/// A product of a root's power and at most one other factor. All have single precision.
struct RootPower {
  Value root;
  unsigned exponent;  // 2 or 3
  std::vector<Value> others;
};

class RootPowers {
 public:
  /// Linear in the size of the kernel.
  explicit RootPowers(const Kernel& kernel);

  /// Of a product that has all occurrences of a root.
  [[nodiscard]] std::optional<RootPower> completed_by(Value product) const;

 private:
  /// What is known of a value: the root that occurs in it.
  struct Factor {
    Value root = core::none;
    const Region* region = nullptr;  // the root's
    unsigned exponent = 0;
    const core::Prim* product = nullptr;
  };

  void note(const Region& region);
  void note(const core::Prim& prim, Value result, const Region& region);
  [[nodiscard]] Factor factor(Value v, const Region& region) const;
  void add_others(Value factor, Value root, std::vector<Value>& others) const;

  const Kernel& kernel_;
  std::vector<unsigned> uses_;  // by Value
  std::vector<Factor> of_;      // by Value
};

}  // namespace hasten::kernels
