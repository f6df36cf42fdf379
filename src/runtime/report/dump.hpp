// HASTEN_DUMP=surface,core,fused,kernels,plan,llvm,asm: the stages of a program while it is
// compiled, on standard error. `dir=PATH` in the list writes files PATH/<program>-<stage>.txt
// instead.
#pragma once

#include <source_location>
#include <string>
#include <vector>

namespace hasten::runtime {

/// The dumps of one program.
class Dump {
 public:
  /// A silent one wants no stage.
  explicit Dump(const std::source_location& where, bool is_silent = false);

  [[nodiscard]] bool wants(const std::string& stage) const;
  /// The text is only made if the stage is wanted.
  template <class F>
  void stage(const std::string& name, F&& text) {
    if (wants(name)) write(name, text());
  }
  void write(const std::string& stage, const std::string& text);

 private:
  std::vector<std::string> stages_;
  std::string folder_, program_;
};

}  // namespace hasten::runtime
