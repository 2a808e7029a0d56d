#ifndef KERNELGEN_TESTS_CAPI_FUNCTIONS_H
#define KERNELGEN_TESTS_CAPI_FUNCTIONS_H
/* The named operations of the C interface with what they give for one pair of numbers. Filled in by C11 code,
 * so that the header is known to be C and every function to be there. */
#include <kernelgen/kernelgen.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct capi_unary {
  const char* name;
  kernelgen_status (*function)(const kernelgen_tensor*, const kernelgen_tensor*, const kernelgen_stream*,
                               kernelgen_tensor**);
  double (*expected)(double x);
} capi_unary;

typedef struct capi_binary {
  const char* name;
  kernelgen_status (*function)(const kernelgen_tensor*, const kernelgen_tensor*, const kernelgen_tensor*,
                               const kernelgen_stream*, kernelgen_tensor**);
  double (*expected)(double a, double b);
} capi_binary;

/* Each table ends with a row whose name is NULL. */
extern const capi_unary capi_unaries[];
extern const capi_binary capi_binaries[];
extern const capi_binary capi_comparisons[];

/* x * 2 + y computed through C alone, f32; the number of the call that failed, or 0. */
int capi_affine_add(const char* device, const float* x, const float* y, float* result, size_t count);

#ifdef __cplusplus
}
#endif

#endif
