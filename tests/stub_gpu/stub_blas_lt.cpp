// cuBLASLt for tests, or with STUB_HIP hipBLASLt: keeps to the library's checks of sizes and order of calls. Its numbers are
// those of the libraries' headers, written a second time.
#include "stub_gpu/stub_blas_lt.hpp"

#include <cstring>

namespace {

using kernelgen::test::StubBlasLt;

StubBlasLt stub;

#ifdef STUB_HIP
#define STUB(name) hipblasLt##name
constexpr int status_invalid_value = 3;
constexpr int attribute_transpose_a = 0, attribute_transpose_b = 1, operation_transpose = 112;
constexpr int attribute_batch_count = 0, attribute_batch_stride = 1;
constexpr std::size_t algorithm_words = 3;
#else
#define STUB(name) cublasLt##name
constexpr int status_invalid_value = 7;
constexpr int attribute_transpose_a = 3, attribute_transpose_b = 4, operation_transpose = 1;
constexpr int attribute_batch_count = 5, attribute_batch_stride = 6;
constexpr std::size_t algorithm_words = 8;
#endif
constexpr int type_f32 = 0, type_f64 = 1;
constexpr std::uint64_t algorithm_mark = 0xa190;

struct Algorithm {
  std::uint64_t data[algorithm_words];
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
T element(const void* data, const StubBlasLt::Matrix& matrix, int transposed, std::int64_t slice,
          std::uint64_t row, std::uint64_t column) {
  if (transposed) std::swap(row, column);
  return static_cast<const T*>(
      data)[slice * matrix.slice_stride + static_cast<std::int64_t>(column) * matrix.leading +
            static_cast<std::int64_t>(row)];
}

template <class T>
int multiply(const StubBlasLt::Product& p, const void* alpha, const void* a, const void* b, const void* beta,
             void* y) {
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

extern "C" StubBlasLt* stub_blas_lt() { return &stub; }

#ifdef STUB_HIP
extern "C" int hipblasLtGetVersion(void*, int* version) {
  *version = stub.version;
  return 0;
}
#else
extern "C" const char* cublasLtGetStatusString(int status) {
  return status == 13 ? "CUBLAS_STATUS_EXECUTION_FAILED" : "CUBLAS_STATUS_STUB";
}
#endif

extern "C" int STUB(Create)(void** handle) { return create(__func__, handle, 0); }
extern "C" int STUB(Destroy)(void* handle) { return destroy<int>(__func__, handle); }

extern "C" int STUB(MatmulDescCreate)(void** description, int compute, int scale) {
  StubBlasLt::Product product;
  product.compute = compute;
  product.scale = scale;
  return create(__func__, description, product);
}
extern "C" int STUB(MatmulDescDestroy)(void* description) {
  return destroy<StubBlasLt::Product>(__func__, description);
}
extern "C" int STUB(MatmulDescSetAttribute)(void* description, int attribute, const void* value,
                                            std::size_t bytes) {
  auto& product = *static_cast<StubBlasLt::Product*>(description);
  std::int32_t operation = 0;
  const int status = set(__func__, operation, value, bytes);
  if (status != 0 || operation != operation_transpose) return status != 0 ? status : status_invalid_value;
  if (attribute != attribute_transpose_a && attribute != attribute_transpose_b) return status_invalid_value;
  (attribute == attribute_transpose_a ? product.transpose_a : product.transpose_b) = 1;
  return 0;
}

extern "C" int STUB(MatrixLayoutCreate)(void** layout, int type, std::uint64_t rows, std::uint64_t columns,
                                        std::int64_t leading) {
  if (leading < static_cast<std::int64_t>(rows)) return status_invalid_value;
  StubBlasLt::Matrix matrix;
  matrix.type = type;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.leading = leading;
  return create(__func__, layout, matrix);
}
extern "C" int STUB(MatrixLayoutDestroy)(void* layout) {
  return destroy<StubBlasLt::Matrix>(__func__, layout);
}
extern "C" int STUB(MatrixLayoutSetAttribute)(void* layout, int attribute, const void* value,
                                              std::size_t bytes) {
  auto& matrix = *static_cast<StubBlasLt::Matrix*>(layout);
  if (attribute == attribute_batch_count) return set(__func__, matrix.slices, value, bytes);
  if (attribute == attribute_batch_stride) return set(__func__, matrix.slice_stride, value, bytes);
  return status_invalid_value;
}

extern "C" int STUB(MatmulPreferenceCreate)(void** preference) {
  return create(__func__, preference, StubBlasLt::Preference());
}
extern "C" int STUB(MatmulPreferenceDestroy)(void* preference) {
  return destroy<StubBlasLt::Preference>(__func__, preference);
}
extern "C" int STUB(MatmulPreferenceSetAttribute)(void* handle, int attribute, const void* value,
                                                  std::size_t bytes) {
  auto& preference = *static_cast<StubBlasLt::Preference*>(handle);
  if (attribute == 1) return set(__func__, preference.workspace_bytes, value, bytes);
#ifndef STUB_HIP
  if (attribute == 3) return set(__func__, preference.reduction_schemes, value, bytes);
  if (attribute >= 5 && attribute <= 8)
    return set(__func__, preference.alignment[attribute - 5], value, bytes);
#endif
  return status_invalid_value;
}

extern "C" int STUB(MatmulAlgoGetHeuristic)(void*, void*, void*, void*, void*, void*, void* preference,
                                            int wanted, Heuristic* results, int* count) {
  if (const int status = enter(__func__)) return status;
  if (wanted < 1) return status_invalid_value;
  stub.preference = *static_cast<StubBlasLt::Preference*>(preference);
  *count = stub.has_algorithm ? 1 : 0;
  if (!stub.has_algorithm) return 0;
  results[0] = {};
  results[0].algorithm.data[0] = algorithm_mark;
  results[0].workspace_bytes = stub.workspace_bytes;
  results[0].waves = stub.waves;
  return 0;
}

extern "C" int STUB(Matmul)(void* handle, void* description, const void* alpha, const void* a, void* a_layout,
                            const void* b, void* b_layout, const void* beta, const void* c, void* c_layout,
                            void* d, void* d_layout, const Algorithm* algorithm, void* workspace,
                            std::size_t workspace_bytes, void* stream) {
  if (const int status = enter(__func__)) return status;
  if (algorithm->data[0] != algorithm_mark || c != d || c_layout != d_layout) return status_invalid_value;
  if (workspace_bytes < stub.workspace_bytes || (workspace_bytes != 0 && workspace == nullptr))
    return status_invalid_value;
  StubBlasLt::Product product = *static_cast<StubBlasLt::Product*>(description);
  product.a = *static_cast<StubBlasLt::Matrix*>(a_layout);
  product.b = *static_cast<StubBlasLt::Matrix*>(b_layout);
  product.y = *static_cast<StubBlasLt::Matrix*>(d_layout);
  product.workspace = workspace;
  product.workspace_bytes = workspace_bytes;
  product.handle = handle;
  product.stream = stream;
  if (stub.current_context != nullptr) product.context = *stub.current_context;
  stub.products.push_back(product);
  if (product.a.slices != product.y.slices || product.b.slices != product.y.slices)
    return status_invalid_value;
  if (product.y.type == type_f32) return multiply<float>(product, alpha, a, b, beta, d);
  if (product.y.type == type_f64) return multiply<double>(product, alpha, a, b, beta, d);
  return 0;
}
