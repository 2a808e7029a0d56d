#pragma once
#include "kernelgen/tensor.hpp"
#include "ops/arguments.hpp"
#include "plan/attention.hpp"

namespace kernelgen {

struct IndexOperation;

/// Operands of attention in the form its kernels take. q has at least one element.
struct AttentionCall {
  Tensor q, k, v, y;  ///< q and y of one dtype, which may be f32 with 16-bit keys
  Tensor log_sum_exp, mask, alibi_slopes, sinks, query_lengths, key_lengths,
      block_table;           ///< null if absent
  kg::AttentionShape shape;  ///< run() sets q to y, splits and f32_rows, the caller all other fields
  const Stream& stream;

  /// Enqueues the call on the stream.
  void run();

 private:
  /// The kernels' type T: that of 16-bit keys, else q's.
  DType element() const;
  /// `fault`, `number` and `operation` say where and how invalid lengths and pages are reported (IndexFaults); null and 0 if the
  /// call has none that could be.
  Arguments arguments(const Tensor& partials, void* fault, std::uint64_t number,
                      const IndexOperation* operation) const;
  /// Whether run_in_packs() pays off.
  bool is_worth_a_copy() const;
  /// Runs with copies of the operands whose rows are not whole, aligned accesses of 16 bytes, which mma kernels need.
  void run_in_packs();
  /// Runs with q and y in the keys' dtype, for kernels that take no f32 rows.
  void run_rounded();
  void combine(const Tensor& partials) const;
};

}  // namespace kernelgen
