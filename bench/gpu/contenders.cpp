// The harness's check does what is needed once before measuring: it compiles and allocates memory.
#include "contenders.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace bench::gpu {
namespace {

constexpr std::size_t stride = 61;
void* cub_library = nullptr;

}  // namespace

Contender hand(std::string name, Rules rules, std::function<void()> enqueue,
               std::function<std::vector<float>()> output) {
  return {std::move(name), rules, false,
          [enqueue = std::move(enqueue)] {
            enqueue();
            Device::get().wait();
          },
          std::move(output)};
}

std::vector<Contender> hand_by_each_rule(const std::function<void(Rules)>& enqueue,
                                         const std::function<std::vector<float>()>& output) {
  const auto by = [&](const char* name, Rules rules) {
    return hand(name, rules, [=] { enqueue(rules); }, output);
  };
  return {by("hand-strict", Rules::strict), by("hand", Rules::contract),
          by("hand-fast-math", Rules::any)};
}

std::vector<float> sampled(std::vector<float> all) {
  if (all.empty()) return all;
  const float last = all.back();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all.size(); i += stride) all[kept++] = all[i];
  all.resize(kept);
  all.push_back(last);
  return all;
}

// -- the machine
// ------------------------------------------------------------------------------------

contenders::Limit limit_read(std::int64_t elements) {
  constexpr std::int64_t most_parts = 1 << 16;
  const auto x = on_device<float>(elements);
  const auto parts = on_device<float>(most_parts);
  Device& device = Device::get();
  const std::int64_t blocks = std::min(device.blocks_for(elements / 4), most_parts);
  return {"read", contenders::Resource::bandwidth, 4.0 * static_cast<double>(elements),
          [=, &device] {
            device.launch("sum_parts", Rules::strict, blocks,
                          {parts->address(), x->address(), elements / 4});
            device.wait();
          }};
}

std::vector<contenders::Limit> limits_copy(std::int64_t elements) {
  const auto from = on_device<float>(elements), to = on_device<float>(elements);
  const double bytes = 8.0 * static_cast<double>(elements);
  Device& device = Device::get();
  const auto kernel = [=, &device](std::int64_t blocks) {
    return [=, &device] {
      device.launch("copy", Rules::strict, blocks, {to->address(), from->address(), elements / 4});
      device.wait();
    };
  };
  const std::int64_t many = (elements / 4 + 255) / 256;
  return {{"copy", contenders::Resource::bandwidth, bytes, kernel(device.blocks_for(elements / 4))},
          {"copy-wide", contenders::Resource::bandwidth, bytes,
           kernel(std::max<std::int64_t>(many, 1))},
          {"copy-driver", contenders::Resource::bandwidth, bytes, [=, &device] {
             device.check("cuMemcpyDtoDAsync",
                          device.extra().copy_on_device(to->address(), from->address(),
                                                        static_cast<std::size_t>(elements) * 4,
                                                        device.stream()));
             device.wait();
           }}};
}

contenders::Limit limit_multiply_adds() {
  Device& device = Device::get();
  constexpr std::int64_t rounds = 64;
  const std::int64_t blocks = 16 * device.properties().multiprocessors;
  const auto out = on_device<float>(blocks * 256);
  const double operations = 2.0 * 8 * 16 * static_cast<double>(rounds * blocks * 256);
  return {"multiply-adds", contenders::Resource::f32, operations, [=, &device] {
            device.launch("multiply_adds", Rules::contract, blocks,
                          {out->address(), 0.999f, 0.001f, rounds});
            device.wait();
          }};
}

// -- CUB
// ----------------------------------------------------------------------------------------------

void Cub::open(const std::string& file) {
  cub_library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!cub_library)
    throw std::runtime_error(std::string("CUB's library does not open: ") + dlerror());
}

bool Cub::is_there() { return cub_library != nullptr; }

void* Cub::find(const char* function) {
  return cub_library ? dlsym(cub_library, function) : nullptr;
}

namespace detail {

std::vector<Contender> cub(const std::function<int(void*, std::size_t*, void*)>& call,
                           std::function<std::vector<float>()> output) {
  const auto check = [](int error) {
    if (error != 0) throw std::runtime_error("CUB gives cudaError " + std::to_string(error));
  };
  const auto size = std::make_shared<std::size_t>(0);
  const auto memory = std::make_shared<std::shared_ptr<Bytes>>();
  return {hand(
      "cub", Rules::strict,
      [=] {
        void* const stream = Device::get().stream();
        if (!*memory) {
          check(call(nullptr, size.get(), stream));
          *memory = std::make_shared<Bytes>(*size);
        }
        check(call(reinterpret_cast<void*>((*memory)->address()), size.get(), stream));
      },
      std::move(output))};
}

}  // namespace detail
}  // namespace bench::gpu
