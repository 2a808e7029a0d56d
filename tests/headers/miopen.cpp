#define __HIP_PLATFORM_AMD__
#define __HIP_DISABLE_CPP_FUNCTIONS__
#include <miopen/miopen.h>

#include "library/miopen_api.hpp"
#include "same_call.hpp"

using kernelgen::MiopenSolution;
#define EXPECT_MIOPEN(name, arguments) EXPECT_CALL(int, name, arguments);
KERNELGEN_MIOPEN_CALLS(EXPECT_MIOPEN)
EXPECT_CALL(const char*, miopenGetErrorString, (int));

EXPECT_NUMBER(sizeof(MiopenSolution), sizeof(miopenConvSolution_t));
EXPECT_NUMBER(offsetof(MiopenSolution, workspace_bytes), offsetof(miopenConvSolution_t, workspace_size));
EXPECT_NUMBER(offsetof(MiopenSolution, id), offsetof(miopenConvSolution_t, solution_id));
EXPECT_NUMBER(offsetof(MiopenSolution, algorithm), offsetof(miopenConvSolution_t, algorithm));

namespace miopen = kernelgen::miopen;
EXPECT_NUMBER(miopen::type_f16, miopenHalf);
EXPECT_NUMBER(miopen::type_f32, miopenFloat);
EXPECT_NUMBER(miopen::type_bf16, miopenBFloat16);
EXPECT_NUMBER(miopen::mode_convolution, miopenConvolution);
EXPECT_NUMBER(miopen::algorithm_gemm, miopenConvolutionAlgoGEMM);
EXPECT_NUMBER(miopen::algorithm_direct, miopenConvolutionAlgoDirect);
EXPECT_NUMBER(miopen::algorithm_implicit_gemm, miopenConvolutionAlgoImplicitGEMM);
EXPECT_NUMBER(miopen::attribute_f16_as_bf16, MIOPEN_CONVOLUTION_ATTRIB_FP16_ALT_IMPL);
#if MIOPEN_VERSION_MAJOR > 2 || MIOPEN_VERSION_MINOR >= 18  // ROCm 5.3
EXPECT_NUMBER(miopen::attribute_deterministic, MIOPEN_CONVOLUTION_ATTRIB_DETERMINISTIC);
#endif
EXPECT_NUMBER(0, miopenStatusSuccess);
EXPECT_NUMBER(miopen::status_bad_parameter, miopenStatusBadParm);
EXPECT_NUMBER(miopen::status_internal_error, miopenStatusInternalError);
EXPECT_NUMBER(miopen::status_not_implemented, miopenStatusNotImplemented);
EXPECT_NUMBER(miopen::status_unknown_error, miopenStatusUnknownError);
EXPECT_NUMBER(miopen::status_unsupported, miopenStatusUnsupportedOp);
