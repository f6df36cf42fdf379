// Texts are read when a context is created, and compiled when a kernel is first launched.
#include "ahead/call/linked/device_code.hpp"

#include "ahead/archive/library.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace hasten::ahead {
namespace {

// Code that belongs to no kernel, on the backend's request. Code that the backend makes is not
// stored.
class CommonCode final : public backends::CodeStore {
 public:
  explicit CommonCode(std::shared_ptr<const backends::DeviceTexts> texts)
      : texts_(std::move(texts)) {}
  [[nodiscard]] std::optional<std::vector<std::byte>> find(std::string_view name) const override {
    const auto found = std::ranges::find(texts_->common, name, &backends::TextModule::name);
    if (found == texts_->common.end()) return std::nullopt;
    return found->code;
  }
  void store(std::string_view, std::span<const std::byte>) const override {}

 private:
  std::shared_ptr<const backends::DeviceTexts> texts_;
};

class DeviceCode final : public LinkedCode {
 public:
  DeviceCode(std::shared_ptr<backends::Backend> backend, backends::DeviceTexts texts)
      : backend_(std::move(backend)),
        memory_(std::make_shared<runtime::DeviceMemory>(backend_)),
        texts_(std::make_shared<const backends::DeviceTexts>(std::move(texts))) {
    backend_->keep_code_in(std::make_shared<const CommonCode>(texts_));
  }

  [[nodiscard]] std::shared_ptr<backends::Backend> backend() const override { return backend_; }
  [[nodiscard]] std::shared_ptr<runtime::DeviceMemory> memory() const override { return memory_; }
  [[nodiscard]] std::shared_ptr<const backends::Code> kernel(
      std::uint32_t number, const kernels::Kernel& kernel) const override {
    return backends::linked_text(
        *backend_, kernel,
        std::shared_ptr<const backends::TextKernel>(texts_, &texts_->kernels.at(number)));
  }

 private:
  std::shared_ptr<backends::Backend> backend_;
  std::shared_ptr<runtime::DeviceMemory> memory_;
  std::shared_ptr<const backends::DeviceTexts> texts_;
};

}  // namespace

std::unique_ptr<LinkedCode> open_device(const hasten_device_code& code, std::size_t device,
                                        const char* kind, MakeDevice make) {
  std::string why;
  std::shared_ptr<backends::Backend> backend = make(device, why);
  if (!backend)
    throw TargetError(std::string("there is no device ") + kind + ":" + std::to_string(device) +
                      ": " + why);
  return std::make_unique<DeviceCode>(std::move(backend), read_texts(bytes_of(code.kernels)));
}

}  // namespace hasten::ahead
