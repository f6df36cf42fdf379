// OpenCL memory through DLPack, as another library would make and read it: by OpenCL's own calls,
// in the target's context.
#include "../foreign/devices.hpp"
#include "tests/support/device_functions.hpp"
#include "tests/support/places.hpp"

#include <hasten/libraries/dlpack.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using hs::Vector;
namespace dlpack = hs::dlpack;

namespace {

using Handle = void*;
using Flags = std::uint64_t;

// Constants of <CL/cl.h>.
constexpr unsigned memory_size = 0x1102, memory_references = 0x1105, memory_context = 0x1106,
                   context_devices = 0x1081, region_of_bytes = 0x1220;
constexpr Flags read_write = 1, write_only = 2, read_only = 4, from_host = 32, no_access = 512;

struct Opencl {
  using Info = int(Handle, unsigned, std::size_t, void*, std::size_t*);
  template <class F>
  static F* function(const char* name) {
    return hs::test::function_of<F>("libOpenCL.so.1", name);
  }
  Info* memory_info = function<Info>("clGetMemObjectInfo");
  Info* context_info = function<Info>("clGetContextInfo");
  int (*release)(Handle) = function<int(Handle)>("clReleaseMemObject");
  int (*release_context)(Handle) = function<int(Handle)>("clReleaseContext");
  int (*release_queue)(Handle) = function<int(Handle)>("clReleaseCommandQueue");

  template <class T>
  [[nodiscard]] static T asked(Info* info, Handle of, unsigned what) {
    T answer{};
    hs::test::check_device(info(of, what, sizeof answer, &answer, nullptr));
    return answer;
  }
  [[nodiscard]] Handle context_of(Handle memory) const {
    return asked<Handle>(memory_info, memory, memory_context);
  }
  [[nodiscard]] Handle device_of(Handle context) const {
    return asked<Handle>(context_info, context, context_devices);
  }
  [[nodiscard]] static Handle buffer(Handle context, Flags flags, const std::vector<float>& of) {
    int error = 0;
    Handle made = function<Handle(Handle, Flags, std::size_t, const void*, int*)>("clCreateBuffer")(
        context, flags, of.size() * sizeof(float), (flags & from_host) != 0 ? of.data() : nullptr,
        &error);
    hs::test::check_device(error);
    return made;
  }
  [[nodiscard]] static Handle part(Handle memory, std::array<std::size_t, 2> region) {
    int error = 0;
    Handle made = function<Handle(Handle, Flags, unsigned, const void*, int*)>("clCreateSubBuffer")(
        memory, 0, region_of_bytes, region.data(), &error);
    hs::test::check_device(error);
    return made;
  }
  [[nodiscard]] std::vector<float> read(Handle memory, std::size_t count) const {
    Handle context = context_of(memory);
    int error = 0;
    Handle queue = function<Handle(Handle, Handle, Flags, int*)>("clCreateCommandQueue")(
        context, device_of(context), 0, &error);
    hs::test::check_device(error);
    std::vector<float> all(count);
    hs::test::check_device(function<int(Handle, Handle, unsigned, std::size_t, std::size_t, void*,
                                        unsigned, const void*, void*)>("clEnqueueReadBuffer")(
        queue, memory, 1, 0, count * sizeof(float), all.data(), 0, nullptr, nullptr));
    release_queue(queue);
    return all;
  }
};

// A tensor of floats in such memory; its deleter counts, and releases the memory.
struct Lent {
  const Opencl& opencl;
  std::int64_t extent;
  int deleted = 0;
  dlpack::ManagedTensor managed{};

