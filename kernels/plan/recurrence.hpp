#pragma once
/// Division of linear recurrences into work, shared by the kernel and its caller.
namespace kg {

/// Most elements of a row of a state.
inline constexpr unsigned recurrence_widest = 2048;

/// Elements of a row that a GPU thread holds in registers.
inline constexpr unsigned recurrence_each = 8;

/// Threads of a GPU that share a row, a power of two.
template <class Count>
constexpr unsigned recurrence_group(Count width) {
  unsigned group = 1;
  while (static_cast<Count>(group) * recurrence_each < width) group *= 2;
  return group;
}

}  // namespace kg
