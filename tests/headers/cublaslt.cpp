#include <cublasLt.h>

#include "library/blas_lt_api.hpp"
#include "same_call.hpp"

#define EXPECT_LT(member, hip_name, cuda_name, arguments) EXPECT_CALL(int, cuda_name, arguments);
KERNELGEN_BLAS_LT_CALLS(EXPECT_LT)
EXPECT_CALL(const char*, cublasLtGetStatusString, (int));

using kernelgen::BlasLtEstimate;
using kernelgen::BlasLtType;
constexpr const kernelgen::BlasLtNumbers& numbers = kernelgen::cublaslt_numbers;
EXPECT_NUMBER(numbers.algorithm_bytes, sizeof(cublasLtMatmulAlgo_t));
EXPECT_NUMBER(numbers.algorithm_bytes + sizeof(BlasLtEstimate), sizeof(cublasLtMatmulHeuristicResult_t));
EXPECT_NUMBER(numbers.algorithm_bytes + offsetof(BlasLtEstimate, workspace_bytes),
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
EXPECT_NUMBER(numbers.algorithm_bytes + offsetof(BlasLtEstimate, state),
              offsetof(cublasLtMatmulHeuristicResult_t, state));
EXPECT_NUMBER(numbers.compute_f32, CUBLAS_COMPUTE_32F);
EXPECT_NUMBER(numbers.compute_f64, CUBLAS_COMPUTE_64F);
EXPECT_NUMBER(numbers.transpose, CUBLAS_OP_T);
EXPECT_NUMBER(numbers.description_transpose_a, CUBLASLT_MATMUL_DESC_TRANSA);
EXPECT_NUMBER(numbers.description_transpose_b, CUBLASLT_MATMUL_DESC_TRANSB);
EXPECT_NUMBER(numbers.layout_batch_count, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
EXPECT_NUMBER(numbers.layout_batch_stride, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
EXPECT_NUMBER(numbers.preference_workspace_bytes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
EXPECT_NUMBER(kernelgen::cublaslt_wishes[0].attribute, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
EXPECT_NUMBER(kernelgen::cublaslt_wishes[0].value, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
EXPECT_NUMBER(numbers.preference_alignment_a, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
EXPECT_NUMBER(numbers.preference_alignment_a + 1, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
EXPECT_NUMBER(numbers.preference_alignment_a + 2, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
EXPECT_NUMBER(numbers.preference_alignment_a + 3, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
EXPECT_NUMBER(numbers.refusals[0], CUBLAS_STATUS_NOT_SUPPORTED);
EXPECT_NUMBER(0, CUBLAS_STATUS_SUCCESS);
EXPECT_NUMBER(BlasLtType::f16, CUDA_R_16F);
EXPECT_NUMBER(BlasLtType::bf16, CUDA_R_16BF);
EXPECT_NUMBER(BlasLtType::f32, CUDA_R_32F);
EXPECT_NUMBER(BlasLtType::f64, CUDA_R_64F);