  Lent(const Opencl& functions, Handle memory, std::int64_t count, std::uint64_t offset = 0)
      : opencl(functions),
        extent(count) {
    managed.dl_tensor = {memory, {4, 0}, 1, {2, 32, 1}, &extent, nullptr, offset};
    managed.manager_ctx = this;
    managed.deleter = [](dlpack::ManagedTensor* self) {
      auto& lent = *static_cast<Lent*>(self->manager_ctx);
      ++lent.deleted;
      lent.opencl.release(self->dl_tensor.data);
    };
  }
};

class DlpackOfOpencl : public hasten_test::OnEveryDevice {
 protected:
  void SetUp() override {
    OnEveryDevice::SetUp();
    if (IsSkipped()) return;
    opencl_.emplace();
    auto* const lent = hs::to_dlpack(Vector<float>{1}, hs::opencl(0));
    context_ = opencl_->context_of(lent->dl_tensor.data);
    lent->deleter(lent);
  }
  [[nodiscard]] Handle made(Flags flags, const std::vector<float>& of) const {
    return Opencl::buffer(context_, flags, of);
  }
  void expect_refused(Handle memory, const std::string& words, std::uint64_t offset = 0) const {
    Lent lent(*opencl_, memory, 2, offset);
    try {
      static_cast<void>(hs::from_dlpack<float, 1>(&lent.managed));
      ADD_FAILURE() << "no error: " << words;
    } catch (const hs::TargetError& error) {
      EXPECT_TRUE(hs::test::begins_with_its_place(error)) << error.what();
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
    EXPECT_EQ(lent.deleted, 1);
  }
  std::optional<Opencl> opencl_;
  Handle context_ = nullptr;
};

auto doubled() {
  return hs::compile([](const hs::Acc<Vector<float>>& x) { return x * 2.0F; },
                     hs::Options{.target = hs::opencl(0)});
}

TEST_P(DlpackOfOpencl, OthersReadWhatIsLent) {
  const auto twice = doubled()({1, 2, 3});
  auto* const lent = hs::to_dlpack(twice, hs::opencl(0));
  Handle memory = lent->dl_tensor.data;
  EXPECT_EQ(lent->dl_tensor.byte_offset, 0U);
  EXPECT_GE(Opencl::asked<std::size_t>(opencl_->memory_info, memory, memory_size), 12U);
  EXPECT_EQ(opencl_->read(memory, 3), (std::vector<float>{2, 4, 6}));
  lent->deleter(lent);
}

TEST_P(DlpackOfOpencl, ProgramsReadOthersMemoryWhereItIs) {
  for (const Flags kind : {read_write, read_only}) {
    Handle memory = made(kind | from_host, {1, 2, 3, 4});
    Lent lent(*opencl_, memory, 3);  // a part of it
    {
      const auto array = hs::from_dlpack<float, 1>(&lent.managed);
      const hs::Statistics before = hs::statistics();
      const auto twice = doubled()(array);
      const hs::Statistics since = hs::statistics() - before;
      EXPECT_EQ(since.bytes_to_devices, 0);
      EXPECT_EQ(since.bytes_from_devices, 0);
      EXPECT_EQ(twice, (Vector<float>{2, 4, 6}));
      EXPECT_EQ(array, (Vector<float>{1, 2, 3}));
      EXPECT_EQ(lent.deleted, 0);
      EXPECT_EQ(Opencl::asked<unsigned>(opencl_->memory_info, memory, memory_references), 1U);
    }
    EXPECT_EQ(lent.deleted, 1);
  }
}

// OpenCL makes no sub-buffers of a sub-buffer.
TEST_P(DlpackOfOpencl, PartsOfParts) {
  constexpr std::size_t step = 4096;  // bytes; no device requires more
  std::vector<float> all(3 * step / sizeof(float));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(i);
  Handle memory = made(read_write | from_host, all);
  Handle second_and_third = Opencl::part(memory, {step, 2 * step});
  Lent lent(*opencl_, second_and_third, 2, step);
  {
    const auto third = hs::from_dlpack<float, 1>(&lent.managed);
    EXPECT_EQ(third, (Vector<float>{2048, 2049}));
    EXPECT_EQ(doubled()(third), (Vector<float>{4096, 4098}));
    EXPECT_EQ(lent.deleted, 0);
  }
  EXPECT_EQ(lent.deleted, 1);
  EXPECT_EQ(Opencl::asked<unsigned>(opencl_->memory_info, memory, memory_references), 1U);
  opencl_->release(memory);
}

TEST_P(DlpackOfOpencl, WhatCannotBeReadIsRefused) {
  const std::vector<float> two{1, 2}, five{1, 2, 3, 4, 5};
  expect_refused(made(write_only, two), "kernels may not read it");
  expect_refused(made(read_write | no_access, two), "the host may not read it");
  expect_refused(made(read_write, {1}), "it has 4 bytes, and the tensor is 8 from byte 0 on");
  expect_refused(made(read_write, two), "it has 8 bytes, and the tensor is 8 from byte 4 on", 4);
  expect_refused(made(read_write, two), "from byte 18446744073709551612 on", ~std::uint64_t{3});
  expect_refused(made(read_write, five), "it begins at byte 4 of its memory object", 4);
}

TEST_P(DlpackOfOpencl, OtherContextsAreRefused) {
  int error = 0;
  Handle device = opencl_->device_of(context_);
  Handle other = Opencl::function<Handle(const void*, unsigned, const Handle*, void*, void*, int*)>(
      "clCreateContext")(nullptr, 1, &device, nullptr, nullptr, &error);
  hs::test::check_device(error);
  expect_refused(Opencl::buffer(other, read_write, {1, 2}), "memory of another context");
  opencl_->release_context(other);
}

INSTANTIATE_TEST_SUITE_P(Targets, DlpackOfOpencl,
                         testing::Values(hs::Options{.target = hs::opencl(0)}),
                         hasten_test::target_name);

}  // namespace
