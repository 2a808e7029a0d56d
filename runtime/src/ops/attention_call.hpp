#pragma once
#include "kernelgen/tensor.hpp"
#include "ops/arguments.hpp"
#include "plan/attention.hpp"

namespace kernelgen {

struct IndexOperation;

/// Operands of attention in the form its kernels take. q has at least one element.
struct AttentionCall {
  Tensor q, k, v, y;
  Tensor log_sums, mask, alibi_slopes, sinks, query_lengths, key_lengths,
      block_table;           ///< null if absent
  kg::AttentionShape shape;  ///< all fields except q to y, and splits
  const Stream& stream;

  /// Enqueues the call on the stream.
  void run();

 private:
  Arguments arguments(const Tensor& partials, void* fault, std::uint64_t number,
                      const IndexOperation* operation) const;
  bool is_worth_a_copy() const;
  /// Copies operands whose layout matrix instructions cannot read.
  void run_in_packs();
  void combine(const Tensor& partials) const;
};

}  // namespace kernelgen
