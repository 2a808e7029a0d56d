#pragma once
#include "element.hpp"

namespace kernelgen::reference {

/// The places of a row's elements in sorted order: by value, NaN last; elements that compare equal in the
/// order they have.
std::vector<std::uint32_t> sorted_places(const Elements& row, bool ascending);

}  // namespace kernelgen::reference
