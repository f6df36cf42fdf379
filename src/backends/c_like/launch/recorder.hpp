// Records launches instead of running them, so that they can be repeated.
#pragma once

#include "backends/c_like/driver.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hasten::backends::c_like {

/// Takes the place of a device while a launch is cut into commands, and records the commands. Any
/// operation that would change the device throws InternalError.
class Recorder final : public Driver {
 public:
  explicit Recorder(const Driver& device) : device_(device) {}
  [[nodiscard]] std::vector<KeptLaunch>& launches() { return launches_; }

  [[nodiscard]] const Dialect& dialect() const override { return device_.dialect(); }
  [[nodiscard]] const SortMethod& sort_method() const override { return device_.sort_method(); }
  [[nodiscard]] std::string name() const override { return device_.name(); }
  [[nodiscard]] std::string description() const override { return device_.description(); }
  [[nodiscard]] std::string fingerprint() const override { return device_.fingerprint(); }
  [[nodiscard]] bool has_double() const override { return device_.has_double(); }
  [[nodiscard]] bool is_processor() const override { return device_.is_processor(); }
  [[nodiscard]] std::int64_t busy_groups(Program& program, const char* function) const override {
    return device_.busy_groups(program, function);
  }
  void launch(Program& program, const char* function, Grid grid,
              std::span<const Argument> arguments) override {
    launches_.push_back(
        {program.shared_from_this(), function, grid, {arguments.begin(), arguments.end()}});
  }

  [[nodiscard]] std::vector<std::byte> compile(const std::string&, const CompileOptions&) override {
    refuse();
  }
  [[nodiscard]] std::shared_ptr<Program> load(std::span<const std::byte>) override { refuse(); }
  [[nodiscard]] Address allocate(std::size_t) override { refuse(); }
  void free(Address) override { refuse(); }
  void write(Address, const std::byte*, std::size_t) override { refuse(); }
  void read(std::byte*, Address, std::size_t) override { refuse(); }
  void finish() override { refuse(); }

 private:
  [[noreturn]] static void refuse();

  const Driver& device_;
  std::vector<KeptLaunch> launches_;
};

/// Runs them as one command where the device supports that, else one by one.
std::unique_ptr<Replay> make_replay(std::shared_ptr<Driver> driver,
                                    std::vector<KeptLaunch> launches);

}  // namespace hasten::backends::c_like
