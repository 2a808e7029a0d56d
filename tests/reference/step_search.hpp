#pragma once
#include <span>

namespace kernelgen::reference {

/// The three searches by which the K formats choose a group's step and codes. A step may be negative or 0; codes count
/// from the lowest. Errors are weighted.
using Values = std::span<const float>;
using Codes = std::span<int>;

/// Of x ~ step * (code - 32), codes below 64 (q6_K): nineteen steps around the one that gives the extreme element the
/// lowest code; weights are squares of the elements.
float search_around(Values x, Codes codes);

/// Of x ~ step * (code - 4), codes below 8 (q3_K): from that step, codes are changed one at a time while it helps, five
/// rounds at most.
float search_by_change(Values x, Codes codes);

struct Line {
  float step, minimum;  ///< x ~ step * code + minimum, which is 0 at most
};
struct LineSearch {
  int levels;           ///< the greatest code
  float first, stride;  ///< what is added to it for the first try, and more for each other one
  int last;             ///< tries after the first
  bool squares;         ///< errors count by their squares, or as they are
};
/// Steps and minima by weighted least squares for the codes of several steps (q2_K, q4_K, q5_K).
Line search_line(LineSearch search, Values x, Values weights, Codes codes);

}  // namespace kernelgen::reference
