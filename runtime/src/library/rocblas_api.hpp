#pragma once
#include <cstddef>
#include <cstdint>

namespace kernelgen {

// The functions and numbers of rocblas.h that are used here, alike in ROCm 5, 6 and 7 (tests/headers compares). Enums are
// passed as ints, handles are pointers. A single product is a batch of one: rocblas_gemm_ex is the same with fewer
// arguments.
//   X(function, arguments)
#define KERNELGEN_ROCBLAS_CALLS(X)                                                                       \
  X(rocblas_create_handle, (void** handle))                                                              \
  X(rocblas_destroy_handle, (void* handle))                                                              \
  X(rocblas_set_stream, (void* handle, void* stream))                                                    \
  X(rocblas_set_atomics_mode, (void* handle, int mode))                                                  \
  X(rocblas_set_workspace, (void* handle, void* workspace, std::size_t bytes))                           \
  X(rocblas_start_device_memory_size_query, (void* handle))                                              \
  X(rocblas_stop_device_memory_size_query, (void* handle, std::size_t* bytes))                           \
  X(rocblas_gemm_strided_batched_ex,                                                                     \
    (void* handle, int operation_a, int operation_b, std::int32_t m, std::int32_t n, std::int32_t k,     \
     const void* alpha, const void* a, int a_type, std::int32_t a_leading, std::int64_t a_stride,        \
     const void* b, int b_type, std::int32_t b_leading, std::int64_t b_stride, const void* beta,         \
     const void* c, int c_type, std::int32_t c_leading, std::int64_t c_stride, void* d, int d_type,      \
     std::int32_t d_leading, std::int64_t d_stride, std::int32_t count, int compute_type, int algorithm, \
     std::int32_t solution, std::uint32_t flags))

namespace rocblas {
constexpr int operation_none = 111, operation_transpose = 112;                  // rocblas_operation
constexpr int type_f16 = 150, type_f32 = 151, type_f64 = 152, type_bf16 = 168;  // rocblas_datatype
constexpr int atomics_not_allowed = 0;                                          // rocblas_atomics_mode
constexpr int algorithm_standard = 0;                                           // rocblas_gemm_algo
constexpr int status_not_implemented = 2, status_invalid_size = 4;              // rocblas_status
constexpr int status_size_increased = 9, status_size_unchanged = 10;
/// Of a solution that cannot do the problem, where its sizes or the workspace are not for it.
constexpr int status_invalid_value = 11;
constexpr int status_excluded_from_build = 14, status_arch_mismatch = 15;
}  // namespace rocblas

}  // namespace kernelgen
