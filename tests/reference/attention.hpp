#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "element.hpp"

namespace kernelgen::reference {

/// Operands in row-major order, whatever lay between them. Those that may be missing are empty.
struct Attention {
  std::int64_t batch, heads, kv_heads, queries, keys, width;
  Elements q;     ///< [batch, heads, queries, width]
  Elements k, v;  ///< [batch, kv_heads, keys, width]
  double scale;
  std::optional<std::int64_t> window_left,
      window_right;     ///< keys seen at most to each side of a query's place
  double soft_cap = 0;  ///< 0: none
  Elements mask{};      ///< [batch, heads, queries, keys]
  Elements slopes{};    ///< [batch, heads]
  Elements sinks{};     ///< [heads]
  std::vector<std::int64_t> query_lengths{}, key_lengths{};  ///< [batch]

  /// Whether query t of a sequence is one that sees key j.
  bool sees(std::int64_t sequence, std::int64_t t, std::int64_t j) const;
};

/// Results before they are rounded, and how far off a computation in f32 may be, u = 2^-24: of y ((8 + 2·log2 n)·u +
/// 3u·m + probability_unit)·Σ|p·v|, n being the keys seen and m the largest Σ of magnitudes that a logit is made of;
/// probability_unit is what probabilities may be rounded to before they are multiplied. Of the log-sum-exp the same
/// without it, and 2u of itself.
struct Attended {
  std::vector<Real> y, y_slack;                ///< [batch, heads, queries, width]
  std::vector<Real> log_sums, log_sums_slack;  ///< [batch, heads, queries]
};

Attended attend(const Attention& x, Real probability_unit);

}  // namespace kernelgen::reference
