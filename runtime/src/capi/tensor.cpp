#include "kernelgen/tensor.hpp"

#include <memory>

#include "handles.hpp"
#include "kernelgen/dlpack.hpp"

using kernelgen::Device;
using kernelgen::DType;
using kernelgen::Layout;
using kernelgen::Shape;
using kernelgen::Storage;
using kernelgen::Tensor;
using namespace kernelgen::capi;

namespace {

const Tensor& tensor_of(const kernelgen_tensor* handle) { return need(handle, "tensor").tensor; }
const Device& device_of(const kernelgen_device* handle) { return need(handle, "device").device; }

/// `Managed`: either struct of DLPack.
template <class Managed>
void import_dlpack(Managed* managed, const kernelgen_device* device, kernelgen_tensor** tensor) {
  if (managed == nullptr) fail("managed", "is NULL");
  auto& slot = need(tensor, "tensor");
  // The handle first: once from_dlpack has returned, nothing may fail, or the deleter would run on the
  // caller's tensor.
  auto handle = std::make_unique<kernelgen_tensor>();
  handle->tensor = kernelgen::from_dlpack(managed, device_of(device));
  slot = handle.release();
}

/// Bytes of the elements one after the other; a broadcast view may have more than memory could hold.
std::size_t bytes_of(const Tensor& tensor) {
  std::size_t bytes = 0;
  const auto blocks = tensor.elements() / kernelgen::block_elements(tensor.dtype());
  if (__builtin_mul_overflow(blocks, kernelgen::size_of(tensor.dtype()), &bytes))
    fail("tensor", "has more than 2^64 - 1 bytes of elements: " + tensor.shape().to_string());
  return bytes;
}

void give_dims(const kernelgen::Dims& dims, const std::int64_t** values, const char* name,
               std::size_t* rank) {
  need(values, name) = dims.data();
  if (rank != nullptr) *rank = dims.size();
}

/// Calls a C release function once. Armed last, so that a failed call never releases what the caller still
/// owns.
struct Owner {
  Owner() = default;
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() {
    if (release != nullptr) release(context);
  }
  void (*release)(void*) = nullptr;
  void* context = nullptr;
};

}  // namespace

kernelgen_status kernelgen_tensor_empty(const kernelgen_device* device, kernelgen_dtype dtype, size_t rank,
                                        const int64_t* shape, const kernelgen_stream* stream,
                                        kernelgen_tensor** tensor) {
  return guarded(__func__, [&] {
    const Shape extents = dims_of(rank, shape, "shape");
    const DType type = need_dtype(dtype, "dtype");
    give(tensor, "tensor",
         [&] { return Tensor::empty(device_of(device), extents, type, stream_of(stream)); });
  });
}

kernelgen_status kernelgen_tensor_zeros(const kernelgen_device* device, kernelgen_dtype dtype, size_t rank,
                                        const int64_t* shape, const kernelgen_stream* stream,
                                        kernelgen_tensor** tensor) {
  return guarded(__func__, [&] {
    const Shape extents = dims_of(rank, shape, "shape");
    const DType type = need_dtype(dtype, "dtype");
    give(tensor, "tensor",
         [&] { return Tensor::zeros(device_of(device), extents, type, stream_of(stream)); });
  });
}

kernelgen_status kernelgen_tensor_from_host(const kernelgen_device* device, const void* data, size_t bytes,
                                            kernelgen_dtype dtype, size_t rank, const int64_t* shape,
                                            const kernelgen_stream* stream, kernelgen_tensor** tensor) {
  return guarded(__func__, [&] {
    const auto elements = need_bytes(data, bytes, "data");
    const Shape extents = dims_of(rank, shape, "shape");
    const DType type = need_dtype(dtype, "dtype");
    give(tensor, "tensor",
         [&] { return Tensor::from_host(device_of(device), elements, extents, type, stream_of(stream)); });
  });
}

