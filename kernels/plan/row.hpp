#pragma once
/// What the kernels that work on whole rows (engines/row.hpp) share with their caller.
#include "plan/abi.hpp"

namespace kg {

/// Most threads that share a row.
inline constexpr unsigned row_threads = 512;

/// Bytes that the State of a part of a row takes (row_reduction.hpp).
inline constexpr unsigned row_state_bytes = 24;

/// Elements of a row that a GPU's thread holds in registers: 128 bytes, widened.
constexpr unsigned held_elements(unsigned widened_bytes) { return 128 / widened_bytes; }

/// The same of a row that accesses of 16 bytes do not fit.
inline constexpr unsigned single_elements = 8;

/// Whether rows of elements of so many bytes that accesses of 16 bytes do not fit are taken in such accesses nevertheless, but
/// for what is left at both ends.
constexpr bool row_may_have_edges(unsigned element_bytes) { return element_bytes == 2; }

}  // namespace kg
