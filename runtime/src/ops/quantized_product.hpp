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
  std::int64_t rows, n;     ///< number of rows, and elements of a row
  std::int64_t row_stride;  ///< in elements
};

/// Another matrix of a product's launch, and its results.
struct QuantizedFactor {
  const BlockRows& weights;
  const Tensor& y;
};

/// y[v] = W · x[v / results_per_column] for each v < columns. y is [columns, rows], contiguous, with x's dtype. W is the
/// only matrix or, with `choice`, that of result v's expert.
struct QuantizedProduct {
  const BlockRows& weights;
  std::int64_t rows;  ///< of one matrix W
  const ActivationRows& x;
  const Tensor& y;
  std::int64_t columns;
  /// Consecutive results that read the same row of x: a token's experts, or 1.
  std::int64_t results_per_column;
  const ExpertChoice* choice;
  const Stream& stream;
  /// x quantized to bytes (plan/quantized.hpp); if empty, computed and stored when a form needs it.
  Tensor* bytes;
  /// More matrices that are multiplied by the same column, in W's format and with its row_bytes. Only for one column of up to
  /// kg::quantized_shared_terms. With a gate there is one: y is the gate's function of W's product and of this one's, whose own y
  /// is not written.
  std::span<const QuantizedFactor> others = {};
  kg::GateType gate = kg::GateType::none;

  /// Launches what plan_quantized_product() chooses.
  void run() const;

 private:
  void run_by_vector(const QuantizedPlan& plan) const;
  void multiply_quantized(const QuantizedPlan& plan, std::string_view form, const Tensor& products) const;
  void run_tiles(const QuantizedPlan& plan) const;
  void run_dense() const;
  void run_dense_on_cpu() const;
  Tensor split_columns() const;
  void add_partial_products(const Tensor& products, std::uint32_t parts) const;
  std::uint32_t kernel(std::string_view form) const;
  Tensor workspace(std::int64_t bytes) const;
  const Tensor& quantized_columns() const;
  const Device& device() const { return y.device(); }
};

}  // namespace kernelgen
