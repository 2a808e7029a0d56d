#pragma once
#include "ops/index.hpp"

/// Building blocks of scatter_set, scatter_add_set and index_add.
namespace kernelgen {

/// y += source at the walk's indices, in y's dtype. y has the walk's shape except along its dim; source has
/// the whole shape.
void add_into(const IndexWalk& walk, const Tensor& y, const Tensor& source, bool deterministic,
              const Stream& stream);

/// y = x plus the sources at the walk's indices, for dtypes accumulated in a wider type and rounded once. y
/// may be x.
void add_widened(const IndexWalk& walk, const Tensor& x, const Tensor& y, const Tensor& source,
                 bool deterministic, const Stream& stream);

}  // namespace kernelgen
