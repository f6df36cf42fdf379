// A driver that computes nothing and records its calls.
#pragma once

#include "backends/c_like/driver.hpp"
#include "backends/c_like/launch/sort/sort.hpp"

#include <hasten/run/error.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

namespace hasten::backends::c_like {

class CountingDriver : public Driver {
 public:
  [[nodiscard]] const Dialect& dialect() const override { return *kind; }
  [[nodiscard]] const SortMethod& sort_method() const override { return sort_method_of(*kind); }
  [[nodiscard]] std::string name() const override { return "counting"; }
  [[nodiscard]] std::string description() const override { return "counts"; }
  [[nodiscard]] std::string fingerprint() const override { return "counting"; }
  [[nodiscard]] bool has_double() const override { return true; }
  [[nodiscard]] bool is_processor() const override { return false; }
  [[nodiscard]] std::vector<std::byte> compile(const std::string& text,
                                               const CompileOptions& options) override {
    const std::lock_guard lock(mutex_);
    ++compiled;
    texts.push_back(text);
    if (refuses && text.find(refuses) != std::string::npos) throw InternalError("refused");
    last_text = text;
    last_options = options;
    return {std::byte{7}};
  }
  [[nodiscard]] std::shared_ptr<Program> load(std::span<const std::byte> bytes) override {
    const std::lock_guard lock(mutex_);
    ++loaded;
    if (bytes.front() != std::byte{7}) throw TargetError("no code");
    return std::make_shared<Program>();
  }
  [[nodiscard]] std::int64_t busy_groups(Program&, const char*) const override { return 1; }
  [[nodiscard]] Address allocate(std::size_t) override { return &memory; }
  void free(Address) override {}
  void write(Address, const std::byte*, std::size_t) override {}
  void read(std::byte*, Address, std::size_t) override {}
  void launch(Program&, const char* function, Grid, std::span<const Argument> arguments) override {
    functions.emplace_back(function);
    if (const auto* const number = std::get_if<Number>(&arguments.back()))
      last_number_bytes = number->bytes;
  }
  void finish() override {}

  const Dialect* kind = &Dialect::cuda;
  int compiled = 0, loaded = 0;
  std::vector<std::string> texts;
  const char* refuses = nullptr;  // text that it refuses to compile
  std::string last_text;
  CompileOptions last_options;
  std::vector<std::string> functions;
  std::size_t last_number_bytes = 0;
  std::byte memory = {};

 private:
  std::mutex mutex_;
};

/// Returns the same byte to all callers, which none of them uses.
class OneByte final : public ScratchMemory {
 public:
  explicit OneByte(std::byte& byte) : byte_(byte) {}
  [[nodiscard]] std::byte* take(std::size_t) override { return &byte_; }

 private:
  std::byte& byte_;
};

}  // namespace hasten::backends::c_like
