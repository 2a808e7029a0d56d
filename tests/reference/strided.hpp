#pragma once
#include "element.hpp"
#include "kernelgen/layout.hpp"

namespace kernelgen::reference {

/// Number of elements of a shape.
std::int64_t count_of(const Shape& shape);

/// Position in its storage of the element with row-major number `index`.
std::int64_t position(const Layout& layout, std::int64_t index);

/// The layout repeated to `shape` by NumPy's rule: trailing dims match or are 1.
Layout repeated(const Layout& layout, const Shape& shape);

/// The view's elements in row-major order.
Elements gather(const Elements& storage, const Layout& layout);

/// Writes `values`, in row-major order, to the view's positions and nowhere else.
void scatter(Elements& storage, const Layout& layout, const Elements& values);

}  // namespace kernelgen::reference
