#ifndef KERNELGEN_C_CALL_ALL_H
#define KERNELGEN_C_CALL_ALL_H
/* Operations by name with several results. Included by kernelgen.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As kernelgen_call, for an operation with any number of results ("body"). `results` has room for `capacity` handles, of
 * which `*count` are written; KERNELGEN_MAX_RESULTS of package_format.h always suffice. Errors: also
 * KERNELGEN_INVALID_ARGUMENT if the results are more than `capacity`. */
kernelgen_status kernelgen_call_all(const char* operation, const kernelgen_tensor* const* inputs,
                                    size_t input_count, const kernelgen_scalar* scalars, size_t scalar_count,
                                    const kernelgen_stream* stream, kernelgen_tensor** results,
                                    size_t capacity, size_t* count);

#ifdef __cplusplus
}
#endif

#endif
