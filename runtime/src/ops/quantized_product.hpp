#pragma once
#include "ops/block_rows.hpp"
#include "ops/expert_choice.hpp"
#include "plan/gate_type.hpp"
#include "plan/quantized_plan.hpp"

/// Executes plan_quantized_product()'s plan: packs arguments and launches.
namespace kernelgen {

/// Rows of activations; each row is contiguous.
struct ActivationRows {
  ActivationRows(const Tensor& x, const Stream& stream);

  Tensor tensor;
  std::int64_t rows, n;
  std::int64_t row;  ///< elements between rows
};

/// Another matrix of a product's launch, and its results.
struct QuantizedFactor {
  const BlockRows& weights;
  const Tensor& y;
};

/// y[v] = W x[v / share] for `columns` results; y is contiguous with x's dtype. W is selected by `choice` if
/// given.
struct QuantizedProduct {
  const BlockRows& weights;
  std::int64_t rows;  ///< of one matrix
  const ActivationRows& x;
  const Tensor& y;
  std::int64_t columns, share;
  const ExpertChoice* choice;
  const Stream& stream;
  Tensor* bytes;  ///< x quantized to bytes (plan/quantized.hpp); if empty, computed when a form needs it
  /// Of one column of up to kg::quantized_shared_terms: more matrices of W's format and distance of rows. With a gate, y is its
  /// function of W's product, times that of the only other matrix, whose y is not written.
  std::span<const QuantizedFactor> others = {};
  kg::GateType gate = kg::GateType::none;

  /// Chooses the kernel by the number of columns.
  void run() const;

 private:
  void run_by_vector(const QuantizedPlan& plan) const;
  void multiply_quantized(const QuantizedPlan& plan, std::string_view form, const Tensor& products,
                          std::uint32_t parts) const;
  void run_tiles(const QuantizedPlan& plan) const;
  void run_dense() const;
  void run_dense_on_cpu() const;
  Tensor split_columns() const;
  void join_columns(const Tensor& products, std::uint32_t parts) const;
  std::uint32_t kernel(std::string_view form) const;
  Tensor workspace(std::int64_t bytes) const;
  const Tensor& quantized_columns() const;
  const Device& device() const { return y.device(); }
};

}  // namespace kernelgen
