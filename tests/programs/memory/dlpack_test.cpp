// Arrays of other libraries through DLPack, and Hasten's arrays for other libraries.
#include "../support.hpp"

#include "tests/support/places.hpp"

#include <hasten/libraries/dlpack.hpp>

#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using hs::Array, hs::Matrix, hs::Scalar, hs::Vector;
namespace dlpack = hs::dlpack;

// The structs as <dlpack/dlpack.h> 1.0 declares them.
namespace header {
enum DLDeviceType : std::int32_t { kDLCPU = 1, kDLCUDA = 2 };
struct DLDevice {
  DLDeviceType device_type;
  std::int32_t device_id;
};
struct DLDataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};
}  // namespace header

namespace {

static_assert(sizeof(dlpack::Tensor) == 48 && sizeof(dlpack::ManagedTensor) == 64);
static_assert(sizeof(dlpack::ManagedTensorVersioned) == 80);
static_assert(offsetof(dlpack::ManagedTensorVersioned, dl_tensor) == 32);
static_assert(offsetof(dlpack::Tensor, byte_offset) == 40);

// A producer's tensor, which counts its deletions.
template <class Managed = dlpack::ManagedTensor>
struct Produced {
  std::vector<std::int64_t> shape, strides;
  int deleted = 0;
  Managed managed{};

