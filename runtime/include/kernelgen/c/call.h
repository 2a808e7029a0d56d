#ifndef KERNELGEN_C_CALL_H
#define KERNELGEN_C_CALL_H
/* Operations by name. Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls an operation of the device's package by name, including a user's own: an element-wise one ("expr"),
 * one on the rows along the last dim ("row"), a matrix product with an epilogue ("matmul"), one that is launched by
 * its own rule ("body"), or a reduction ("reduce") of all dims; kernelgen_reduce() takes the dims. At most 3 inputs
 * and 8 scalars (KERNELGEN_MAX_INPUTS and KERNELGEN_MAX_SCALARS of package_format.h). Errors: also
 * KERNELGEN_NOT_FOUND with the nearest name. */
kernelgen_status kernelgen_call(const char* operation, const kernelgen_tensor* const* inputs,
                                size_t input_count, const kernelgen_scalar* scalars, size_t scalar_count,
                                const kernelgen_tensor* out, const kernelgen_stream* stream,
                                kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
