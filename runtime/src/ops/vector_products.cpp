#include "kernelgen/vector_products.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "common/format.hpp"

#include "kernelgen/ops/elementwise.hpp"
#include "kernelgen/ops/elementwise_functions.hpp"
#include "kernelgen/ops/matmul.hpp"
#include "kernelgen/quantized_columns.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/quantized_product.hpp"
#include "ops/traits.hpp"
#include "plan/gate_type.hpp"
#include "plan/matmul_plan.hpp"

namespace kernelgen {
namespace {

constexpr bool is_numbered(Gate gate, kg::GateType as) {
  return static_cast<unsigned>(gate) == static_cast<unsigned>(as);
}
static_assert(is_numbered(Gate::silu, kg::GateType::silu) && is_numbered(Gate::gelu, kg::GateType::gelu) &&
              is_numbered(Gate::gelu_erf, kg::GateType::gelu_erf) &&
              is_numbered(Gate::gelu_quick, kg::GateType::gelu_quick) &&
              is_numbered(Gate::relu, kg::GateType::relu));

void check_vector(std::string_view name, const Tensor& x) {
  if (x.dtype() != DType::f32 || x.shape().size() != 1)
    invalid(
        formatted("{}: x is {} {}; it has to be f32 [n]", name, name_of(x.dtype()), x.shape().to_string()));
}

void check_weights(std::string_view name, const Tensor& x, const Tensor& weights, const Tensor& first) {
  const DType dtype = weights.dtype();
  if ((dtype != DType::f16 && dtype != DType::bf16 && !is_quantized(dtype)) || dtype != first.dtype())
    invalid(formatted("{}: weights are {} and {}; they have to be f16, or bf16, or of one quantized dtype",
                      name, name_of(first.dtype()), name_of(dtype)));
  if (weights.shape().size() != 2 || weights.shape()[1] != x.shape()[0])
    invalid(formatted("{}: weights are {}, x {}; they have to be [rows, n] and [n]", name,
                      weights.shape().to_string(), x.shape().to_string()));
}

/// Whether rows consist of aligned packs.
bool is_of_packs(const Tensor& x, std::int64_t row_stride) {
  const std::int64_t stride = row_stride * static_cast<std::int64_t>(size_of(x.dtype()));
  return x.layout().strides.back() == 1 && stride % pack_bytes == 0 && is_aligned(x.data());
}

struct Products {
  const Tensor& x;
  std::span<const VectorProduct> all;
  kg::GateType gate;
  const Stream& stream;

  /// Whether one launch computes them.
  bool are_together() const {
    if (x.elements() == 0) return false;
    if (is_quantized(all[0].weights.dtype()))
      return x.elements() <= kg::quantized_shared_terms &&
             std::ranges::all_of(
                 all, [](const VectorProduct& each) { return each.weights.layout().is_contiguous(); });
    return is_of_packs(x, 0) && std::ranges::all_of(all, [](const VectorProduct& each) {
             return is_of_packs(each.weights, each.weights.layout().strides[0]);
           });
  }

  void launch_all() const {
    if (std::ranges::all_of(all, [](const VectorProduct& each) { return each.weights.shape()[0] == 0; }))
      return;
    is_quantized(all[0].weights.dtype()) ? launch_blocks() : launch_packs();
  }

 private:
  void launch_blocks() const {
    const ActivationRows column(x, stream);
    std::vector<BlockRows> weights;
    for (const VectorProduct& each : all) weights.emplace_back(each.weights, stream);
    std::vector<QuantizedFactor> others;
    for (std::size_t i = 1; i < all.size(); ++i) others.push_back({weights[i], all[i].out});
    QuantizedProduct{weights[0], weights[0].rows, column,  all[0].out, 1,   1,
                     nullptr,    stream,          nullptr, others,     gate}
        .run();
  }

