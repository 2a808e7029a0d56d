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
  kg::AttentionShape shape;                                                 ///< but for its splits
  const Stream& stream;

  /// Puts it into the stream.
  void run();

 private:
  Arguments arguments(const Tensor& partials, void* fault, std::uint64_t number,
                      const IndexOperation* operation) const;
  void combine(const Tensor& partials) const;
};

}  // namespace kernelgen