kernelgen_status kernelgen_tensor_borrow(const kernelgen_device* device, void* data, size_t bytes,
                                         kernelgen_dtype dtype, size_t rank, const int64_t* shape,
                                         void (*release)(void* context), void* context,
                                         kernelgen_tensor** tensor) {
  return guarded(__func__, [&] {
    need_bytes(data, bytes, "data");
    const Layout layout = Layout::contiguous(dims_of(rank, shape, "shape"));
    const DType type = need_dtype(dtype, "dtype");
    const auto owner = std::make_shared<Owner>();
    give(tensor, "tensor",
         [&] { return Tensor(Storage::borrow(device_of(device), data, bytes, owner), type, layout); });
    owner->context = context;
    owner->release = release;
  });
}

void kernelgen_tensor_release(kernelgen_tensor* tensor) { delete tensor; }

kernelgen_status kernelgen_tensor_retain(const kernelgen_tensor* tensor, kernelgen_tensor** shared) {
  return guarded(__func__, [&] { give(shared, "shared", [&] { return tensor_of(tensor); }); });
}

kernelgen_status kernelgen_tensor_to_host(const kernelgen_tensor* tensor, void* data, size_t bytes,
                                          const kernelgen_stream* stream) {
  return guarded(__func__, [&] {
    const Tensor& source = tensor_of(tensor);
    need_bytes(data, bytes, "data");
    if (bytes != bytes_of(source))
      fail("bytes", "is " + std::to_string(bytes) + ", but " + std::string(name_of(source.dtype())) + " " +
                        source.shape().to_string() + " has " + std::to_string(bytes_of(source)));
    source.to_host({static_cast<std::byte*>(data), bytes}, stream_of(stream));
  });
}

kernelgen_status kernelgen_tensor_shape(const kernelgen_tensor* tensor, const int64_t** shape, size_t* rank) {
  return guarded(__func__, [&] { give_dims(tensor_of(tensor).layout().shape, shape, "shape", rank); });
}

kernelgen_status kernelgen_tensor_strides(const kernelgen_tensor* tensor, const int64_t** strides,
                                          size_t* rank) {
  return guarded(__func__, [&] { give_dims(tensor_of(tensor).layout().strides, strides, "strides", rank); });
}

kernelgen_status kernelgen_tensor_dtype(const kernelgen_tensor* tensor, kernelgen_dtype* dtype) {
  return guarded(__func__,
                 [&] { need(dtype, "dtype") = static_cast<kernelgen_dtype>(tensor_of(tensor).dtype()); });
}

kernelgen_status kernelgen_tensor_elements(const kernelgen_tensor* tensor, int64_t* elements) {
  return guarded(__func__, [&] { need(elements, "elements") = tensor_of(tensor).elements(); });
}

kernelgen_status kernelgen_tensor_bytes(const kernelgen_tensor* tensor, size_t* bytes) {
  return guarded(__func__, [&] { need(bytes, "bytes") = bytes_of(tensor_of(tensor)); });
}

kernelgen_status kernelgen_tensor_is_contiguous(const kernelgen_tensor* tensor, int* contiguous) {
  return guarded(
      __func__, [&] { need(contiguous, "contiguous") = tensor_of(tensor).layout().is_contiguous() ? 1 : 0; });
}

kernelgen_status kernelgen_tensor_offset(const kernelgen_tensor* tensor, int64_t* offset) {
  return guarded(__func__, [&] { need(offset, "offset") = tensor_of(tensor).layout().offset; });
}

kernelgen_status kernelgen_tensor_data(const kernelgen_tensor* tensor, void** data) {
  return guarded(__func__, [&] { need(data, "data") = tensor_of(tensor).data(); });
}

kernelgen_status kernelgen_tensor_use(const kernelgen_tensor* tensor, const kernelgen_stream* stream,
                                      int writes) {
  return guarded(__func__, [&] {
    need(tensor, "tensor")
        .tensor.use(stream_of(stream), writes != 0 ? kernelgen::Access::write : kernelgen::Access::read);
  });
}

kernelgen_status kernelgen_tensor_device(const kernelgen_tensor* tensor, kernelgen_device** device) {
  return guarded(__func__, [&] { give(device, "device", [&] { return tensor_of(tensor).device(); }); });
}

