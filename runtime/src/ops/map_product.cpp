#include "ops/map_product.hpp"

#include <array>

#include "common/format.hpp"
#include "kernelgen/ops/matmul.hpp"
#include "ops/iteration.hpp"
#include "ops/launch.hpp"
#include "ops/matmul_choice.hpp"
#include "ops/operand.hpp"
#include "ops/product_shapes.hpp"
#include "ops/scalar_element.hpp"
#include "ops/traits.hpp"
#include "ops/type_binding.hpp"
#include "plan/grid.hpp"

namespace kernelgen {
namespace {

constexpr std::size_t most_others = KERNELGEN_MAX_INPUTS - 2;

/// A tensor that the epilogue reads, with the result's shape.
struct Other {
  Tensor tensor;
  std::int64_t row_stride, column_stride;
};

/// A call whose operands were checked.
struct ProductCall {
  const TypeBinding& binding;
  const Operation& operation;
  std::span<Other> others;
  std::span<const ScalarElement> scalars;
  const Tensor& out;
  const Stream& stream;

  /// M is at most the number of others.
  template <std::size_t M>
  void run(MatrixProduct product, const Tensor& a, const Tensor& b, const Shape& batch_shape) const {
    if constexpr (M < most_others)
      if (others.size() > M) return run<M + 1>(product, a, b, batch_shape);
    constexpr int N = static_cast<int>(M) + 2;
    std::array<Layout, N> layouts = {batch_layout(a.layout(), batch_shape),
                                     batch_layout(b.layout(), batch_shape)};
    for (std::size_t k = 0; k < M; ++k) layouts[k + 2] = batch_layout(others[k].tensor.layout(), batch_shape);
    std::array<const Layout*, N> pointers;
    for (std::size_t k = 0; k < layouts.size(); ++k) pointers[k] = &layouts[k];
    Iteration<N> batch(batch_shape, pointers);
    std::array<std::int64_t*, M> row_strides;
    for (std::size_t k = 0; k < M; ++k) row_strides[k] = &others[k].row_stride;
    merge_slices<N>(product, batch, row_strides);
    Iteration<2> pair({}, {&layouts[0], &layouts[1]});
    pair.rank = batch.rank;
    pair.extent = batch.extent;
    pair.stride = {batch.stride[0], batch.stride[1]};
    const Device& device = out.device();
    if (!is_worth_mapping_apart(device, product, pair, out.shape().size())) return launch_all(product, batch);
    const Tensor products = Tensor::empty(device, out.shape(), product.result, stream);
    matmul(a, b, {.stream = stream, .out = &products});
    map_all(product, batch, products);
  }

 private:
  template <int N>
  void launch_all(MatrixProduct product, Iteration<N> batch) const {
    const bool is_row = product.a.rows == 1 && product.b.rows != 1;
    const bool by_vector = put_vector_last(product, batch);
    if (is_row)
      for (Other& other : others) other.row_stride = other.column_stride;
    const std::uint32_t kernel = binding.kernel(operation.form(by_vector ? "vector" : "tiled"));
    const Device& device = out.device();
    batch.for_each_piece([&](const kg::Strided<N>& piece, const auto& offsets, std::int64_t first) {
      const MatrixProduct part = product.at(offsets[0], offsets[1], 0);
      Arguments arguments;
      arguments.add(part.a.data).add(part.b.data);
      add_tensors<N>(arguments, offsets, first * product.slice_elements());
      arguments.add(part.a.rows);
      if (!by_vector) arguments.add(part.b.rows);
      arguments.add(part.terms).add(part.a.row_stride).add(part.a.term_stride).add(part.b.term_stride);
      if (!by_vector) arguments.add(part.b.row_stride);
      arguments.add(piece);
      add_strides_and_scalars(arguments);
      const MatmulProblem problem = problem_of(part, piece.elements);
      const DeviceTraits traits = traits_of(device);
      launch(device, kernel, by_vector ? matvec_grid(problem, traits) : matmul_grid(problem, traits),
             arguments, stream);
    });
  }

