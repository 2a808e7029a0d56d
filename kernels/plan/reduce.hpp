#pragma once
/// What the kernels of reduce.hpp share with their caller, who makes room for partial results and cuts the work.
#include "plan/abi.hpp"

namespace kg {

/// What a reduction's partial results, its States, are.
enum class StateKind { sum, extreme, truth, place };

/// Bytes of a State of elements of that many bytes, which are floats or integers.
constexpr unsigned state_bytes(StateKind kind, unsigned element_bytes, bool is_float) {
  const bool is_wide = element_bytes == 8;
  switch (kind) {
    case StateKind::sum:
      return is_wide || !is_float ? 8 : 4;
    case StateKind::extreme:
      return is_wide ? 8 : 4;
    case StateKind::truth:
      return 4;
    default:
      return is_wide ? 16 : 8;
  }
}

/// Neighbouring columns a GPU thread reduces at once: an access of 16 bytes, unless their States would fill
/// the registers.
constexpr int column_pack(unsigned element_bytes, unsigned state_bytes) {
  const unsigned by_access = 16 / element_bytes, by_states = (state_bytes == 4 ? 16 : 32) / state_bytes;
  return static_cast<int>(by_access < by_states ? by_access : by_states);
}

/// Partial results that a CPU's thread has beside each other: of a long row, or of as many columns.
inline constexpr unsigned cpu_lanes = 1024;

}  // namespace kg
