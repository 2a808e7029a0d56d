#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "kernelgen/ops.hpp"
#include "layouts.hpp"
#include "reference/attention.hpp"

namespace kernelgen::conformance {

/// Which lengths sequences have.
enum class Lengths {
  all,    ///< none are given: all rows
  drawn,  ///< at random, but the first sequence is full and the last one empty
};

/// What the mask's shape is.
enum class MaskShape { none, whole, of_queries, of_keys };

/// A call of attention, its operands drawn at random.
struct AttentionCase {
  DType dtype = DType::f32;
  std::optional<DType> cache = {};  ///< dtype of k and v, if it is another one
  std::int64_t batch = 2, heads = 4, kv_heads = 2, queries = 5, keys = 9, width = 16;
  bool causal = false;
  std::optional<std::int64_t> window_left = {}, window_right = {};
  double soft_cap = 0;
  std::optional<double> scale = {};
  MaskShape mask = MaskShape::none;
  bool slopes = false, slopes_by_batch = false, sinks = false;
  Lengths query_lengths = Lengths::all, key_lengths = Lengths::all;
  DType ids = DType::u32;
  /// Rows of a page; 0: k and v are no pages. A page less would not hold all keys.
  std::int64_t page_rows = 0;
  Kind memory = Kind::contiguous;  ///< how q, k and v are in memory
  bool rows_first = false;         ///< their and the result's layout: [batch, rows, heads, width]
  /// Fills masked keys, their values, queries past the end of a sequence and unused pages with NaN, or places pages
  /// outside of the cache. Otherwise they are numbers like the others.
  bool hides_nan = true;

  DType key_dtype() const { return cache.value_or(dtype); }
  /// The dtype of the mask, and what elements of q may be rounded to.
  DType mask_dtype() const { return key_dtype() == DType::f8e4m3 ? dtype : key_dtype(); }
  std::string to_string() const;  ///< also seeds the draws
};

/// Calls attention into the middle of larger storages and compares y and the log-sum-exp with the reference's.
void check_attention(const AttentionCase& given);

/// The case's operands, row-major as the reference takes them, for tests that change them.
reference::Attention draw_attention(const AttentionCase& given);
/// What probabilities may be rounded to: f32, or 16 bits.
reference::Real probability_unit(DType dtype);

}  // namespace kernelgen::conformance
