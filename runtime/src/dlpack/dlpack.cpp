#include "kernelgen/dlpack.hpp"

#include <dlpack/dlpack.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <span>
#include <string>

#include "dlpack/versioned.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

using dlpack::VersionedTensor;

/// What an exported tensor keeps alive: `managed` points into it and is its first user's to delete.
template <class Managed>
struct Export {
  Tensor tensor;
  std::array<std::int64_t, max_rank> shape{};
  std::array<std::int64_t, max_rank> strides{};
  Managed managed{};
};

/// The struct that a deleter is handed.
DLManagedTensor* handed(DLManagedTensor* managed) { return managed; }
DLManagedTensorVersioned* handed(VersionedTensor* managed) {
  return reinterpret_cast<DLManagedTensorVersioned*>(managed);
}

/// Calls the deleter of an imported tensor. Armed last, so that a failed import leaves it to the caller.
template <class Managed>
struct Import {
  Import() = default;
  Import(const Import&) = delete;
  Import& operator=(const Import&) = delete;
  ~Import() {
    if (managed != nullptr && managed->deleter != nullptr) managed->deleter(handed(managed));
  }
  Managed* managed = nullptr;
};

struct TypeRow {
  DType dtype;
  std::uint8_t code;
};
constexpr TypeRow type_rows[] = {
    {DType::u8, kDLUInt},   {DType::u32, kDLUInt},
    {DType::i16, kDLInt},   {DType::i32, kDLInt},
    {DType::i64, kDLInt},   {DType::bf16, kDLBfloat},
    {DType::f16, kDLFloat}, {DType::f32, kDLFloat},
    {DType::f64, kDLFloat}, {DType::f8e4m3, dlpack_float8_e4m3fn},
};

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(Code::invalid_argument, "from_dlpack: " + problem);
}

DLDevice device_of(const Device& device) {
  switch (device.kind()) {
    case DeviceKind::cpu:
      return {kDLCPU, 0};
    case DeviceKind::hip:
      // Its memory is no ROCm device's.
      if (device.location().starts_with("simulated:")) break;
      return {kDLROCM, device.ordinal()};
    case DeviceKind::cuda:
      return {kDLCUDA, device.ordinal()};
  }
  throw Error(Code::unsupported, "DLPack: no device type for " + device.location());
}

std::string name_of_device(const DLDevice& device) {
  const std::string id = std::to_string(device.device_id);
  switch (device.device_type) {
    case kDLCPU:
      return "the CPU (kDLCPU)";
    case kDLROCM:
      return "hip:" + id + " (kDLROCM)";
    case kDLCUDA:
      return "cuda:" + id + " (kDLCUDA)";
    default:
      return "a device of DLPack's type " + std::to_string(static_cast<int>(device.device_type));
  }
}

void check_device(const DLDevice& given, const Device& device) {
  const DLDevice wanted = device_of(device);
  // The device id of CPU memory means nothing.
  if (given.device_type != wanted.device_type ||
      (wanted.device_type != kDLCPU && given.device_id != wanted.device_id))
    refuse("the memory is on " + name_of_device(given) + ", wanted on " + device.location() +
           "; move it there first, or open its device");
}

DType dtype_from(const DLDataType& type) {
  if (type.lanes != 1)
    refuse("vector elements of " + std::to_string(type.lanes) + " lanes are not supported; lanes must be 1");
  for (const TypeRow& row : type_rows)
    if (type.code == row.code && type.bits == 8 * size_of(row.dtype)) return row.dtype;
  std::string known;
  for (const TypeRow& row : type_rows)
    known.append(" ")
        .append(name_of(row.dtype))
        .append("=")
        .append(std::to_string(row.code))
        .append("/")
        .append(std::to_string(8 * size_of(row.dtype)));
  refuse("no dtype for type code " + std::to_string(type.code) + " with " + std::to_string(type.bits) +
         " bits; there are (code/bits)" + known);
}

Layout layout_of(const DLTensor& tensor) {
  if (tensor.ndim < 0 || static_cast<std::size_t>(tensor.ndim) > max_rank)
    refuse("rank " + std::to_string(tensor.ndim) + " is not supported; 0 to " + std::to_string(max_rank) +
           " are");
  const auto rank = static_cast<std::size_t>(tensor.ndim);
  if (rank != 0 && tensor.shape == nullptr) refuse("shape is null");
  const Shape shape(std::span<const std::int64_t>(tensor.shape, rank));
  // Checks the extents too; no strides mean this layout.
  Layout layout = Layout::contiguous(shape);
  if (tensor.strides != nullptr) layout.strides = Dims(std::span<const std::int64_t>(tensor.strides, rank));
  return layout;
}

/// Where an imported tensor's memory starts and ends, as far as its layout reaches.
struct Region {
  void* data = nullptr;
  std::size_t bytes = 0;
};