  /// Maps products that are in memory.
  template <int N>
  void map_all(const MatrixProduct& product, const Iteration<N>& batch, const Tensor& products) const {
    const std::uint32_t kernel = binding.kernel(operation.form("mapped"));
    batch.for_each_piece([&](const kg::Strided<N>& piece, const auto& offsets, std::int64_t first) {
      Arguments arguments;
      arguments.add(element_address(products, first * product.slice_elements()));
      add_tensors<N>(arguments, offsets, first * product.slice_elements());
      arguments.add(product.a.rows).add(product.b.rows).add(piece);
      add_strides_and_scalars(arguments);
      launch(out.device(), kernel, block_grid(product.a.rows * piece.elements, traits_of(out.device())),
             arguments, stream);
    });
  }

  template <int N>
  void add_tensors(Arguments& arguments, const std::array<std::int64_t, N>& offsets,
                   std::int64_t result) const {
    for (int k = 2; k < N; ++k) arguments.add(element_address(others[k - 2].tensor, offsets[k]));
    arguments.add(element_address(out, result));
  }

  void add_strides_and_scalars(Arguments& arguments) const {
    for (const Other& other : others) arguments.add(other.row_stride).add(other.column_stride);
    for (const ScalarElement& scalar : scalars) scalar.add_to(arguments);
  }
};

/// An input with the shape of the result. Throws Error.
Tensor broadcast(const Operation& operation, std::size_t k, const Tensor& input, const Shape& shape) {
  if (!(broadcast_shapes(operation.name(), input.shape(), shape) == shape))
    invalid(formatted("{}: {} of shape {} cannot be broadcast to that of the product, {}", operation.name(),
                      operation.text(operation.operands()[k].name), input.shape().to_string(),
                      shape.to_string()));
  return input.broadcast_to(shape);
}

}  // namespace

Tensor map_product(const Operation& operation, Inputs inputs, std::span<const Scalar> scalars,
                   const CallOptions& options) {
  check_inputs(operation.name(), inputs);
  check_counts(operation, inputs, scalars);
  const auto operands = operation.operands();
  TypeBinding binding(operation);
  for (std::size_t k = 0; k < inputs.size(); ++k) binding.bind(operands[k], inputs[k]->dtype());
  const Tensor &a = *inputs[0], &b = *inputs[1];
  const ProductShapes shapes(operation.name(), operation.text(operands[0].name), a.shape(),
                             operation.text(operands[1].name), b.shape());
  std::array<Other, most_others> others;
  for (std::size_t k = 2; k < inputs.size(); ++k) {
    const Tensor other = broadcast(operation, k, *inputs[k], shapes.result);
    const Shape& strides = other.layout().strides;
    others[k - 2] = {other, strides[strides.size() - 2], strides.back()};
  }
  std::array<ScalarElement, KERNELGEN_MAX_SCALARS> elements;
  for (std::size_t i = 0; i < scalars.size(); ++i)
    elements[i] = {scalars[i], binding.type_of(operands[inputs.size() + 1 + i].type)};
  binding.kernel(operation.form("tiled"));  // throws on other dtypes before any allocation
  const DType type = binding.type_of(operands[inputs.size()].type);
  const Tensor out = output(operation.name(), a.device(), shapes.result, type, options, inputs);
  if (out.elements() == 0) return out;
  Tensor left = a, right = b;
  if (a.shape().back() == 0) {
    // The sum of no terms is that of one zero.
    const Tensor zero = Tensor::zeros(a.device(), {1}, a.dtype(), options.stream);
    const auto of_one_term = [&](Shape shape, std::size_t dim) {
      shape[dim] = 1;
      return zero.broadcast_to(shape);
    };
    left = of_one_term(a.shape(), a.shape().size() - 1);
    right = of_one_term(b.shape(), b.shape().size() - 2);
  }
  const std::size_t a_rank = left.shape().size(), b_rank = right.shape().size();
  const MatrixProduct product{left.dtype(),
                              is_16bit(left.dtype()) ? DType::f32 : left.dtype(),  // where it is in memory
                              side_of(left, a_rank - 2, a_rank - 1),
                              side_of(right, b_rank - 1, b_rank - 2),
                              left.shape().back(),
                              nullptr};
  ProductCall{binding,
              operation,
              std::span(others).first(inputs.size() - 2),
              std::span(elements).first(scalars.size()),
              out,
              options.stream}
      .run<0>(product, left, right, shapes.batch);
  return out;
}

}  // namespace kernelgen
