// Writers of code and bindings, for passes.
#pragma once

#include "core/program.hpp"

#include <cstdint>
#include <vector>

namespace hasten::passes {

/// Writes a region, statement by statement.
class RegionWriter {
 public:
  explicit RegionWriter(core::Program& program) : program_(program) {}

  void add(core::Stmt stmt);
  core::Value parameter(core::ScalarType type);
  std::vector<core::Value> parameters(const std::vector<core::ScalarType>& types);
  core::Value prim(core::ScalarOp op, core::ScalarType type, std::vector<core::Value> args);
  core::Value constant(core::ScalarType type, core::Bits bits);
  std::vector<core::Value> constants(const std::vector<core::ScalarType>& types,
                                     const std::vector<core::Bits>& bits);
  /// All components of the element at an index that is in range.
  std::vector<core::Value> load(core::ArrayId array, const std::vector<core::Value>& index);
  /// A copy of the function's body.
  std::vector<core::Value> call(const core::Region& fn, const std::vector<core::Value>& args);
  std::vector<core::Value> branch(core::Value condition, core::Region then_, core::Region else_);
  [[nodiscard]] core::Region take(std::vector<core::Value> results);

 private:
  core::Program& program_;
  core::Region region_;
};

/// Writes the bindings that replace one, with its source location and its name.
class BlockWriter {
 public:
  BlockWriter(core::Program& program, const core::Binding& like, std::vector<core::Binding>& out)
      : program_(program),
        like_(like),
        out_(out) {}

  core::ArrayId add(core::ArrayType type, core::ArrayOp op);
  /// For an array that already has a number.
  void give(core::ArrayId result, core::ArrayOp op);
  core::Value host(core::ScalarType type, decltype(core::Stmt::op) op);
  core::Value host(core::ScalarOp op, core::Value a, core::Value b);  // i64
  core::Value number(std::int64_t x);

 private:
  core::Binding& next(core::ArrayOp op);

  core::Program& program_;
  const core::Binding& like_;
  std::vector<core::Binding>& out_;
};

}  // namespace hasten::passes
