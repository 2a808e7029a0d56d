#pragma once
#include "element.hpp"

namespace kernelgen::reference {

/// The places of a row's elements in sorted order: by value, NaN last; elements that compare equal in the
/// order they have.
std::vector<std::uint32_t> sorted_places(const Elements& row, bool ascending);

/// The places of a row's k greatest elements: NaN, then numbers from the greatest down; what compares equal in the order
/// it has.
std::vector<std::uint32_t> greatest_places(const Elements& row, std::int64_t k);

}  // namespace kernelgen::reference