kernelgen_status kernelgen_tensor_transpose(const kernelgen_tensor* tensor, int64_t dim0, int64_t dim1,
                                            kernelgen_tensor** view) {
  return guarded(__func__,
                 [&] { give(view, "view", [&] { return tensor_of(tensor).transpose(dim0, dim1); }); });
}

kernelgen_status kernelgen_tensor_permute(const kernelgen_tensor* tensor, size_t rank, const int64_t* order,
                                          kernelgen_tensor** view) {
  return guarded(__func__, [&] {
    const kernelgen::Dims dims = dims_of(rank, order, "order");
    give(view, "view", [&] { return tensor_of(tensor).permute(std::span(dims.data(), dims.size())); });
  });
}

kernelgen_status kernelgen_tensor_narrow(const kernelgen_tensor* tensor, int64_t dim, int64_t start,
                                         int64_t length, kernelgen_tensor** view) {
  return guarded(__func__,
                 [&] { give(view, "view", [&] { return tensor_of(tensor).narrow(dim, start, length); }); });
}

kernelgen_status kernelgen_tensor_broadcast_to(const kernelgen_tensor* tensor, size_t rank,
                                               const int64_t* shape, kernelgen_tensor** view) {
  return guarded(__func__, [&] {
    const Shape target = dims_of(rank, shape, "shape");
    give(view, "view", [&] { return tensor_of(tensor).broadcast_to(target); });
  });
}

kernelgen_status kernelgen_tensor_reshape(const kernelgen_tensor* tensor, size_t rank, const int64_t* shape,
                                          kernelgen_tensor** view) {
  return guarded(__func__, [&] {
    const Shape target = dims_of(rank, shape, "shape");
    give(view, "view", [&] { return tensor_of(tensor).reshape(target); });
  });
}

kernelgen_status kernelgen_tensor_squeeze(const kernelgen_tensor* tensor, int64_t dim,
                                          kernelgen_tensor** view) {
  return guarded(__func__, [&] { give(view, "view", [&] { return tensor_of(tensor).squeeze(dim); }); });
}

kernelgen_status kernelgen_tensor_unsqueeze(const kernelgen_tensor* tensor, int64_t dim,
                                            kernelgen_tensor** view) {
  return guarded(__func__, [&] { give(view, "view", [&] { return tensor_of(tensor).unsqueeze(dim); }); });
}

kernelgen_status kernelgen_tensor_as_strided(const kernelgen_tensor* tensor, size_t rank,
                                             const int64_t* shape, const int64_t* strides, int64_t offset,
                                             kernelgen_tensor** view) {
  return guarded(__func__, [&] {
    const Layout layout{dims_of(rank, shape, "shape"), dims_of(rank, strides, "strides"), offset};
    give(view, "view", [&] { return tensor_of(tensor).with_layout(layout); });
  });
}

kernelgen_status kernelgen_tensor_to_dlpack(const kernelgen_tensor* tensor,
                                            struct DLManagedTensor** managed) {
  return guarded(__func__, [&] {
    auto& slot = need(managed, "managed");
    slot = kernelgen::to_dlpack(tensor_of(tensor));
  });
}

kernelgen_status kernelgen_tensor_from_dlpack(struct DLManagedTensor* managed, const kernelgen_device* device,
                                              kernelgen_tensor** tensor) {
  return guarded(__func__, [&] { import_dlpack(managed, device, tensor); });
}

kernelgen_status kernelgen_tensor_to_dlpack_versioned(const kernelgen_tensor* tensor,
                                                      struct DLManagedTensorVersioned** managed) {
  return guarded(__func__, [&] {
    auto& slot = need(managed, "managed");
    slot = kernelgen::to_dlpack_versioned(tensor_of(tensor));
  });
}

kernelgen_status kernelgen_tensor_from_dlpack_versioned(struct DLManagedTensorVersioned* managed,
                                                        const kernelgen_device* device,
                                                        kernelgen_tensor** tensor) {
  return guarded(__func__, [&] { import_dlpack(managed, device, tensor); });
}

kernelgen_status kernelgen_tensor_is_read_only(const kernelgen_tensor* tensor, int* read_only) {
  return guarded(__func__,
                 [&] { need(read_only, "read_only") = tensor_of(tensor).storage()->is_read_only() ? 1 : 0; });
}
