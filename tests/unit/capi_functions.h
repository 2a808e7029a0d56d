#ifndef KERNELGEN_TESTS_CAPI_FUNCTIONS_H
#define KERNELGEN_TESTS_CAPI_FUNCTIONS_H
/* Functions in C11, so that the header is known to be C. */
#include <kernelgen/kernelgen.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x * 2 + y computed through C alone, f32; the number of the call that failed, or 0. */
int capi_affine_add(const char* device, const float* x, const float* y, float* result, size_t count);

#ifdef __cplusplus
}
#endif

#endif
