// cuBLASLt for tests: keeps to the library's checks of sizes and order of calls.
#include "stub_gpu/stub_cublaslt.hpp"

#include <cstring>

namespace {

using kernelgen::test::StubCublasLt;

StubCublasLt stub;

constexpr int status_invalid_value = 7;
constexpr int type_f32 = 0, type_f64 = 1;
constexpr std::uint64_t algorithm_mark = 0xa190;

struct Algorithm {
  std::uint64_t data[8];
};
struct Heuristic {
  Algorithm algorithm;
  std::size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};

/// Notes the call; the status it shall fail with, or 0.
int enter(const char* function) {
  stub.calls.emplace_back(function);
  const auto failure = stub.failures.find(function);
  return failure == stub.failures.end() ? 0 : failure->second;
}

template <class Object>
int create(const char* function, void** handle, Object object) {
  if (const int status = enter(function)) return status;
  *handle = new Object(object);
  ++stub.objects;
  return 0;
}

template <class Object>
int destroy(const char* function, void* handle) {
  if (handle == nullptr) return status_invalid_value;
  delete static_cast<Object*>(handle);
  --stub.objects;
  return enter(function);
}

template <class Value>
int set(const char* function, Value& attribute, const void* value, std::size_t bytes) {
  if (const int status = enter(function)) return status;
  if (bytes != sizeof attribute) return status_invalid_value;
  std::memcpy(&attribute, value, bytes);
  return 0;
}

/// Element of op(matrix).
template <class T>
T element(const void* data, const StubCublasLt::Matrix& matrix, int transposed, std::int64_t slice,
          std::uint64_t row, std::uint64_t column) {
  if (transposed) std::swap(row, column);
  return static_cast<const T*>(
      data)[slice * matrix.slice_stride + static_cast<std::int64_t>(column) * matrix.leading +
            static_cast<std::int64_t>(row)];
}

template <class T>
int multiply(const StubCublasLt::Product& p, const void* alpha, const void* a, const void* b,
             const void* beta, void* y) {
  if (*static_cast<const T*>(alpha) != 1 || *static_cast<const T*>(beta) != 0) return status_invalid_value;
  const std::uint64_t terms = p.transpose_a ? p.a.rows : p.a.columns;
  const std::uint64_t rows = p.transpose_a ? p.a.columns : p.a.rows;
  const std::uint64_t columns = p.transpose_b ? p.b.rows : p.b.columns;
  if (terms != (p.transpose_b ? p.b.columns : p.b.rows) || rows != p.y.rows || columns != p.y.columns)
    return status_invalid_value;
  for (std::int64_t slice = 0; slice < p.y.slices; ++slice)
    for (std::uint64_t column = 0; column < columns; ++column)
      for (std::uint64_t row = 0; row < rows; ++row) {
        T sum = 0;
        for (std::uint64_t term = 0; term < terms; ++term)
          sum += element<T>(a, p.a, p.transpose_a, slice, row, term) *
                 element<T>(b, p.b, p.transpose_b, slice, term, column);
        static_cast<T*>(y)[slice * p.y.slice_stride + static_cast<std::int64_t>(column) * p.y.leading +
                           static_cast<std::int64_t>(row)] = sum;
      }
  return 0;
}

}  // namespace

extern "C" StubCublasLt* stub_cublaslt() { return &stub; }

extern "C" const char* cublasLtGetStatusString(int status) {
  return status == 13 ? "CUBLAS_STATUS_EXECUTION_FAILED" : "CUBLAS_STATUS_STUB";
}

extern "C" int cublasLtCreate(void** handle) { return create(__func__, handle, 0); }
extern "C" int cublasLtDestroy(void* handle) { return destroy<int>(__func__, handle); }

extern "C" int cublasLtMatmulDescCreate(void** description, int compute, int scale) {
  StubCublasLt::Product product;
  product.compute = compute;
  product.scale = scale;
  return create(__func__, description, product);
}
extern "C" int cublasLtMatmulDescDestroy(void* description) {
  return destroy<StubCublasLt::Product>(__func__, description);
}
extern "C" int cublasLtMatmulDescSetAttribute(void* description, int attribute, const void* value,
                                              std::size_t bytes) {
  auto& product = *static_cast<StubCublasLt::Product*>(description);
  if (attribute == 3) return set(__func__, product.transpose_a, value, bytes);
  if (attribute == 4) return set(__func__, product.transpose_b, value, bytes);
  return status_invalid_value;
}

