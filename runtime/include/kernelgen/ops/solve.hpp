#pragma once
#include "kernelgen/call.hpp"

/// Systems of linear equations. f32.
namespace kernelgen {

/// The y of a · y = b for each matrix a [batch…, n, n], lower triangular, or upper if `upper`, and b [batch…, n, m], with equal
/// batch dims. Elements beyond the diagonal are not read, nor the diagonal if `unit_diagonal`, which treats it as ones. Operands
/// are f32, of any layout; sums are in f32. A zero on the diagonal gives infinities and NaN. `options.out` may be b itself if b is
/// contiguous.
Tensor solve_triangular(const Tensor& a, const Tensor& b, bool upper = false, bool unit_diagonal = false,
                        const CallOptions& options = {});

}  // namespace kernelgen