  void launch_packs() const {
    const Device& device = x.device();
    const DType dtype = all[0].weights.dtype();
    const Operation operation = Operation::builtin(device, Builtin::vector_products);
    Arguments arguments;
    std::int64_t rows = 0;
    for (std::size_t i = 0; i < most_vector_products; ++i) {
      const bool is_there = i < all.size();
      const Tensor& weights = all[is_there ? i : 0].weights;
      arguments.add(weights.data())
          .add(weights.layout().strides[0])
          .add(is_there ? weights.shape()[0] : std::int64_t{0})
          .add(all[is_there ? i : 0].out.data());
      if (is_there) rows += weights.shape()[0];
    }
    arguments.add(x.data()).add(x.elements()).add(gate);
    launch(device, operation.kernel({&dtype, 1}, operation.form("rows")),
           vector_products_grid(rows, x.elements(), static_cast<unsigned>(size_of(dtype)), traits_of(device)),
           arguments, stream);
  }
};

/// x Wᵀ by a launch.
Tensor product(QuantizedColumns& columns, const Tensor& weights, const CallOptions& options) {
  if (is_quantized(weights.dtype())) return quantized_matmul(columns, weights, options);
  const Tensor& x = columns.x;
  const std::int64_t rows = weights.shape()[0];
  const Tensor out = options.out ? options.out->reshape({1, rows})
                                 : Tensor::empty(x.device(), {1, rows}, DType::f32, options.stream);
  return matmul(x.reshape({1, x.elements()}), weights.transpose(0, 1),
                {.stream = options.stream, .out = &out})
      .reshape({rows});
}

Tensor gated(Gate gate, const Tensor& a, const Tensor& b, const CallOptions& options) {
  switch (gate) {
    case Gate::silu:
      return silu_mul(a, b, options);
    case Gate::gelu:
      return gelu_mul(a, b, options);
    case Gate::gelu_erf:
      return gelu_erf_mul(a, b, options);
    case Gate::gelu_quick:
      return gelu_quick_mul(a, b, options);
    default:
      return relu_mul(a, b, options);
  }
}

}  // namespace

void multiply_vector(const Tensor& x, std::span<const VectorProduct> products, const Stream& stream) {
  constexpr std::string_view name = "multiply_vector";
  if (products.empty() || products.size() > most_vector_products)
    invalid(formatted("{}: {} products; it computes 1 to {}", name, products.size(), most_vector_products));
  std::vector<const Tensor*> read{&x}, written;
  for (const VectorProduct& each : products) {
    read.push_back(&each.weights);
    written.push_back(&each.out);
  }
  std::vector<const Tensor*> all = read;
  all.insert(all.end(), written.begin(), written.end());
  check_tensors(name, all);
  check_stream(x.device(), stream);
  check_vector(name, x);
  for (std::size_t i = 0; i < products.size(); ++i) {
    const Tensor& weights = products[i].weights;
    check_weights(name, x, weights, products[0].weights);
    check_out(name, products[i].out, {weights.shape()[0]}, DType::f32, std::span(all).first(read.size() + i),
              InPlace::refused);
  }
  const Products together{x, products, kg::GateType::none, stream};
  if (together.are_together()) {
    use_operands(stream, read, written);
    return together.launch_all();
  }
  QuantizedColumns columns{x};
  for (const VectorProduct& each : products)
    product(columns, each.weights, {.stream = stream, .out = &each.out});
}

Tensor multiply_gated(const Tensor& x, const Tensor& gates, const Tensor& weights, Gate gate,
                      const CallOptions& options) {
  constexpr std::string_view name = "multiply_gated";
  const std::array<const Tensor*, 3> inputs{&x, &gates, &weights};
  check_tensors(name, inputs);
  check_vector(name, x);
  check_weights(name, x, gates, gates);
  check_weights(name, x, weights, gates);
  if (!(gates.shape() == weights.shape()))
    invalid(formatted("{}: gates are {}, weights {}; they must have one shape", name,
                      gates.shape().to_string(), weights.shape().to_string()));
  const Tensor out = output(name, x.device(), {weights.shape()[0]}, DType::f32, options, inputs);
  const VectorProduct products[] = {{gates, out}, {weights, out}};
  const Products together{x, products, static_cast<kg::GateType>(gate), options.stream};
  if (together.are_together()) {
    together.launch_all();
    return out;
  }
  const CallOptions apart{.stream = options.stream};
  QuantizedColumns columns{x};
  return gated(gate, product(columns, gates, apart), product(columns, weights, apart),
               {.stream = options.stream, .out = &out});
}

}  // namespace kernelgen
