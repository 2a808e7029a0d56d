#pragma once
/// Constants that element-wise kernels share with their callers.
namespace kg {

/// Packs of `pack` elements whose loads a GPU thread of an element-wise kernel has in flight: enough bytes to hide memory latency, for
/// which f64 math needs one.
constexpr int packs_in_flight(int pack, int result_bytes, int inputs) {
  return pack > 4 || pack * result_bytes > 16 || result_bytes == 8 || inputs > 2 ? 1 : 2;
}

/// Elements that a GPU thread of an element-wise kernel has in flight where inputs are strided along the innermost dim.
constexpr int strided_in_flight(bool is_compact_code) { return is_compact_code ? 2 : 4; }

}  // namespace kg
