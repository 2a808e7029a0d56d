// DLPack export and import: every field is checked, and deleters run exactly once.
#include <dlpack/dlpack.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "dlpack/versioned.hpp"
#include "kernelgen/dlpack.hpp"
#include "kernelgen/error.hpp"
#include "kernelgen/kernelgen.h"
#include "kernelgen/ops.hpp"

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

using dlpack::VersionedTensor;

/// The same tensor as of DLPack 1.x.
struct ForeignVersioned {
  explicit ForeignVersioned(std::uint64_t flags = 0) {
    managed.version = {1, 3};
    managed.flags = flags;
    managed.dl_tensor = {values.data(), {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape.data(), nullptr, 0};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensorVersioned* self) {
      ++static_cast<ForeignVersioned*>(reinterpret_cast<VersionedTensor*>(self)->manager_ctx)->deleted;
    };
  }
  ForeignVersioned(const ForeignVersioned&) = delete;
  ForeignVersioned& operator=(const ForeignVersioned&) = delete;
  DLManagedTensorVersioned* get() { return reinterpret_cast<DLManagedTensorVersioned*>(&managed); }

  std::vector<float> values{0, 1, 2, 3, 4, 5};
  std::vector<std::int64_t> shape{2, 3};
  VersionedTensor managed{};
  int deleted = 0;
};

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::invalid_argument);
    return error.what();
  }
  return "";
}

TEST(DlpackVersioned, ImportSharesTheMemory) {
  ForeignVersioned foreign;
  {
    const Tensor tensor = from_dlpack(foreign.get(), cpu());
    EXPECT_EQ(tensor.data(), foreign.values.data());
    EXPECT_FALSE(tensor.storage()->is_read_only());
    tensor.use();
    EXPECT_EQ(floats(tensor), foreign.values);
    EXPECT_EQ(foreign.deleted, 0);
  }
  EXPECT_EQ(foreign.deleted, 1);
}

TEST(DlpackVersioned, AnotherMajorVersionIsLeftToTheCaller) {
  ForeignVersioned foreign;
  foreign.managed.version = {2, 5};
  foreign.managed.dl_tensor.ndim = -1;
  EXPECT_EQ(refusal([&] { from_dlpack(foreign.get(), cpu()); }),
            "from_dlpack: the tensor is of DLPack 2.5; versions 1.x and the unversioned struct are read");
  EXPECT_EQ(foreign.deleted, 0);
}

TEST(DlpackVersioned, NothingWritesToReadOnlyMemory) {
  ForeignVersioned foreign(dlpack::read_only_flag);
  {
    const Tensor tensor = from_dlpack(foreign.get(), cpu()), view = tensor.transpose(0, 1);
    EXPECT_TRUE(view.storage()->is_read_only());
    EXPECT_EQ(floats(add(tensor, tensor)), (std::vector<float>{0, 2, 4, 6, 8, 10}));
    EXPECT_EQ(refusal([&] { add(tensor, tensor, {.out = &tensor}); }),
              "add: out is read-only memory, as its owner lent it; it has to be memory that may be written");
    const std::string text =
        "the memory to write to is read-only, as its owner lent it; copy the tensor and write "
        "to the copy";
    EXPECT_EQ(refusal([&] { const_set(view, 1); }), text);
    EXPECT_EQ(refusal([&] { copy_into(tensor, Tensor::zeros(cpu(), {2, 3}, DType::f32)); }), text);
    EXPECT_EQ(refusal([&] { tensor.use(); }), text);
    tensor.use({}, Access::read);
    EXPECT_NE(refusal([&] { to_dlpack(tensor); }).find("the memory is read-only"), std::string::npos);
    EXPECT_EQ(foreign.values, (std::vector<float>{0, 1, 2, 3, 4, 5}));
    // The flag goes along.
    DLManagedTensorVersioned* const again = to_dlpack_versioned(tensor);
    EXPECT_EQ(reinterpret_cast<VersionedTensor*>(again)->flags, dlpack::read_only_flag);
    EXPECT_TRUE(from_dlpack(again, cpu()).storage()->is_read_only());
  }
  EXPECT_EQ(foreign.deleted, 1);
}

TEST(DlpackVersioned, Export) {
  DLManagedTensorVersioned* const managed = to_dlpack_versioned(Tensor::zeros(cpu(), {2, 3}, DType::f8e4m3));
  const VersionedTensor& versioned = *reinterpret_cast<VersionedTensor*>(managed);
  EXPECT_EQ(versioned.version.major, 1u);
  EXPECT_EQ(versioned.version.minor, 1u);
  EXPECT_EQ(versioned.flags, 0u);
  EXPECT_EQ(versioned.dl_tensor.dtype.code, 10);
  EXPECT_EQ(versioned.dl_tensor.ndim, 2);
  EXPECT_EQ(from_dlpack(managed, cpu()).dtype(), DType::f8e4m3);
  EXPECT_THROW(to_dlpack_versioned(Tensor()), Error);
}

TEST(DlpackFromC, Versioned) {
  ForeignVersioned foreign(dlpack::read_only_flag);
  kernelgen_device* device = nullptr;
  kernelgen_tensor* tensor = nullptr;
  ASSERT_EQ(kernelgen_device_open("cpu", nullptr, &device), KERNELGEN_OK) << kernelgen_last_error();
  EXPECT_EQ(kernelgen_tensor_from_dlpack_versioned(nullptr, device, &tensor), KERNELGEN_INVALID_ARGUMENT);
  ASSERT_EQ(kernelgen_tensor_from_dlpack_versioned(foreign.get(), device, &tensor), KERNELGEN_OK)
      << kernelgen_last_error();
  int read_only = 0;
  EXPECT_EQ(kernelgen_tensor_is_read_only(tensor, &read_only), KERNELGEN_OK);
  EXPECT_EQ(read_only, 1);
  kernelgen_tensor* written = nullptr;
  EXPECT_EQ(kernelgen_exp(tensor, tensor, nullptr, &written), KERNELGEN_INVALID_ARGUMENT);
  DLManagedTensor* unversioned = nullptr;
  EXPECT_EQ(kernelgen_tensor_to_dlpack(tensor, &unversioned), KERNELGEN_INVALID_ARGUMENT);
  DLManagedTensorVersioned* again = nullptr;
  ASSERT_EQ(kernelgen_tensor_to_dlpack_versioned(tensor, &again), KERNELGEN_OK) << kernelgen_last_error();
  kernelgen_tensor_release(tensor);
  kernelgen_device_release(device);
  EXPECT_EQ(foreign.deleted, 0);
  auto* const versioned = reinterpret_cast<VersionedTensor*>(again);
  versioned->deleter(again);
  EXPECT_EQ(foreign.deleted, 1);
}

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
