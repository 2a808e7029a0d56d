#pragma once
#include <span>

namespace kernelgen::conformance {

/// The largest errors of a function, and where they are. A NaN where the exact result is none, or the reverse, is an
/// infinite one.
struct Accuracy {
  /// In units of the last place: the distance of the f32s around the exact result. 0.5 where rounding is correct.
  double ulps = 0;
  float ulps_at = 0;
  /// Left of -1, where the function goes to zero, if it does: |error| / |x|, counted here instead.
  double tail = 0;
  float tail_at = 0;

  void look(float x, float got, double exact, bool has_tail);
  void merge(const Accuracy& other);
};

/// Judges got[i] = f(x[i]), on all of the host's processors.
Accuracy measure(std::span<const float> x, std::span<const float> got, double (*exact)(double),
                 bool has_tail);

}  // namespace kernelgen::conformance