  Produced(void* data, dlpack::DataType type, std::vector<std::int64_t> extents,
           std::vector<std::int64_t> steps = {})
      : shape(std::move(extents)),
        strides(std::move(steps)) {
    auto& tensor = managed.dl_tensor;
    tensor.data = data;
    tensor.device = {static_cast<decltype(tensor.device.device_type)>(1), 0};
    tensor.ndim = static_cast<std::int32_t>(shape.size());
    tensor.dtype = {type.code, type.bits, type.lanes};
    tensor.shape = shape.data();
    tensor.strides = strides.empty() ? nullptr : strides.data();
    managed.manager_ctx = this;
    managed.deleter = [](Managed* self) { ++static_cast<Produced*>(self->manager_ctx)->deleted; };
  }
};
constexpr dlpack::DataType f32{2, 32, 1}, i32{0, 32, 1};

class Dlpack : public hasten_test::OnEveryDevice {};

// DLPack's device type for the target's memory.
std::int32_t device_type_of(const hs::Target& target) {
  const std::string kind = hs::test::kind_of(target.name());
  return kind == "cuda" ? 2 : kind == "opencl" ? 4 : 1;
}

TEST_P(Dlpack, TakesATensorOver) {
  std::vector<float> data{1, 2, 3, 4, 5, 6};
  Produced produced(data.data(), f32, {2, 3});
  {
    const auto matrix = hs::from_dlpack<float, 2>(&produced.managed);
    EXPECT_EQ(matrix.span().data(), data.data());  // no copy
    EXPECT_EQ(run(hs::sum(hs::use(matrix))), (Vector<float>{6, 15}));
    const auto copy = matrix;
    EXPECT_EQ(produced.deleted, 0);
  }
  EXPECT_EQ(produced.deleted, 1);
}

TEST_P(Dlpack, GivesATensor) {
  auto* const tensor = hs::to_dlpack(run(hs::reshape(hs::ix(2, 3), hs::iota<float>(6))));
  EXPECT_EQ(tensor->version.major, 1U);
  EXPECT_EQ(tensor->flags & 1, 1U);  // read only
  const dlpack::Tensor& given = tensor->dl_tensor;
  EXPECT_EQ(given.device.device_type, 1);
  EXPECT_EQ(given.ndim, 2);
  EXPECT_EQ(given.dtype.code, 2);
  EXPECT_EQ(given.dtype.bits, 32);
  EXPECT_EQ(given.dtype.lanes, 1);
  EXPECT_EQ(std::vector(given.shape, given.shape + 2), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(std::vector(given.strides, given.strides + 2), (std::vector<std::int64_t>{3, 1}));
  EXPECT_EQ(given.byte_offset, 0U);
  EXPECT_EQ(static_cast<const float*>(given.data)[5], 5);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(given.data) % 64, 0U);
  tensor->deleter(tensor);
}

TEST_P(Dlpack, ThereAndBack) {
  const Matrix<float> matrix = run(hs::transpose(hs::use(Matrix<float>{{1, 2}, {3, 4}, {5, 6}})));
  const auto back = hs::from_dlpack<float, 2>(hs::to_dlpack(matrix));
  EXPECT_EQ(back, matrix);
  EXPECT_EQ(back.span().data(), matrix.span().data());
  EXPECT_EQ(run(hs::use(back) + 1.0F), run(hs::use(matrix) + 1.0F));
}

TEST_P(Dlpack, LendsMemoryOfItsTarget) {
  const hs::Target target = GetParam().target;
  const std::string kind = hs::test::kind_of(target.name());
  const Vector<float> a{1, 2, 3};
  dlpack::ManagedTensorVersioned* const lent = hs::to_dlpack(a, target);
  EXPECT_EQ(lent->dl_tensor.device.device_type, device_type_of(target));
  EXPECT_EQ(lent->dl_tensor.device.device_id, 0);
  EXPECT_EQ(lent->dl_tensor.ndim, 1);
  if (kind == "cpu") {
    EXPECT_EQ(lent->dl_tensor.data, a.span().data());
  }
  lent->deleter(lent);
}

// A result goes to another library and back without passing through the host.
TEST_P(Dlpack, StaysOnTheDevice) {
  const hs::Target target = GetParam().target;
  const std::int32_t device_type = device_type_of(target);
  if (device_type == 1) GTEST_SKIP() << "skipped: only memory of devices";
  const auto add = hs::compile(
      [](const hs::Acc<Vector<float>>& x) { return hs::map([](auto e) { return e + 1; }, x); },
      GetParam());
  const std::vector<float> list(5000, 2);
  const auto made = add(Vector<float>(std::span(list)));
  const hs::Statistics before = hs::statistics();
  dlpack::ManagedTensor* const lent = hs::to_dlpack<dlpack::ManagedTensor>(made, target);
  ASSERT_EQ(lent->dl_tensor.device.device_type, device_type);
  // CUDA's addresses are arbitrary; OpenCL's devices have sub-buffers at multiples of an alignment.
  const std::int64_t skipped = device_type == 2 ? 1 : 512, left = 5000 - skipped;
  Produced others(lent->dl_tensor.data, f32, {left});
  others.managed.dl_tensor.device = {device_type, 0};
  others.managed.dl_tensor.byte_offset = static_cast<std::uint64_t>(skipped) * sizeof(float);
  const auto all_of = [&](float x) {
    return std::vector<float>(static_cast<std::size_t>(left), x);
  };
  {
    const auto adopted = hs::from_dlpack<float, 1>(&others.managed);
    const auto twice = add(adopted);
    const auto again = add(adopted);
    const hs::Statistics since = hs::statistics() - before;
    EXPECT_EQ(since.bytes_to_devices, 0);
    EXPECT_EQ(since.bytes_from_devices, 0);
    EXPECT_EQ(twice.to_vector(), all_of(4));
    EXPECT_EQ(again.to_vector(), all_of(4));
    EXPECT_EQ(others.deleted, 0);
    EXPECT_EQ(adopted.to_vector(), all_of(3));
  }
  EXPECT_EQ(others.deleted, 1);
  lent->deleter(lent);
  EXPECT_EQ(made(4999), 3);
}

TEST_P(Dlpack, GivesDeviceMemoryBack) {
  const hs::Target target = GetParam().target;
  const std::int32_t device_type = device_type_of(target);
  if (device_type == 1) GTEST_SKIP() << "skipped: only memory of devices";
  const Vector<float> a{1, 2, 3, 4};
  dlpack::ManagedTensor* const lent = hs::to_dlpack<dlpack::ManagedTensor>(a, target);
  Produced others(lent->dl_tensor.data, f32, {2, 2});
  others.managed.dl_tensor.device = {device_type, 0};
  const auto adopted = hs::from_dlpack<float, 2>(&others.managed);
  hs::release(adopted);  // to the host
  EXPECT_EQ(others.deleted, 1);
  EXPECT_EQ(adopted, (Matrix<float>{{1, 2}, {3, 4}}));
  Produced turned(lent->dl_tensor.data, f32, {2, 2}, {1, 2});
  turned.managed.dl_tensor.device = {device_type, 0};
  EXPECT_THROW((static_cast<void>(hs::from_dlpack<float, 2>(&turned.managed))), hs::ShapeError);
  EXPECT_EQ(turned.deleted, 1);
  lent->deleter(lent);
}

HASTEN_ON_EVERY_DEVICE(Dlpack);

TEST(DlpackTensors, WithStridesAndOffsets) {
  std::vector<std::int32_t> data{0, 1, 2, 3, 4, 5, 6, 7};
  Produced turned(data.data(), i32, {3, 2}, {1, 4});
  turned.managed.dl_tensor.byte_offset = 4;
  EXPECT_EQ((hs::from_dlpack<std::int32_t, 2>(&turned.managed)),
            (Matrix<std::int32_t>{{1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(turned.deleted, 1);  // it was copied
  Produced backwards(data.data() + 7, i32, {3}, {-3});
  EXPECT_EQ((hs::from_dlpack<std::int32_t, 1>(&backwards.managed)),
            (Vector<std::int32_t>{7, 4, 1}));
  Produced odd(data.data(), {1, 8, 1}, {2});  // bytes that are read as numbers below
  odd.managed.dl_tensor.dtype = {0, 32, 1};
  odd.managed.dl_tensor.byte_offset = 1;
  EXPECT_EQ((hs::from_dlpack<std::int32_t, 1>(&odd.managed)(0)), 1 << 24);
  EXPECT_EQ(odd.deleted, 1);
}

TEST(DlpackTensors, OfNothingAndOfOneElement) {
  Produced nothing(nullptr, f32, {0, 3});
  EXPECT_EQ((hs::from_dlpack<float, 2>(&nothing.managed).shape()), hs::ix(0, 3));
  EXPECT_EQ(nothing.deleted, 1);
  float x = 7;
  Produced one(&x, f32, {});
  one.managed.dl_tensor.shape = nullptr;
  EXPECT_EQ((hs::from_dlpack<float, 0>(&one.managed).item()), 7);
  Produced kept(&x, f32, {1});
  kept.managed.deleter = nullptr;
  EXPECT_EQ((hs::from_dlpack<float, 1>(&kept.managed)(0)), 7);
  auto* const empty = hs::to_dlpack(Vector<float>{});
  EXPECT_EQ(empty->dl_tensor.shape[0], 0);
  empty->deleter(empty);
}

template <class T>
void goes_there_and_back(const Vector<T>& array, std::uint8_t code) {
  auto* const tensor = hs::to_dlpack<dlpack::ManagedTensor>(array);
  EXPECT_EQ(tensor->dl_tensor.dtype.code, code);
  EXPECT_EQ(tensor->dl_tensor.dtype.bits, 8 * sizeof(T));
  EXPECT_EQ((hs::from_dlpack<T, 1>(tensor)), array);
}

TEST(DlpackTensors, OfEveryType) {
  goes_there_and_back<bool>({true, false}, 6);
  goes_there_and_back<std::int8_t>({1, -2}, 0);
  goes_there_and_back<std::int64_t>({1, -2}, 0);
  goes_there_and_back<std::uint16_t>({1, 2}, 1);
  goes_there_and_back<hs::half>({hs::half(1.0F)}, 2);
  goes_there_and_back<hs::bfloat16>({hs::bfloat16(1.0F)}, 4);
  goes_there_and_back<double>({1, -2}, 2);
  goes_there_and_back<std::complex<float>>({{1, -2}}, 5);
}

TEST(DlpackTensors, OfTheHeadersStructs) {
  std::vector<float> data{1, 2};
  Produced<header::DLManagedTensor> produced(data.data(), f32, {2});
  EXPECT_EQ((hs::from_dlpack<float, 1>(&produced.managed)), (Vector<float>{1, 2}));
  EXPECT_EQ(produced.deleted, 1);
  auto* const given = hs::to_dlpack<header::DLManagedTensor>(Vector<float>{3, 4});
  EXPECT_EQ(given->dl_tensor.device.device_type, header::kDLCPU);
  EXPECT_EQ(static_cast<const float*>(given->dl_tensor.data)[1], 4);
  given->deleter(given);
}

// Each tensor is deleted once; the error names the place of the call.
template <class E, class Managed>
void expect_error(Produced<Managed>& produced, const std::string& words) {
  try {
    static_cast<void>(hs::from_dlpack<float, 1>(&produced.managed));
    ADD_FAILURE() << "no error: " << words;
  } catch (const E& error) {
    EXPECT_TRUE(hs::test::begins_with_its_place(error)) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
  EXPECT_EQ(produced.deleted, 1);
}

TEST(DlpackTensors, ThatDoNotFitAreErrors) {
  float x[] = {1, 2};
  Produced other_type(x, i32, {2});
  expect_error<hs::Error>(other_type, "elements of int32, and the array of float32");
  Produced lanes(x, {2, 32, 2}, {1});
  expect_error<hs::Error>(lanes, "float32x2");
  Produced other_rank(x, f32, {1, 2});
  expect_error<hs::ShapeError>(other_rank, "rank 2, and the array rank 1");
  Produced on_device(x, f32, {2});
  on_device.managed.dl_tensor.device = {2, 0};
  expect_error<hs::TargetError>(on_device, "memory of a CUDA device; copy it to the host");
  Produced on_no_such(x, f32, {2});
  on_no_such.managed.dl_tensor.device = {4, 1000};
  expect_error<hs::TargetError>(on_no_such, "there is no target \"opencl:1000\" here");
  Produced on_negative(x, f32, {2});
  on_negative.managed.dl_tensor.device = {4, -1};
  expect_error<hs::TargetError>(on_negative, "memory of an OpenCL device");
  Produced on_other_kind(x, f32, {2});
  on_other_kind.managed.dl_tensor.device = {10, 0};
  expect_error<hs::TargetError>(on_other_kind, "memory of a ROCm device; copy it to the host");
  Produced negative(x, f32, {-2});
  expect_error<hs::ShapeError>(negative, "negative");
  Produced nowhere(nullptr, f32, {2});
  expect_error<hs::ShapeError>(nowhere, "null");
  Produced<dlpack::ManagedTensorVersioned> newer(x, f32, {2});
  newer.managed.version = {2, 1};
  expect_error<hs::Error>(newer, "DLPack 2.1");
  EXPECT_THROW((hs::from_dlpack<float, 1>(static_cast<dlpack::ManagedTensor*>(nullptr))),
               hs::Error);
}

}  // namespace
