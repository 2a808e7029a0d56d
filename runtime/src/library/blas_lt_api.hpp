#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "driver/gpu_api.hpp"

namespace kernelgen {

// cuBLASLt and hipBLASLt in one table: the second was made after the first, and these functions take the same arguments in
// the same order, and return 0 for success. Enums are passed as ints, handles and descriptors are pointers. As the headers
// of CUDA 12 and 13 and of ROCm 6 and 7 have them; tests/headers compares.
//   KERNELGEN_BLAS_LT_CALLS(X): X(member, hipBLASLt's name, cuBLASLt's name, arguments)
#define KERNELGEN_BLAS_LT_CALLS(X)                                                                           \
  X(create, hipblasLtCreate, cublasLtCreate, (void** handle))                                                \
  X(destroy, hipblasLtDestroy, cublasLtDestroy, (void* handle))                                              \
  X(create_description, hipblasLtMatmulDescCreate, cublasLtMatmulDescCreate,                                 \
    (void** description, int compute_type, int scale_type))                                                  \
  X(set_description, hipblasLtMatmulDescSetAttribute, cublasLtMatmulDescSetAttribute,                        \
    (void* description, int attribute, const void* value, std::size_t bytes))                                \
  X(destroy_description, hipblasLtMatmulDescDestroy, cublasLtMatmulDescDestroy, (void* description))         \
  X(create_layout, hipblasLtMatrixLayoutCreate, cublasLtMatrixLayoutCreate,                                  \
    (void** layout, int type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading))              \
  X(set_layout, hipblasLtMatrixLayoutSetAttribute, cublasLtMatrixLayoutSetAttribute,                         \
    (void* layout, int attribute, const void* value, std::size_t bytes))                                     \
  X(destroy_layout, hipblasLtMatrixLayoutDestroy, cublasLtMatrixLayoutDestroy, (void* layout))               \
  X(create_preference, hipblasLtMatmulPreferenceCreate, cublasLtMatmulPreferenceCreate, (void** preference)) \
  X(set_preference, hipblasLtMatmulPreferenceSetAttribute, cublasLtMatmulPreferenceSetAttribute,             \
    (void* preference, int attribute, const void* value, std::size_t bytes))                                 \
  X(destroy_preference, hipblasLtMatmulPreferenceDestroy, cublasLtMatmulPreferenceDestroy,                   \
    (void* preference))                                                                                      \
  X(find_algorithm, hipblasLtMatmulAlgoGetHeuristic, cublasLtMatmulAlgoGetHeuristic,                         \
    (void* handle, void* description, void* a, void* b, void* c, void* d, void* preference, int wanted,      \
     void* results, int* count))                                                                             \
  X(multiply, hipblasLtMatmul, cublasLtMatmul,                                                               \
    (void* handle, void* description, const void* alpha, const void* a, void* a_layout, const void* b,       \
     void* b_layout, const void* beta, const void* c, void* c_layout, void* d, void* d_layout,               \
     const void* algorithm, void* workspace, std::size_t workspace_bytes, void* stream))

/// hipblasLtGetVersion(handle, version), called after hipBLASLt's create().
using HipblasLtVersion = int (*)(void* handle, int* version);
/// ROCm 6.0, the first version with today's constants of types and calls: 100000 · major + 100 · minor.
constexpr int hipblaslt_least_version = 600;

struct BlasLtCalls {
#define KERNELGEN_MEMBER(member, hip, cuda, arguments) detail::GpuCallOf<int arguments>::type member;
  KERNELGEN_BLAS_LT_CALLS(KERNELGEN_MEMBER)
#undef KERNELGEN_MEMBER
};

/// cudaDataType_t and hipDataType, which number these types alike.
struct BlasLtType {
  static constexpr int f32 = 0, f64 = 1, f16 = 2, bf16 = 14;
};

/// The fields after the algorithm in a result of find_algorithm(): cublasLtMatmulHeuristicResult_t.
struct BlasLtEstimate {
  std::size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};

/// A uint32_t or uint64_t to ask of an algorithm, by its attribute.
struct BlasLtWish {
  int attribute;
  std::uint32_t value;
};

/// Constants that differ between the two.
struct BlasLtNumbers {
  int compute_f32, compute_f64;
  int transpose;  ///< the operation
  int description_transpose_a, description_transpose_b;
  int layout_batch_count, layout_batch_stride;
  int preference_workspace_bytes;
  std::span<const BlasLtWish> wishes;  ///< in addition to the workspace
  /// Alignment of a, b, c and d; 0 if it cannot be specified.
  int preference_alignment_a;
  std::size_t algorithm_bytes;
  std::span<const int> refusals;  ///< statuses of unsupported problems
  /// Whether a handle owns memory shared by its products, so that two streams need two handles.
  bool has_shared_memory;
};

/// CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK. Allows no split-K, and split-K with partial sums in the
/// compute type; the other schemes keep partial sums in the output type.
inline constexpr BlasLtWish cublaslt_wishes[] = {{3, 2}};

/// CUBLAS_STATUS_NOT_SUPPORTED.
inline constexpr int cublaslt_refusals[] = {15};
/// HIPBLAS_STATUS_INVALID_VALUE, _INTERNAL_ERROR, _NOT_SUPPORTED, _ARCH_MISMATCH and _INVALID_ENUM: versions
/// report unsupported problems differently.
inline constexpr int hipblaslt_refusals[] = {3, 6, 7, 8, 10};

inline constexpr BlasLtNumbers cublaslt_numbers{.compute_f32 = 68,
                                                .compute_f64 = 70,
                                                .transpose = 1,
                                                .description_transpose_a = 3,
                                                .description_transpose_b = 4,
                                                .layout_batch_count = 5,
                                                .layout_batch_stride = 6,
                                                .preference_workspace_bytes = 1,
                                                .wishes = cublaslt_wishes,
                                                .preference_alignment_a = 5,
                                                .algorithm_bytes = 64,
                                                .refusals = cublaslt_refusals,
                                                .has_shared_memory = false};

inline constexpr BlasLtNumbers hipblaslt_numbers{.compute_f32 = 2,
                                                 .compute_f64 = 7,
                                                 .transpose = 112,
                                                 .description_transpose_a = 0,
                                                 .description_transpose_b = 1,
                                                 .layout_batch_count = 0,
                                                 .layout_batch_stride = 1,
                                                 .preference_workspace_bytes = 1,
                                                 .wishes = {},
                                                 .preference_alignment_a = 0,
                                                 .algorithm_bytes = 24,
                                                 .refusals = hipblaslt_refusals,
                                                 .has_shared_memory = true};

/// Of either, at most.
constexpr std::size_t most_algorithm_bytes = 64;

}  // namespace kernelgen
