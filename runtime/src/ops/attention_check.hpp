#pragma once
#include "kernelgen/ops/attention.hpp"
#include "ops/output.hpp"
#include "plan/attention.hpp"

namespace kernelgen {

inline constexpr std::string_view attention_name = "attention";

/// q's dims and what follows from those of k; each fits a u32.
struct AttentionExtents {
  std::int64_t batch, heads, queries, width;
  std::int64_t kv_heads, keys;
  std::int64_t page_rows = 0, pages_each = 0, page_count = 0;  ///< 0 where k and v are no pages

  Shape logits() const { return {batch, heads, queries, keys}; }
};

/// Refuses what attention() does not take of devices, dtypes and shapes.
AttentionExtents check_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                 const AttentionOptions& options);

/// The numbers of a call: scale, cap and window; all else is 0. Refuses what attention() does not take.
kg::AttentionShape attention_numbers(const AttentionExtents& extents, const AttentionOptions& options);

/// options.out and options.log_sum_exp, checked, or new tensors.
Attended attention_results(const Tensor& q, const Tensor& k, const Tensor& v,
                           const AttentionOptions& options);

}  // namespace kernelgen
