// Tensors given to and taken from other libraries: every field is checked, and deleters run exactly once.
#include <dlpack/dlpack.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "kernelgen/dlpack.hpp"
#include "kernelgen/error.hpp"
#include "kernelgen/kernelgen.h"

namespace kernelgen {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

Device cpu() { return Device::open("cpu"); }

/// A tensor as another library would export it: f32 [2, 3] over `values`; counts its deletions.
struct Foreign {
  Foreign() {
    managed.dl_tensor = {values.data(), {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape.data(), nullptr, 0};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensor* self) { ++static_cast<Foreign*>(self->manager_ctx)->deleted; };
  }
  Foreign(const Foreign&) = delete;
  Foreign& operator=(const Foreign&) = delete;
  DLTensor& tensor() { return managed.dl_tensor; }

  std::vector<float> values{0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<std::int64_t> shape{2, 3};
  std::vector<std::int64_t> strides{1, 2};
  DLManagedTensor managed{};
  int deleted = 0;
};

std::vector<float> floats(const Tensor& tensor) {
  const auto bytes = tensor.to_host();
  const auto* first = reinterpret_cast<const float*>(bytes.data());
  return {first, first + bytes.size() / sizeof(float)};
}

TEST(DlpackImport, ContiguousWithoutStrides) {
  Foreign foreign;
  {
    const Tensor tensor = from_dlpack(&foreign.managed, cpu());
    EXPECT_EQ(tensor.dtype(), DType::f32);
    EXPECT_EQ(tensor.shape(), (Shape{2, 3}));
    EXPECT_TRUE(tensor.layout().is_contiguous());
    EXPECT_EQ(tensor.data(), foreign.values.data());
    EXPECT_EQ(floats(tensor), (std::vector<float>{0, 1, 2, 3, 4, 5}));
    const Tensor view = tensor.transpose(0, 1);
    EXPECT_EQ(foreign.deleted, 0);
  }
  EXPECT_EQ(foreign.deleted, 1);
}

TEST(DlpackImport, StridesAndByteOffset) {
  Foreign foreign;
  foreign.tensor().strides = foreign.strides.data();
  foreign.tensor().byte_offset = 4;
  EXPECT_EQ(floats(from_dlpack(&foreign.managed, cpu())), (std::vector<float>{1, 3, 5, 2, 4, 6}));
}

TEST(DlpackImport, NegativeAndZeroStrides) {
  Foreign foreign;
  foreign.strides = {0, -2};
  foreign.tensor().strides = foreign.strides.data();
  foreign.tensor().byte_offset = 5 * sizeof(float);
  const Tensor tensor = from_dlpack(&foreign.managed, cpu());
  EXPECT_EQ(tensor.data(), &foreign.values[5]);
  EXPECT_EQ(tensor.storage()->data(), &foreign.values[1]);
  EXPECT_EQ(tensor.storage()->bytes(), 5 * sizeof(float));
  EXPECT_EQ(floats(tensor), (std::vector<float>{5, 3, 1, 5, 3, 1}));
}

TEST(DlpackImport, ScalarEmptyAndNoDeleter) {
  Foreign foreign;
  foreign.tensor().ndim = 0;
  foreign.tensor().shape = nullptr;
  EXPECT_EQ(floats(from_dlpack(&foreign.managed, cpu())), std::vector<float>{0});
  EXPECT_EQ(foreign.deleted, 1);

  Foreign empty;
  empty.shape = {2, 0};
  empty.tensor().shape = empty.shape.data();
  empty.tensor().data = nullptr;
  empty.managed.deleter = nullptr;
  EXPECT_EQ(from_dlpack(&empty.managed, cpu()).elements(), 0);
  EXPECT_EQ(empty.deleted, 0);
}

struct Refusal {
  const char* name;
  std::function<void(Foreign&)> spoil;
  const char* text;
};

class DlpackRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(DlpackRefusal, NamesTheProblemAndLeavesTheTensorToTheCaller) {
  Foreign foreign;
  GetParam().spoil(foreign);
  try {
    from_dlpack(&foreign.managed, cpu());
    FAIL() << "was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::invalid_argument);
    EXPECT_NE(std::string(error.what()).find(GetParam().text), std::string::npos) << error.what();
  }
  EXPECT_EQ(foreign.deleted, 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, DlpackRefusal,
    testing::Values(
        Refusal{"Device", [](Foreign& f) { f.tensor().device = {kDLROCM, 1}; },
                "hip:1 (kDLROCM), wanted on cpu"},
        Refusal{"DeviceType", [](Foreign& f) { f.tensor().device.device_type = kDLMetal; }, "type 8"},
        Refusal{"Lanes", [](Foreign& f) { f.tensor().dtype.lanes = 4; }, "4 lanes"},
        Refusal{"NoLanes", [](Foreign& f) { f.tensor().dtype.lanes = 0; }, "0 lanes"},
        Refusal{"Bits", [](Foreign& f) { f.tensor().dtype.bits = 24; }, "type code 2 with 24 bits"},
        Refusal{"Code", [](Foreign& f) { f.tensor().dtype = {kDLComplex, 64, 1}; }, "f8e4m3=10/8"},
        Refusal{"Rank", [](Foreign& f) { f.tensor().ndim = 9; }, "rank 9"},
        Refusal{"NegativeRank", [](Foreign& f) { f.tensor().ndim = -1; }, "rank -1"},
        Refusal{"NoShape", [](Foreign& f) { f.tensor().shape = nullptr; }, "shape is null"},
        Refusal{"NegativeExtent", [](Foreign& f) { f.shape[1] = -3; }, "-3"},
        Refusal{"TooManyElements",
                [](Foreign& f) {
                  f.shape = {largest, 3};
                  f.tensor().shape = f.shape.data();
                },
                "["},
        Refusal{"FarStride",
                [](Foreign& f) {
                  f.strides = {largest, 1};
                  f.tensor().strides = f.strides.data();
                },
                ""},
        Refusal{"LowStride",
                [](Foreign& f) {
                  f.strides = {std::numeric_limits<std::int64_t>::min(), 1};
                  f.tensor().strides = f.strides.data();
                },
                ""},
        Refusal{"FarOffset",
                [](Foreign& f) { f.tensor().byte_offset = std::numeric_limits<std::uint64_t>::max() - 3; },
                "address space"},
        Refusal{"NoData", [](Foreign& f) { f.tensor().data = nullptr; }, "data is null"},
        Refusal{"Alignment", [](Foreign& f) { f.tensor().byte_offset = 2; }, "multiple of 4"}),
    [](const auto& refusal) { return std::string(refusal.param.name); });

TEST(DlpackExport, DescribesEveryDtype) {
  struct Row {
    DType dtype;
    int code;
    int bits;
  };
  for (const Row& row :
       {Row{DType::u8, kDLUInt, 8}, Row{DType::u32, kDLUInt, 32}, Row{DType::i16, kDLInt, 16},
        Row{DType::i32, kDLInt, 32}, Row{DType::i64, kDLInt, 64}, Row{DType::bf16, kDLBfloat, 16},
        Row{DType::f16, kDLFloat, 16}, Row{DType::f32, kDLFloat, 32}, Row{DType::f64, kDLFloat, 64},
        Row{DType::f8e4m3, 10, 8}}) {
    DLManagedTensor* managed = to_dlpack(Tensor::zeros(cpu(), {2}, row.dtype));
    EXPECT_EQ(managed->dl_tensor.dtype.code, row.code);
    EXPECT_EQ(managed->dl_tensor.dtype.bits, row.bits);
    EXPECT_EQ(managed->dl_tensor.dtype.lanes, 1);
    const Tensor back = from_dlpack(managed, cpu());
    EXPECT_EQ(back.dtype(), row.dtype);
  }
}

TEST(DlpackExport, KeepsMemoryAliveAndLayout) {
  const float values[] = {0, 1, 2, 3, 4, 5};
  DLManagedTensor* managed = nullptr;
  {
    const Tensor tensor = Tensor::from_host(cpu(), std::as_bytes(std::span(values)), {2, 3}, DType::f32);
    managed = to_dlpack(tensor.narrow(1, 1, 2).transpose(0, 1));
  }
  const DLTensor& tensor = managed->dl_tensor;
  EXPECT_EQ(tensor.device.device_type, kDLCPU);
  EXPECT_EQ(tensor.ndim, 2);
  EXPECT_EQ(tensor.byte_offset, 0u);
  EXPECT_EQ(std::vector(tensor.shape, tensor.shape + 2), (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(std::vector(tensor.strides, tensor.strides + 2), (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(static_cast<const float*>(tensor.data)[1 + 3], 5);
  managed->deleter(managed);
}

TEST(DlpackExport, RefusesAnEmptyTensor) { EXPECT_THROW(to_dlpack(Tensor()), Error); }

TEST(DlpackFromC, OwnershipFollowsTheStatus) {
  Foreign foreign;
  kernelgen_device* device = nullptr;
  kernelgen_tensor* tensor = nullptr;
  ASSERT_EQ(kernelgen_device_open("cpu", nullptr, &device), KERNELGEN_OK) << kernelgen_last_error();
  EXPECT_EQ(kernelgen_tensor_from_dlpack(&foreign.managed, device, nullptr), KERNELGEN_INVALID_ARGUMENT);
  EXPECT_EQ(kernelgen_tensor_from_dlpack(nullptr, device, &tensor), KERNELGEN_INVALID_ARGUMENT);
  EXPECT_EQ(kernelgen_tensor_from_dlpack(&foreign.managed, nullptr, &tensor), KERNELGEN_INVALID_ARGUMENT);
  EXPECT_EQ(foreign.deleted, 0);
  ASSERT_EQ(kernelgen_tensor_from_dlpack(&foreign.managed, device, &tensor), KERNELGEN_OK)
      << kernelgen_last_error();
  DLManagedTensor* again = nullptr;
  ASSERT_EQ(kernelgen_tensor_to_dlpack(tensor, &again), KERNELGEN_OK) << kernelgen_last_error();
  kernelgen_tensor_release(tensor);
  kernelgen_device_release(device);
  EXPECT_EQ(again->dl_tensor.data, foreign.values.data());
  EXPECT_EQ(foreign.deleted, 0);
  again->deleter(again);
  EXPECT_EQ(foreign.deleted, 1);
}

}  // namespace
}  // namespace kernelgen
