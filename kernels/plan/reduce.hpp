#pragma once
/// Constants of reduce.hpp, shared with callers, who allocate partial results and divide the work.
#include "plan/abi.hpp"

namespace kg {

/// The kind of a reduction's State (partial result). Packages record the number.
enum class StateKind { sum, extreme, truth, index, expression };

/// Bytes of a State for elements of `element_bytes`, floats or integers.
constexpr unsigned state_bytes(StateKind kind, unsigned element_bytes, bool is_float) {
  const bool is_wide = element_bytes == 8;
  switch (kind) {
    case StateKind::sum:
    case StateKind::expression:
      return is_wide || !is_float ? 8 : 4;
    case StateKind::extreme:
      return is_wide ? 8 : 4;
    case StateKind::truth:
      return 4;
    default:
      return is_wide ? 16 : 8;
  }
}

/// Adjacent columns that a GPU thread reduces at a time: one 16-byte access, unless their States would need
/// too many registers.
constexpr int column_pack(unsigned element_bytes, unsigned state_bytes) {
  const unsigned by_access = 16 / element_bytes, by_states = (state_bytes == 4 ? 16 : 32) / state_bytes;
  return static_cast<int>(by_access < by_states ? by_access : by_states);
}

/// Partial results of a CPU thread: of one long row, or of that many columns.
inline constexpr unsigned cpu_lanes = 1024;

}  // namespace kg
