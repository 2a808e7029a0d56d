#pragma once
/// How runs of neighbouring elements are moved: what kernels and their callers share.
namespace kg {

/// Elements of one access of 16 bytes.
constexpr unsigned access_elements(unsigned element_bytes) { return 16 / element_bytes; }

/// Accesses that a GPU's thread has under way as it copies a run.
inline constexpr unsigned copies_in_flight = 4;

}  // namespace kg
