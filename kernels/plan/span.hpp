#pragma once
/// Copies of contiguous elements: constants shared by kernels and their callers.
namespace kg {

/// Elements of a 16-byte access.
constexpr unsigned access_elements(unsigned element_bytes) { return 16 / element_bytes; }

/// Accesses in flight per GPU thread of a copy.
inline constexpr unsigned copies_in_flight = 4;

}  // namespace kg
