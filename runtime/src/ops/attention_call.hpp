#pragma once
#include "kernelgen/tensor.hpp"
#include "ops/arguments.hpp"
#include "plan/attention.hpp"

namespace kernelgen {

struct IndexOperation;

/// Operands of attention as its kernels take them, with at least one element of q.
struct AttentionCall {
  Tensor q, k, v, y;
  Tensor log_sums, mask, slopes, sinks, query_lengths, key_lengths, pages;  ///< null where there are none
  kg::AttentionShape shape;                                                 ///< but for q to y, and splits
  const Stream& stream;

  /// Puts it into the stream.
  void run();

 private:
  Arguments arguments(const Tensor& partials, void* fault, std::uint64_t number,
                      const IndexOperation* operation) const;
  bool is_worth_a_copy() const;
  /// With copies of operands that matrix instructions cannot take as they lie.
  void run_in_packs();
  void combine(const Tensor& partials) const;
};

}  // namespace kernelgen