/// Finds the region and shifts the layout so that it counts from the region's start: with negative strides
/// the first element is not the lowest.
Region locate(const DLTensor& tensor, DType dtype, Layout& layout) {
  if (layout.elements() == 0) {
    layout = Layout::contiguous(layout.shape);
    return {};
  }
  if (tensor.data == nullptr)
    refuse("data is null, but the shape " + layout.shape.to_string() + " has elements");
  const auto size = static_cast<std::int64_t>(size_of(dtype));
  const auto [first, last] = layout.extent();
  std::int64_t below = 0;
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  std::uintptr_t origin = 0;
  std::uintptr_t start = 0;
  std::uintptr_t end = 0;
  if (__builtin_mul_overflow(first, size, &below) || __builtin_sub_overflow(last, first, &count) ||
      __builtin_add_overflow(count, 1, &count) || __builtin_mul_overflow(count, size, &bytes) ||
      __builtin_add_overflow(reinterpret_cast<std::uintptr_t>(tensor.data), tensor.byte_offset, &origin) ||
      __builtin_add_overflow(origin, below, &start) || __builtin_add_overflow(start, bytes, &end))
    refuse("the layout " + layout.to_string() + " with byte_offset " + std::to_string(tensor.byte_offset) +
           " reaches outside the address space");
  if (origin % size_of(dtype) != 0)
    refuse("data + byte_offset is not a multiple of " + std::to_string(size) + ", the size of " +
           std::string(name_of(dtype)));
  layout.offset = -first;
  return {reinterpret_cast<void*>(start), static_cast<std::size_t>(bytes)};
}

/// Describes the tensor in a new Managed, whose context owns both.
template <class Managed>
Managed* exported(const Tensor& tensor) {
  if (!tensor) throw Error(Code::invalid_argument, "to_dlpack: the tensor is empty (default-constructed)");
  const auto* const row = std::ranges::find(type_rows, tensor.dtype(), &TypeRow::dtype);
  if (row == std::end(type_rows))
    throw Error(Code::invalid_argument,
                "to_dlpack: the tensor is " + std::string(name_of(tensor.dtype())) +
                    "; DLPack has no type for blocks: dequantize it, or copy its bytes");
  auto made = std::make_unique<Export<Managed>>();
  made->tensor = tensor;
  const Layout& layout = tensor.layout();
  std::copy(layout.shape.begin(), layout.shape.end(), made->shape.begin());
  std::copy(layout.strides.begin(), layout.strides.end(), made->strides.begin());

  DLTensor& described = made->managed.dl_tensor;
  // The first element's address with no byte_offset: readers that ignore byte_offset exist.
  described.data = layout.elements() == 0 ? tensor.storage()->data() : tensor.data();
  described.byte_offset = 0;
  described.device = device_of(tensor.device());
  described.ndim = static_cast<int>(layout.rank());
  described.shape = made->shape.data();
  described.strides = made->strides.data();
  described.dtype.lanes = 1;
  described.dtype.bits = static_cast<std::uint8_t>(8 * size_of(tensor.dtype()));
  described.dtype.code = row->code;

  made->managed.manager_ctx = made.get();
  return &made.release()->managed;
}

template <class Managed>
Tensor imported(Managed* managed, const Device& device, Access access) {
  const DLTensor& given = managed->dl_tensor;
  check_device(given.device, device);
  const DType dtype = dtype_from(given.dtype);
  Layout layout = layout_of(given);
  const Region region = locate(given, dtype, layout);

  const auto owner = std::make_shared<Import<Managed>>();
  Tensor tensor(Storage::borrow(device, region.data, region.bytes, owner, access), dtype, layout);
  owner->managed = managed;
  return tensor;
}

}  // namespace

DLManagedTensor* to_dlpack(const Tensor& tensor) {
  if (tensor && tensor.storage()->is_read_only())
    throw Error(
        Code::invalid_argument,
        "to_dlpack: the memory is read-only, which only DLPack's versioned struct can say: export that, or "
        "copy the tensor");
  DLManagedTensor* const managed = exported<DLManagedTensor>(tensor);
  managed->deleter = [](DLManagedTensor* self) {
    delete static_cast<Export<DLManagedTensor>*>(self->manager_ctx);
  };
  return managed;
}

DLManagedTensorVersioned* to_dlpack_versioned(const Tensor& tensor) {
  VersionedTensor* const managed = exported<VersionedTensor>(tensor);
  managed->version = {dlpack::major_version, dlpack::minor_version};
  managed->flags = tensor.storage()->is_read_only() ? dlpack::read_only_flag : 0;
  managed->deleter = [](DLManagedTensorVersioned* self) {
    delete static_cast<Export<VersionedTensor>*>(reinterpret_cast<VersionedTensor*>(self)->manager_ctx);
  };
  return handed(managed);
}

Tensor from_dlpack(DLManagedTensor* managed, const Device& device) {
  if (managed == nullptr) refuse("the tensor is null");
  return imported(managed, device, Access::write);
}

Tensor from_dlpack(DLManagedTensorVersioned* managed, const Device& device) {
  if (managed == nullptr) refuse("the tensor is null");
  auto* const versioned = reinterpret_cast<VersionedTensor*>(managed);
  // Of another major version only the version and the deleter are where they are in this one.
  if (versioned->version.major != dlpack::major_version)
    refuse("the tensor is of DLPack " + std::to_string(versioned->version.major) + "." +
           std::to_string(versioned->version.minor) + "; versions " + std::to_string(dlpack::major_version) +
           ".x and the unversioned struct are read");
  return imported(versioned, device,
                  (versioned->flags & dlpack::read_only_flag) != 0 ? Access::read : Access::write);
}

}  // namespace kernelgen
