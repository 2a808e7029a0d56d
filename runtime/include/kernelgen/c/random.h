#ifndef KERNELGEN_C_RANDOM_H
#define KERNELGEN_C_RANDOM_H
/* Random number generation: bf16, f16, f32, f64, f8e4m3; see kernelgen_device_set_seed. Included by
 * operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Uniform distribution over [low, high). Both bounds must be finite and differ in the dtype. Values are
 * rounded down to the dtype. */
kernelgen_status kernelgen_rand_uniform(const kernelgen_device* device, size_t rank, const int64_t* shape,
                                        kernelgen_dtype dtype, kernelgen_scalar low, kernelgen_scalar high,
                                        const kernelgen_tensor* out, const kernelgen_stream* stream,
                                        kernelgen_tensor** result);
/* Normal distribution. `std` must not be negative. */
kernelgen_status kernelgen_rand_normal(const kernelgen_device* device, size_t rank, const int64_t* shape,
                                       kernelgen_dtype dtype, kernelgen_scalar mean, kernelgen_scalar std,
                                       const kernelgen_tensor* out, const kernelgen_stream* stream,
                                       kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
