// The hand-written kernels, CUB and the machine's limits as contenders and limits of a case.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../harness.hpp"
#include "device.hpp"

namespace bench::gpu {

template <class T>
using Shared = std::shared_ptr<Elements<T>>;

template <class T>
Shared<T> on_device(std::span<const T> from) {
  return std::make_shared<Elements<T>>(from);
}
template <class T>
Shared<T> on_device(std::int64_t size) {
  return std::make_shared<Elements<T>>(size);
}

/// A wait follows `enqueue`, as it follows every call of a Hasten program.
Contender hand(std::string name, Rules rules, std::function<void()> enqueue,
               std::function<std::vector<float>()> output);
/// One contender for each of the rules: "hand-strict", "hand", "hand-fast-math".
std::vector<Contender> hand_by_each_rule(const std::function<void(Rules)>& enqueue,
                                         const std::function<std::vector<float>()>& output);

/// The elements of a long result that are compared: at a regular stride, and the last one.
std::vector<float> sampled(std::vector<float> all);
template <class T>
std::function<std::vector<float>()> sample_of(Shared<T> out) {
  return [out] {
    const std::vector<T> all = out->home();
    std::vector<float> floats(all.begin(), all.end());
    return sampled(std::move(floats));
  };
}

contenders::Limit limit_read(std::int64_t elements);
std::vector<contenders::Limit> limits_copy(std::int64_t elements);
contenders::Limit limit_multiply_adds();

/// The functions of CUB, if its library was given.
class Cub {
 public:
  /// Throws std::runtime_error if the file cannot be opened.
  static void open(const std::string& file);
  [[nodiscard]] static bool is_there();
  /// Null if there is no such function.
  [[nodiscard]] static void* find(const char* function);
};

/// Empty without CUB. `call` receives the function, the memory that the function asked for and its
/// size, and the stream.
template <class Function>
std::vector<Contender> cub(const char* name,
                           std::function<int(Function*, void*, std::size_t*, void*)> call,
                           std::function<std::vector<float>()> output);

namespace detail {
std::vector<Contender> cub(const std::function<int(void*, std::size_t*, void*)>& call,
                           std::function<std::vector<float>()> output);
}

template <class Function>
std::vector<Contender> cub(const char* name,
                           std::function<int(Function*, void*, std::size_t*, void*)> call,
                           std::function<std::vector<float>()> output) {
  auto* const function = reinterpret_cast<Function*>(Cub::find(name));
  if (!function) return {};
  return detail::cub([=](void* memory, std::size_t* bytes,
                         void* stream) { return call(function, memory, bytes, stream); },
                     std::move(output));
}

}  // namespace bench::gpu
