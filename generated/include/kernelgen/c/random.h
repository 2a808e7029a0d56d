/* Written by bindings/generate.py from kernelgen/ops; do not edit. */
#ifndef KERNELGEN_C_RANDOM_H
#define KERNELGEN_C_RANDOM_H
/* Random numbers, the same on every device: element i depends only on the device's seed, on the number of
 * these calls since set_seed, and on i. Floating point. Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Uniformly distributed in [low, high). Both bounds must be finite and differ in that dtype. Results are
 * rounded down, which keeps them in that range for every dtype. */
kernelgen_status kernelgen_rand_uniform(const kernelgen_device* device, size_t rank, const int64_t* shape,
                                        kernelgen_dtype dtype, kernelgen_scalar low, kernelgen_scalar high,
                                        const kernelgen_tensor* out, const kernelgen_stream* stream,
                                        kernelgen_tensor** result);
/* Normally distributed. `deviation` must not be negative. */
kernelgen_status kernelgen_rand_normal(const kernelgen_device* device, size_t rank, const int64_t* shape,
                                       kernelgen_dtype dtype, kernelgen_scalar mean,
                                       kernelgen_scalar deviation, const kernelgen_tensor* out,
                                       const kernelgen_stream* stream, kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
