// The seam's functions for any device that is programmed in text.
#include "backends/backend.hpp"

#include "backends/c_like/code_version.hpp"
#include "backends/c_like/launch.hpp"
#include "backends/c_like/sort.hpp"

namespace hasten::backends {
namespace c_like {
namespace {

class CLikeBackend final : public Backend {
 public:
  explicit CLikeBackend(std::shared_ptr<Driver> driver)
      : driver_(std::move(driver)),
        sorter_(*driver_) {}

  [[nodiscard]] std::string name() const override { return driver_->name(); }
  [[nodiscard]] std::string description() const override { return driver_->description(); }
  [[nodiscard]] std::string fingerprint() const override {
    return std::string("c_like ") + code_version + " " + driver_->fingerprint();
  }
  [[nodiscard]] bool supports(core::ScalarType type) const override {
    return driver_->has_double() ||
           (type != core::ScalarType::f64 && type != core::ScalarType::c128);
  }

  void keep_code_in(std::shared_ptr<const CodeStore> store) override {
    sorter_.keep_code_in(std::move(store));
  }

  [[nodiscard]] std::vector<std::byte> compile(const kernels::Kernel& kernel,
                                               const CompileOptions& options) override {
    return driver_->compile(source_of(kernel, driver_->dialect()), options);
  }
  [[nodiscard]] std::shared_ptr<const Code> load(const kernels::Kernel& kernel,
                                                 std::span<const std::byte> bytes) override {
    return std::make_shared<LoadedKernel>(kernel, driver_->load(bytes));
  }
  void launch(const Code& code, const LaunchArguments& arguments) override {
    c_like::launch(*driver_, sorter_, static_cast<const LoadedKernel&>(code), arguments);
  }
  void sort_positions(std::span<const std::int64_t> extents,
                      std::span<const core::ScalarType> types,
                      std::span<const std::byte* const> keys, std::int64_t* positions) override {
    std::int64_t rows = 1;
    for (const std::int64_t extent : extents.first(extents.size() - 1)) rows *= extent;
    sorter_.sort({rows, extents.back()}, types, keys, reinterpret_cast<Address>(positions));
  }

  [[nodiscard]] bool in_host_memory() const override { return false; }
  [[nodiscard]] std::size_t memory_bytes() const override { return driver_->memory_bytes(); }
  [[nodiscard]] std::byte* allocate(std::size_t bytes) override { return driver_->allocate(bytes); }
  void free(std::byte* address) override { driver_->free(address); }
  void write(std::byte* to, const std::byte* from, std::size_t bytes) override {
    driver_->write(to, from, bytes);
  }
  void read(std::byte* to, const std::byte* from, std::size_t bytes) override {
    driver_->read(to, const_cast<Address>(from), bytes);
  }
  void finish() override { driver_->finish(); }

  [[nodiscard]] std::string dump(const kernels::Kernel& kernel, const CompileOptions&,
                                 const std::string& stage) override {
    const bool own = stage == (driver_->dialect() == Dialect::opencl ? "opencl" : "cuda");
    return own ? source_of(kernel, driver_->dialect()) : std::string();
  }

 private:
  std::shared_ptr<Driver> driver_;
  Sorter sorter_;
};

}  // namespace

std::shared_ptr<Backend> make_c_like_backend(std::shared_ptr<Driver> driver) {
  return std::make_shared<CLikeBackend>(std::move(driver));
}

}  // namespace c_like
}  // namespace hasten::backends
