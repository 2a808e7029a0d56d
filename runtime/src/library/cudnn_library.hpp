#pragma once
#include <array>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>

#include "library/vendor_library.hpp"

namespace kernelgen {

// The functions of cuDNN 9's cudnn_graph.h that are used here. Enums are passed as ints, handles and descriptors are
// pointers.
//   X(function, arguments)
#define KERNELGEN_CUDNN_CALLS(X)                                                                         \
  X(cudnnCreate, (void** handle))                                                                        \
  X(cudnnDestroy, (void* handle))                                                                        \
  X(cudnnSetStream, (void* handle, void* stream))                                                        \
  X(cudnnBackendCreateDescriptor, (int kind, void** descriptor))                                         \
  X(cudnnBackendDestroyDescriptor, (void* descriptor))                                                   \
  X(cudnnBackendSetAttribute,                                                                            \
    (void* descriptor, int attribute, int type, std::int64_t count, const void* values))                 \
  X(cudnnBackendGetAttribute,                                                                            \
    (void* descriptor, int attribute, int type, std::int64_t wanted, std::int64_t* count, void* values)) \
  X(cudnnBackendFinalize, (void* descriptor))                                                            \
  X(cudnnBackendExecute, (void* handle, void* plan, void* operands))

class CudnnLibrary : public VendorLibrary {
 public:
  explicit CudnnLibrary(DynamicLibrary library);

  /// Whether the library runs the plan. Throws Error(device) for unrelated failures.
  bool executes(void* handle, void* plan, void* operands) const {
    const int status = cudnnBackendExecute.function(handle, plan, operands);
    if (status != 0 && !is_unsupported(status)) fail(cudnnBackendExecute.name, status);
    return status == 0;
  }
  /// Whether the library supports the descriptor. Throws Error(device) for unrelated failures.
  bool builds(void* descriptor) const {
    const int status = cudnnBackendFinalize.function(descriptor);
    if (status != 0 && !is_refused(status)) fail(cudnnBackendFinalize.name, status);
    return status == 0;
  }

#define KERNELGEN_MEMBER(function, arguments) detail::GpuCallOf<int arguments>::type function;
  KERNELGEN_CUDNN_CALLS(KERNELGEN_MEMBER)
#undef KERNELGEN_MEMBER

 private:
  /// CUDNN_STATUS_NOT_SUPPORTED and its kinds.
  static bool is_unsupported(int status) { return status / 1000 == 3; }
  /// Those, CUDNN_STATUS_BAD_PARAM, returned for some convolutions beyond its limits, and _INTERNAL_ERROR,
  /// returned if an engine cannot be compiled.
  static bool is_refused(int status) { return status / 1000 >= 2 && status / 1000 <= 4; }
};

/// cudnnBackendAttributeType_t.
enum class CudnnType {
  handle = 0,
  data_type = 1,
  int64 = 3,
  float32 = 4,
  float64 = 5,
  pointer = 6,
  convolution_mode = 7,
  heuristic = 8,
  numerical_note = 11,
  descriptor = 15
};

/// An object of the library's graph interface. Set the attributes, then finalize it.
class CudnnDescriptor {
 public:
  CudnnDescriptor(const CudnnLibrary& library, int kind) : library_(&library) {
    library_->invoke(library_->cudnnBackendCreateDescriptor, kind, &descriptor_);
  }
  ~CudnnDescriptor() {
    if (descriptor_ != nullptr) library_->cudnnBackendDestroyDescriptor.function(descriptor_);
  }
  CudnnDescriptor(CudnnDescriptor&& other) noexcept
      : library_(other.library_), descriptor_(std::exchange(other.descriptor_, nullptr)) {}
  CudnnDescriptor& operator=(CudnnDescriptor&& other) noexcept {
    std::swap(library_, other.library_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

  void* get() const { return descriptor_; }

  template <class Values>
  void set_all(int attribute, CudnnType type, const Values& values) {
    library_->invoke(library_->cudnnBackendSetAttribute, descriptor_, attribute, static_cast<int>(type),
                     static_cast<std::int64_t>(std::size(values)),
                     static_cast<const void*>(std::data(values)));
  }
  template <class Value>
  void set(int attribute, CudnnType type, const Value& value) {
    set_all(attribute, type, std::span<const Value>(&value, 1));
  }
  void set(int attribute, const CudnnDescriptor& other) {
    set(attribute, CudnnType::descriptor, other.descriptor_);
  }
  /// Fills `values` or a prefix of it; returns the count.
  template <class Values>
  std::int64_t read_all(int attribute, CudnnType type, Values& values) const {
    std::int64_t count = 0;
    library_->invoke(library_->cudnnBackendGetAttribute, descriptor_, attribute, static_cast<int>(type),
                     static_cast<std::int64_t>(std::size(values)), &count,
                     static_cast<void*>(std::data(values)));
    return count;
  }
  std::int64_t read(int attribute) const {
    std::array<std::int64_t, 1> value{};
    read_all(attribute, CudnnType::int64, value);
    return value[0];
  }
  void finalize() { library_->invoke(library_->cudnnBackendFinalize, descriptor_); }
  bool finalize_if_supported() { return library_->builds(descriptor_); }

 private:
  const CudnnLibrary* library_;
  void* descriptor_ = nullptr;
};

}  // namespace kernelgen
