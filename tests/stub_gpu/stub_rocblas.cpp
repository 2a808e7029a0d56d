// rocBLAS for tests: keeps to the library's checks of sizes and order of calls. Its numbers are those of rocblas.h, written a
// second time.
#include "stub_gpu/stub_rocblas.hpp"

namespace {

using kernelgen::test::StubRocblas;

StubRocblas stub;

constexpr int status_invalid_handle = 1, status_invalid_size = 4, status_size_query_mismatch = 8,
              status_size_increased = 9, status_size_unchanged = 10, status_invalid_value = 11;
constexpr int type_f32 = 151, type_f64 = 152;
constexpr int operation_none = 111, operation_transpose = 112;

struct Handle {
  void* stream = nullptr;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  int atomics = 1;  // allowed
  bool is_asking = false;
  std::size_t asked_bytes = 0;
};

/// Notes the call; the status it shall fail with, or 0.
int enter(const char* function) {
  stub.calls.emplace_back(function);
  const auto failure = stub.failures.find(function);
  return failure == stub.failures.end() ? 0 : failure->second;
}

/// The same for a call that sets something of a handle.
template <class Set>
int set(const char* function, void* handle, const Set& change) {
  if (const int status = enter(function)) return status;
  if (handle == nullptr) return status_invalid_handle;
  change(*static_cast<Handle*>(handle));
  return 0;
}

template <class T>
T element(const void* data, const StubRocblas::Matrix& matrix, bool transposed, std::int64_t slice,
          std::int64_t row, std::int64_t column) {
  if (transposed) return element<T>(data, matrix, false, slice, column, row);
  return static_cast<const T*>(data)[slice * matrix.slice_stride + column * matrix.leading + row];
}

template <class T>
int multiply(const StubRocblas::Product& p, const void* alpha, const void* a, const void* b, const void* beta,
             void* y) {
  if (*static_cast<const T*>(alpha) != 1 || *static_cast<const T*>(beta) != 0) return status_invalid_value;
  for (std::int64_t slice = 0; slice < p.slices; ++slice)
    for (std::int64_t column = 0; column < p.n; ++column)
      for (std::int64_t row = 0; row < p.m; ++row) {
        T sum = 0;
        for (std::int64_t term = 0; term < p.k; ++term)
          sum += element<T>(a, p.a, p.transposes_a, slice, row, term) *
                 element<T>(b, p.b, p.transposes_b, slice, term, column);
        static_cast<T*>(y)[slice * p.y.slice_stride + column * p.y.leading + row] = sum;
      }
  return 0;
}

}  // namespace

#ifdef STUB_OTHER_HIP
// A library that uses another HIP.
extern "C" int hipGetDevice(int* device) {
  *device = 0;
  return 0;
}
#endif

extern "C" StubRocblas* stub_rocblas() { return &stub; }

extern "C" const char* rocblas_status_to_string(int status) {
  return status == 6 ? "rocblas_status_internal_error" : "rocblas_status_stub";
}

extern "C" int rocblas_create_handle(void** handle) {
  if (const int status = enter(__func__)) return status;
  *handle = new Handle;
  ++stub.handles;
  return 0;
}
extern "C" int rocblas_destroy_handle(void* handle) {
  delete static_cast<Handle*>(handle);
  --stub.handles;
  return enter(__func__);
}
extern "C" int rocblas_set_stream(void* handle, void* stream) {
  return set(__func__, handle, [&](Handle& h) { h.stream = stream; });
}
extern "C" int rocblas_set_atomics_mode(void* handle, int mode) {
  return set(__func__, handle, [&](Handle& h) { h.atomics = mode; });
}
extern "C" int rocblas_set_workspace(void* handle, void* workspace, std::size_t bytes) {
  return set(__func__, handle, [&](Handle& h) {
    h.workspace = workspace;
    h.workspace_bytes = bytes;
  });
}
extern "C" int rocblas_start_device_memory_size_query(void* handle) {
  return set(__func__, handle, [](Handle& h) {
    h.is_asking = true;
    h.asked_bytes = 0;
  });
}
extern "C" int rocblas_stop_device_memory_size_query(void* handle, std::size_t* bytes) {
  if (!static_cast<Handle*>(handle)->is_asking) return status_size_query_mismatch;
  return set(__func__, handle, [&](Handle& h) {
    h.is_asking = false;
    *bytes = h.asked_bytes;
  });
}

extern "C" int rocblas_gemm_strided_batched_ex(
    void* handle, int operation_a, int operation_b, std::int32_t m, std::int32_t n, std::int32_t k,
    const void* alpha, const void* a, int a_type, std::int32_t a_leading, std::int64_t a_stride,
    const void* b, int b_type, std::int32_t b_leading, std::int64_t b_stride, const void* beta, const void* c,
    int c_type, std::int32_t c_leading, std::int64_t c_stride, void* d, int d_type, std::int32_t d_leading,
    std::int64_t d_stride, std::int32_t count, int compute, int algorithm, std::int32_t solution,
    std::uint32_t flags) {
  if (const int status = enter(__func__)) return status;
  auto& h = *static_cast<Handle*>(handle);
  const auto is_operation = [](int operation) {
    return operation == operation_none || operation == operation_transpose;
  };
  if (!is_operation(operation_a) || !is_operation(operation_b) || algorithm != 0 || solution != 0 ||
      flags != 0)
    return status_invalid_value;
  if (c != d || c_type != d_type || c_leading != d_leading || c_stride != d_stride)
    return status_invalid_value;
  StubRocblas::Product product;
  product.transposes_a = operation_a == operation_transpose;
  product.transposes_b = operation_b == operation_transpose;
  if (a_leading < (product.transposes_a ? k : m) || b_leading < (product.transposes_b ? n : k) ||
      d_leading < m || m < 1 || n < 1 || k < 1 || count < 1)
    return status_invalid_size;
  if (h.is_asking) {
    const bool is_more = stub.workspace_bytes > h.asked_bytes;
    if (is_more) h.asked_bytes = stub.workspace_bytes;
    return is_more ? status_size_increased : status_size_unchanged;
  }
  // Null is what the library would allocate itself.
  if (h.workspace == nullptr || h.workspace_bytes == 0) return status_invalid_value;
  product.m = m;
  product.n = n;
  product.k = k;
  product.slices = count;
  product.a = {a_type, a_leading, a_stride};
  product.b = {b_type, b_leading, b_stride};
  product.y = {d_type, d_leading, d_stride};
  product.compute = compute;
  product.workspace = h.workspace;
  product.workspace_bytes = h.workspace_bytes;
  product.stream = h.stream;
  product.atomics = h.atomics;
  if (stub.current_context != nullptr) product.context = *stub.current_context;
  stub.products.push_back(product);
  if (d_type == type_f32 && a_type == type_f32) return multiply<float>(product, alpha, a, b, beta, d);
  if (d_type == type_f64) return multiply<double>(product, alpha, a, b, beta, d);
  return 0;
}
