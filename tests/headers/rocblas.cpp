#define __HIP_PLATFORM_AMD__
#define __HIP_DISABLE_CPP_FUNCTIONS__
#include <rocblas/rocblas.h>

#include "library/rocblas_api.hpp"
#include "same_call.hpp"

#define EXPECT_ROCBLAS(name, arguments) EXPECT_CALL(int, name, arguments);
KERNELGEN_ROCBLAS_CALLS(EXPECT_ROCBLAS)
EXPECT_CALL(const char*, rocblas_status_to_string, (int));

namespace rocblas = kernelgen::rocblas;
EXPECT_NUMBER(rocblas::operation_none, rocblas_operation_none);
EXPECT_NUMBER(rocblas::operation_transpose, rocblas_operation_transpose);
EXPECT_NUMBER(rocblas::type_f16, rocblas_datatype_f16_r);
EXPECT_NUMBER(rocblas::type_bf16, rocblas_datatype_bf16_r);
EXPECT_NUMBER(rocblas::type_f32, rocblas_datatype_f32_r);
EXPECT_NUMBER(rocblas::type_f64, rocblas_datatype_f64_r);
EXPECT_NUMBER(rocblas::atomics_not_allowed, rocblas_atomics_not_allowed);
EXPECT_NUMBER(rocblas::algorithm_standard, rocblas_gemm_algo_standard);
EXPECT_NUMBER(0, rocblas_gemm_flags_none);
EXPECT_NUMBER(0, rocblas_status_success);
EXPECT_NUMBER(rocblas::status_not_implemented, rocblas_status_not_implemented);
EXPECT_NUMBER(rocblas::status_invalid_size, rocblas_status_invalid_size);
EXPECT_NUMBER(rocblas::status_size_increased, rocblas_status_size_increased);
EXPECT_NUMBER(rocblas::status_size_unchanged, rocblas_status_size_unchanged);
EXPECT_NUMBER(rocblas::status_invalid_value, rocblas_status_invalid_value);
#if ROCBLAS_VERSION_MAJOR >= 4  // ROCm 6
EXPECT_NUMBER(rocblas::status_excluded_from_build, rocblas_status_excluded_from_build);
EXPECT_NUMBER(rocblas::status_arch_mismatch, rocblas_status_arch_mismatch);
#endif
