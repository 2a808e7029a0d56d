#pragma once
#include "element.hpp"

namespace kernelgen::reference {

/// The elements converted by the cast rules of element.hpp.
Elements cast(const Elements& x, DType dtype);

/// a where the condition (any integer dtype) is not 0, else b; bits are kept, of NaN too.
Elements where(const Elements& condition, const Elements& a, const Elements& b);

}  // namespace kernelgen::reference