extern "C" int cublasLtMatrixLayoutCreate(void** layout, int type, std::uint64_t rows, std::uint64_t columns,
                                          std::int64_t leading) {
  if (leading < static_cast<std::int64_t>(rows)) return status_invalid_value;
  StubCublasLt::Matrix matrix;
  matrix.type = type;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.leading = leading;
  return create(__func__, layout, matrix);
}
extern "C" int cublasLtMatrixLayoutDestroy(void* layout) {
  return destroy<StubCublasLt::Matrix>(__func__, layout);
}
extern "C" int cublasLtMatrixLayoutSetAttribute(void* layout, int attribute, const void* value,
                                                std::size_t bytes) {
  auto& matrix = *static_cast<StubCublasLt::Matrix*>(layout);
  if (attribute == 5) return set(__func__, matrix.slices, value, bytes);
  if (attribute == 6) return set(__func__, matrix.slice_stride, value, bytes);
  return status_invalid_value;
}

extern "C" int cublasLtMatmulPreferenceCreate(void** preference) {
  return create(__func__, preference, StubCublasLt::Preference());
}
extern "C" int cublasLtMatmulPreferenceDestroy(void* preference) {
  return destroy<StubCublasLt::Preference>(__func__, preference);
}
extern "C" int cublasLtMatmulPreferenceSetAttribute(void* handle, int attribute, const void* value,
                                                    std::size_t bytes) {
  auto& preference = *static_cast<StubCublasLt::Preference*>(handle);
  if (attribute == 1) return set(__func__, preference.workspace_bytes, value, bytes);
  if (attribute == 3) return set(__func__, preference.reduction_schemes, value, bytes);
  if (attribute >= 5 && attribute <= 8)
    return set(__func__, preference.alignment[attribute - 5], value, bytes);
  return status_invalid_value;
}

extern "C" int cublasLtMatmulAlgoGetHeuristic(void*, void*, void*, void*, void*, void*, void* preference,
                                              int wanted, Heuristic* results, int* count) {
  if (const int status = enter(__func__)) return status;
  if (wanted < 1) return status_invalid_value;
  stub.preference = *static_cast<StubCublasLt::Preference*>(preference);
  *count = stub.has_algorithm ? 1 : 0;
  if (!stub.has_algorithm) return 0;
  results[0] = {};
  results[0].algorithm.data[0] = algorithm_mark;
  results[0].workspace_bytes = stub.workspace_bytes;
  return 0;
}

extern "C" int cublasLtMatmul(void*, void* description, const void* alpha, const void* a, void* a_layout,
                              const void* b, void* b_layout, const void* beta, const void* c, void* c_layout,
                              void* d, void* d_layout, const Algorithm* algorithm, void* workspace,
                              std::size_t workspace_bytes, void* stream) {
  if (const int status = enter(__func__)) return status;
  if (algorithm->data[0] != algorithm_mark || c != d || c_layout != d_layout) return status_invalid_value;
  if (workspace_bytes < stub.workspace_bytes || (workspace_bytes != 0 && workspace == nullptr))
    return status_invalid_value;
  StubCublasLt::Product product = *static_cast<StubCublasLt::Product*>(description);
  product.a = *static_cast<StubCublasLt::Matrix*>(a_layout);
  product.b = *static_cast<StubCublasLt::Matrix*>(b_layout);
  product.y = *static_cast<StubCublasLt::Matrix*>(d_layout);
  product.workspace = workspace;
  product.workspace_bytes = workspace_bytes;
  product.stream = stream;
  if (stub.current_context != nullptr) product.context = *stub.current_context;
  stub.products.push_back(product);
  if (product.a.slices != product.y.slices || product.b.slices != product.y.slices)
    return status_invalid_value;
  if (product.y.type == type_f32) return multiply<float>(product, alpha, a, b, beta, d);
  if (product.y.type == type_f64) return multiply<double>(product, alpha, a, b, beta, d);
  return 0;
}
