#include "kernelgen/ops/matmul.hpp"

#include "common/format.hpp"

#include "device/device_state.hpp"
#include "kernelgen/ops/reduce.hpp"
#include "ops/iteration.hpp"
#include "ops/launch.hpp"
#include "ops/matmul_choice.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/product_shapes.hpp"
#include "ops/traits.hpp"

namespace kernelgen {
namespace {

constexpr std::string_view name = "matmul";

/// b has one column.
void launch_vector(const Operation& operation, const Device& device, const MatrixProduct& product,
                   const kg::Strided<2>& batch, const Stream& stream) {
  const std::uint32_t kernel =
      operation.kernel({&product.dtype, 1}, operation.form(product.is_mixed ? "mixed_vector" : "vector"));
  const Arguments arguments = Arguments()
                                  .add(product.a.data)
                                  .add(product.b.data)
                                  .add(product.y)
                                  .add(product.a.rows)
                                  .add(product.terms)
                                  .add(product.a.row_stride)
                                  .add(product.a.term_stride)
                                  .add(product.b.term_stride)
                                  .add(batch);
  launch(device, kernel, matvec_grid(problem_of(product, batch.elements), traits_of(device)), arguments,
         stream);
}

void launch_tiles(const Operation& operation, const Device& device, const MatrixProduct& product,
                  const kg::Strided<2>& batch, const Stream& stream) {
  const std::uint32_t kernel = operation.kernel({&product.dtype, 1}, operation.form("tiled"));
  const Arguments arguments = Arguments()
                                  .add(product.a.data)
                                  .add(product.b.data)
                                  .add(product.y)
                                  .add(product.a.rows)
                                  .add(product.b.rows)
                                  .add(product.terms)
                                  .add(product.a.row_stride)
                                  .add(product.a.term_stride)
                                  .add(product.b.term_stride)
                                  .add(product.b.row_stride)
                                  .add(batch);
  launch(device, kernel, matmul_grid(problem_of(product, batch.elements), traits_of(device)), arguments,
         stream);
}

/// Computes pieces of a batch with our kernels.
void multiply(const Operation& operation, const Device& device, MatrixProduct product, Iteration<2> batch,
              const Stream& stream) {
  const bool by_vector = put_vector_last(product, batch);
  batch.for_each_piece([&](const kg::Strided<2>& piece, const auto& offsets, std::int64_t first) {
    const MatrixProduct part = product.at(offsets[0], offsets[1], first * product.slice_elements());
    (by_vector ? launch_vector : launch_tiles)(operation, device, part, piece, stream);
  });
}

/// Calls f(a_offset, b_offset, slice) for the first slice of each contiguous group along the batch's
/// innermost dim.
template <class F>
void for_each_span(const Iteration<2>& batch, int dim, std::int64_t a, std::int64_t b, std::int64_t& slice,
                   const F& f) {
  if (dim == 0) {
    f(a, b, slice);
    slice += batch.extent[0];
    return;
  }
  for (std::int64_t i = 0; i < batch.extent[dim]; ++i)
    for_each_span(batch, dim - 1, a + i * batch.stride[0][dim], b + i * batch.stride[1][dim], slice, f);
}

/// Groups that the library rejects go to launch_ours(product, batch).
template <class Launch>
void multiply_by(const MatrixLibrary& library, MatrixProduct product, const Iteration<2>& batch, void* queue,
                 const Launch& launch_ours) {
  Iteration<2> run = batch;
  run.rank = 1;
  product.slices = batch.extent[0];
  product.a.slice_stride = batch.stride[0][0];
  product.b.slice_stride = batch.stride[1][0];
  std::int64_t slice = 0;
  for_each_span(batch, batch.rank - 1, 0, 0, slice,
                [&](std::int64_t a_offset, std::int64_t b_offset, std::int64_t first) {
                  const MatrixProduct part = product.at(a_offset, b_offset, first * product.slice_elements());
                  if (!library.multiply(part, queue)) launch_ours(part, run);
                });
}

/// The layout of `parts` ranges of x's terms, which are in dim `dim`: an outermost dim, before the batch's.
Tensor in_parts(const Tensor& x, const Shape& batch, std::int64_t parts, std::size_t dim) {
  Shape all = batch;
  const std::size_t rank = x.shape().size();
  all.push_back(x.shape()[rank - 2]);
  all.push_back(x.shape()[rank - 1]);
  const Layout whole = x.layout().broadcast_to(all);
  const std::size_t terms = all.size() - (rank - dim);
  const std::int64_t each = whole.shape[terms] / parts;
  Layout split = whole.narrow(static_cast<std::int64_t>(terms), 0, each).unsqueeze(0);
  split.shape[0] = parts;
  split.strides[0] = each * whole.strides[terms];
  return x.with_layout(split);
}

/// Multiplies ranges of terms side by side and adds their products, in f32 for 16-bit results.
void multiply_in_parts(const Tensor& a, const Tensor& b, const Shape& batch, std::int64_t parts,
                       const Tensor& out, const Stream& stream) {
  constexpr std::int64_t dims[] = {0};
  Shape shape{parts};
  for (const std::int64_t extent : out.shape()) shape.push_back(extent);
  const bool is_narrow = is_16bit(out.dtype());
  const Tensor products = Tensor::empty(out.device(), shape, is_narrow ? DType::f32 : out.dtype(), stream);
  matmul(in_parts(a, batch, parts, a.shape().size() - 1), in_parts(b, batch, parts, b.shape().size() - 2),
         {.stream = stream, .out = &products});
  if (is_narrow)
    to_dtype(sum(products, dims, false, {.stream = stream}), out.dtype(), {.stream = stream, .out = &out});
  else
    sum(products, dims, false, {.stream = stream, .out = &out});
}

/// Whether a, which is f32, has a row for each matrix of b, or a few: the vector kernel rounds them itself.
bool are_mixed_vectors(const Tensor& a, const Tensor& b) {
  constexpr std::int64_t most_uses = 8;  // of a matrix, which each row reads anew
  const std::int64_t terms = a.shape().back(), columns = b.shape().back();
  return a.shape()[a.shape().size() - 2] == 1 && terms > 0 &&
         a.elements() / terms <= most_uses * (b.elements() / terms / columns);
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b, const CallOptions& options) {
  const Tensor* const inputs[] = {&a, &b};
  check_inputs(name, inputs);
  const Shape &left = a.shape(), &right = b.shape();
  const ProductShapes shapes(name, "a", left, "b", right);
  const bool is_mixed = a.dtype() == DType::f32 && is_16bit(b.dtype());
  if (a.dtype() != b.dtype() && !is_mixed)
    invalid(formatted("{}: a is {}, b is {}; they must have one dtype, or be f32 and f16 or bf16", name,
                      name_of(a.dtype()), name_of(b.dtype())));
  const std::size_t a_rank = left.size(), b_rank = right.size();
  const Shape& batch_shape = shapes.batch;
  const Device& device = a.device();
  const bool is_wide =
      is_mixed || (is_16bit(a.dtype()) && options.out != nullptr && options.out->dtype() == DType::f32);
  const Operation operation = Operation::builtin(device, is_wide ? Builtin::matmul_wide : Builtin::matmul);
  const DType dtype = b.dtype(), result = is_wide ? DType::f32 : dtype;
  operation.kernel({&dtype, 1}, operation.form("tiled"));  // throws on other dtypes before the output is
                                                           // allocated
  const Tensor out = output(name, device, shapes.result, result, options, inputs);
  if (out.elements() == 0) return out;
  if (is_mixed && !are_mixed_vectors(a, b))
    return matmul(to_dtype(a, dtype, {.stream = options.stream}), b, {.stream = options.stream, .out = &out});
  if (is_mixed) {
    const MatrixProduct product{dtype,
                                result,
                                side_of(b, b_rank - 1, b_rank - 2),
                                side_of(a, a_rank - 2, a_rank - 1),
                                left[a_rank - 1],
                                static_cast<std::byte*>(out.data()),
                                1,
                                true};
    const Layout matrices = batch_layout(b.layout(), batch_shape),
                 vectors = batch_layout(a.layout(), batch_shape);
    multiply(operation, device, product, {batch_shape, {&matrices, &vectors}}, options.stream);
    return out;
  }

  MatrixProduct product{dtype,
                        result,
                        side_of(a, a_rank - 2, a_rank - 1),
                        side_of(b, b_rank - 1, b_rank - 2),
                        left[a_rank - 1],
                        static_cast<std::byte*>(out.data())};
  if (product.terms == 0) {
    const_set(out, 0, options.stream);
    return out;
  }
  if (product.terms == 1 && !is_wide) return mul(a, b, {.stream = options.stream, .out = &out});
  Tensor a_fitting = a, b_fitting = b;  // in a layout a library takes, if that justifies a copy
  if (is_worth_a_copy(device, product, product.a)) {
    a_fitting = make_contiguous(a, options.stream);
    product.a = side_of(a_fitting, a_rank - 2, a_rank - 1);
  }
  if (is_worth_a_copy(device, product, product.b)) {
    b_fitting = make_contiguous(b, options.stream);
    product.b = side_of(b_fitting, b_rank - 1, b_rank - 2);
  }
  const Layout a_batch = batch_layout(a_fitting.layout(), batch_shape),
               b_batch = batch_layout(b_fitting.layout(), batch_shape);
  Iteration<2> batch(batch_shape, {&a_batch, &b_batch});
  merge_slices<2>(product, batch, {});
  const auto launch_ours = [&](const MatrixProduct& part, const Iteration<2>& slices) {
    multiply(operation, device, part, slices, options.stream);
  };
  const MatrixLibrary* const library = library_for(device, product, batch);
  const std::int64_t parts = parts_of(device, product, batch.elements(), out.shape().size(), library);
  if (parts > 1)
    multiply_in_parts(a_fitting, b_fitting, batch_shape, parts, out, options.stream);
  else if (library != nullptr)
    multiply_by(*library, product, batch, state_of(device).queue(options.stream), launch_ours);
  else
    launch_ours(product, batch);
  return out;
}

}  // namespace kernelgen
