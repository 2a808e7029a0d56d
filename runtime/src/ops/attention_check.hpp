#pragma once
#include "kernelgen/ops/attention.hpp"
#include "ops/output.hpp"
#include "plan/attention.hpp"

namespace kernelgen {

inline constexpr std::string_view attention_name = "attention";

/// q's extents and those derived from k; each fits a u32.
struct AttentionExtents {
  std::int64_t batch, heads, queries, width;
  std::int64_t kv_heads, keys;
  std::int64_t page_rows = 0, pages_each = 0, page_count = 0;  ///< 0 if k and v are not paged

  Shape logits() const { return {batch, heads, queries, keys}; }
};

/// Checks devices, dtypes and shapes. Throws Error on those attention() does not support.
AttentionExtents check_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                 const AttentionOptions& options);

/// The numeric parameters of a call: scale, cap and window; all other fields are 0. Throws Error on values
/// attention() does not support.
kg::AttentionShape attention_numbers(const AttentionExtents& extents, const AttentionOptions& options);

/// options.out and options.log_sum_exp, checked, or new tensors.
AttentionResult attention_results(const Tensor& q, const Tensor& k, const Tensor& v,
                                  const AttentionOptions& options);

}  // namespace kernelgen
