#include "ops/expert_product.hpp"

#include "device/device_state.hpp"
#include "kernelgen/ops/elementwise.hpp"
#include "kernelgen/ops/quantized.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/traits.hpp"
#include "plan/expert_matmul.hpp"
#include "plan/expert_plan.hpp"

namespace kernelgen {
namespace {

Tensor converted(const Tensor& x, DType dtype, const Stream& stream) {
  return x.dtype() == dtype ? x : to_dtype(x, dtype, {.stream = stream});
}

struct ExpertProduct {
  const Tensor& x;        ///< [tokens, k or 1, n]
  const Tensor& weights;  ///< terms are contiguous
  const IndexOperation& operation;
  const Tensor& ids;
  const Tensor& y;  ///< f32
  const Stream& stream;

  const Device& device() const { return y.device(); }
  std::int64_t columns() const { return ids.elements(); }
  std::int64_t experts() const { return weights.shape()[0]; }
  std::int64_t rows() const { return weights.shape()[1]; }
  std::int64_t terms() const { return weights.shape()[2]; }

  void launch_form(std::string_view form, const Arguments& arguments, const LaunchShape& shape) const {
    const Operation products = Operation::builtin(device(), Builtin::expert_matmul);
    const DType type = weights.dtype();
    launch(device(), products.kernel({&type, 1}, products.form(form)), shape, arguments, stream);
  }

  IndexFaults::Call index_call() const {
    DeviceState& state = state_of(device());
    return {state.index_faults(), *state.fault_queue(stream)};
  }

  void run_by_vector(const ExpertPlan& plan) const {
    const Tensor x_rows = make_contiguous(converted(x, DType::f32, stream), stream);
    const IndexFaults::Call call = index_call();
    const Arguments arguments = Arguments()
                                    .add(weights.data())
                                    .add(x_rows.data())
                                    .add(y.data())
                                    .add(rows())
                                    .add(terms())
                                    .add(weights.layout().strides[1])
                                    .add(weights.layout().strides[0])
                                    .add(columns())
                                    .add(columns() / (x.shape()[0] * x.shape()[1]))
                                    .add(ids.data())
                                    .add(static_cast<std::uint32_t>(ids.dtype()))
                                    .add(experts())
                                    .add(call.record())
                                    .add(call.number(0))
                                    .add(&operation);
    launch_form("vector", arguments, plan.shape);
  }

  /// Ends its IndexFaults::Call on return: get_rows and set_rows, launched next, open calls of their own.
  Tensor grouped(std::int64_t tiles) const {
    const IndexFaults::Call call = index_call();
    return group_columns({ids, experts(), 0, call, operation}, tiles, kg::expert_tile_columns, true, y,
                         stream);
  }

  /// Columns are copied in the order of their experts, and results back.
  void run_tiles(const ExpertPlan& plan) const {
    constexpr std::int64_t width = kg::expert_tile_columns;
    const Tensor words = grouped(plan.tiles);
    const Tensor order = make_contiguous(words.narrow(1, words.shape()[1] - width, width), stream);
    const Shape each{ids.shape()[0], ids.shape()[1], terms()};
    const Tensor rounded = make_contiguous(converted(x, weights.dtype(), stream).broadcast_to(each), stream)
                               .reshape({columns(), terms()});
    const Tensor ordered = get_rows(rounded, order, weights.dtype(), {.stream = stream});
    const Tensor products = Tensor::empty(device(), {plan.tiles * width, rows()}, DType::f32, stream);
    const Arguments arguments = Arguments()
                                    .add(weights.data())
                                    .add(ordered.data())
                                    .add(products.data())
                                    .add(rows())
                                    .add(terms())
                                    .add(weights.layout().strides[1])
                                    .add(weights.layout().strides[0])
                                    .add(words.data())
                                    .add(plan.tiles);
    launch_form("tiles", arguments, plan.shape);
    set_rows(y.reshape({columns(), rows()}), order.reshape({plan.tiles * width}), products, stream);
  }
};

}  // namespace

void multiply_by_experts(const IndexOperation& operation, const Tensor& x, const Tensor& weights,
                         const Tensor& ids, const Tensor& y, const Stream& stream) {
  const Tensor in_rows = weights.layout().strides[2] == 1 || weights.shape()[2] == 1
                             ? weights
                             : make_contiguous(weights, stream);
  const Tensor wide = y.dtype() == DType::f32 ? y : Tensor::empty(y.device(), y.shape(), DType::f32, stream);
  const ExpertProduct product{x, in_rows, operation, ids, wide, stream};
  const ExpertPlan plan =
      plan_expert_product({product.rows(), product.terms(), product.columns(), product.experts(),
                           static_cast<unsigned>(size_of(weights.dtype()))},
                          traits_of(y.device()));
  plan.is_by_vector ? product.run_by_vector(plan) : product.run_tiles(plan);
  if (y.dtype() != DType::f32) to_dtype(wide, y.dtype(), {.stream = stream, .out = &y});
}

}  // namespace kernelgen
