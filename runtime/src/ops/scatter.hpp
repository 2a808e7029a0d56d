#pragma once
#include "ops/index.hpp"

/// What scatter_add_set and index_add are made of.
namespace kernelgen {

/// y += source at the walk's places, in y's own dtype. y has the walk's shape but along its dim, source has it whole.
void add_into(const IndexWalk& walk, const Tensor& y, const Tensor& source, bool deterministic,
              const Stream& stream);

/// What sums of elements of that type are made in.
DType sum_type(DType dtype);

/// y = x and the sources at the walk's places, for types whose sums are made in a wider one and rounded once. y may be x.
void add_widened(const IndexWalk& walk, const Tensor& x, const Tensor& y, const Tensor& source,
                 bool deterministic, const Stream& stream);

}  // namespace kernelgen
