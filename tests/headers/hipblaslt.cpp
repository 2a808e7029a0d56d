#define __HIP_PLATFORM_AMD__
#define __HIP_DISABLE_CPP_FUNCTIONS__
#include <hipblaslt/hipblaslt.h>

#include "library/blas_lt_api.hpp"
#include "same_call.hpp"

// Older ones, of ROCm 5, have other numbers, and are not used.
#if HIPBLASLT_VERSION_MAJOR > 0 || HIPBLASLT_VERSION_MINOR >= 6

#define EXPECT_LT(member, hip_name, cuda_name, arguments) EXPECT_CALL(int, hip_name, arguments);
KERNELGEN_BLAS_LT_CALLS(EXPECT_LT)
EXPECT_CALL(int, hipblasLtGetVersion, (void*, int*));

using kernelgen::BlasLtEstimate;
using kernelgen::BlasLtType;
constexpr const kernelgen::BlasLtNumbers& numbers = kernelgen::hipblaslt_numbers;
EXPECT_NUMBER(numbers.algorithm_bytes, sizeof(hipblasLtMatmulAlgo_t));
EXPECT_NUMBER(numbers.algorithm_bytes + sizeof(BlasLtEstimate), sizeof(hipblasLtMatmulHeuristicResult_t));
EXPECT_NUMBER(numbers.algorithm_bytes + offsetof(BlasLtEstimate, workspace_bytes),
              offsetof(hipblasLtMatmulHeuristicResult_t, workspaceSize));
EXPECT_NUMBER(numbers.algorithm_bytes + offsetof(BlasLtEstimate, state),
              offsetof(hipblasLtMatmulHeuristicResult_t, state));
EXPECT_NUMBER(numbers.compute_f32, HIPBLAS_COMPUTE_32F);
EXPECT_NUMBER(numbers.compute_f64, HIPBLAS_COMPUTE_64F);
EXPECT_NUMBER(numbers.transpose, HIPBLAS_OP_T);
EXPECT_NUMBER(numbers.description_transpose_a, HIPBLASLT_MATMUL_DESC_TRANSA);
EXPECT_NUMBER(numbers.description_transpose_b, HIPBLASLT_MATMUL_DESC_TRANSB);
EXPECT_NUMBER(numbers.layout_batch_count, HIPBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
EXPECT_NUMBER(numbers.layout_batch_stride, HIPBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
EXPECT_NUMBER(numbers.preference_workspace_bytes, HIPBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
EXPECT_NUMBER(numbers.refusals[0], HIPBLAS_STATUS_INVALID_VALUE);
EXPECT_NUMBER(numbers.refusals[1], HIPBLAS_STATUS_INTERNAL_ERROR);
EXPECT_NUMBER(numbers.refusals[2], HIPBLAS_STATUS_NOT_SUPPORTED);
EXPECT_NUMBER(numbers.refusals[3], HIPBLAS_STATUS_ARCH_MISMATCH);
EXPECT_NUMBER(numbers.refusals[4], HIPBLAS_STATUS_INVALID_ENUM);
EXPECT_NUMBER(0, HIPBLAS_STATUS_SUCCESS);
EXPECT_NUMBER(BlasLtType::f16, HIP_R_16F);
EXPECT_NUMBER(BlasLtType::bf16, HIP_R_16BF);
EXPECT_NUMBER(BlasLtType::f32, HIP_R_32F);
EXPECT_NUMBER(BlasLtType::f64, HIP_R_64F);

#endif
