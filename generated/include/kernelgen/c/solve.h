/* Written by bindings/generate.py from kernelgen/ops; do not edit. */
#ifndef KERNELGEN_C_SOLVE_H
#define KERNELGEN_C_SOLVE_H
/* Systems of linear equations. f32. Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The y of a · y = b for each matrix a [batch…, n, n], lower triangular, or upper if `upper`, and b
 * [batch…, n, m], with equal batch dims. Elements beyond the diagonal are not read, nor the diagonal if
 * `unit_diagonal`, which treats it as ones. Operands are f32, of any layout; sums are in f32. A zero on
 * the diagonal gives infinities and NaN. `out` may be b itself if b is contiguous. */
kernelgen_status kernelgen_solve_triangular(const kernelgen_tensor* a, const kernelgen_tensor* b, int upper,
                                            int unit_diagonal, const kernelgen_tensor* out,
                                            const kernelgen_stream* stream, kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
