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
  std::optional<std::int64_t> before, after;  ///< keys seen at most to each side of a query's place
  double soft_cap = 0;                        ///< 0: none
  Elements mask{};                            ///< [batch, heads, queries, keys]
  Elements slopes{};                          ///< [batch, heads]
  Elements sinks{};                           ///< [heads]
  std::vector<std::int64_t> query_lengths{}, key_lengths{};  ///< [batch]

  /// Whether query t of a sequence is one that sees key j.
  bool sees(std::int64_t sequence, std::int64_t t, std::int64_t j) const;
};

/// Results before they are rounded, and how far off a computation may be, which rounds to 2^-24 but probabilities to
/// `probability_unit`.
struct Attended {
  std::vector<Real> y, y_slack;                ///< [batch, heads, queries, width]
  std::vector<Real> log_sums, log_sums_slack;  ///< [batch, heads, queries]
};

Attended attend(const Attention& x, Real probability_unit);

}  // namespace kernelgen::reference
