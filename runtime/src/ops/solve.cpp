#include "kernelgen/ops/solve.hpp"

#include "common/format.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/traits.hpp"
#include "plan/solve_plan.hpp"
#include "plan/solve_triangular.hpp"

namespace kernelgen {
namespace {

constexpr std::string_view name = "solve_triangular";

void check_shapes(const Tensor& a, const Tensor& b) {
  const Shape &of_a = a.shape(), &of_b = b.shape();
  const std::size_t rank = of_a.size();
  bool fits = rank >= 2 && rank == of_b.size() && of_a[rank - 1] == of_a[rank - 2];
  for (std::size_t d = 0; fits && d + 1 < rank; ++d) fits = of_a[d] == of_b[d];
  if (a.dtype() != DType::f32 || b.dtype() != DType::f32 || !fits)
    invalid(formatted("{}: a is {} {}, b {} {}; they have to be f32 [batch…, n, n] and f32 [batch…, n, m]",
                      name, name_of(a.dtype()), of_a.to_string(), name_of(b.dtype()), of_b.to_string()));
}

/// a, or a copy of which neither matrices nor their rows and columns have gaps.
Tensor in_matrices(const Tensor& a, const Stream& stream) {
  const std::size_t rank = a.shape().size();
  return a.transpose(rank - 2, rank - 1).layout().is_contiguous() ? a : make_contiguous(a, stream);
}

}  // namespace

Tensor solve_triangular(const Tensor& a, const Tensor& b, bool upper, bool unit_diagonal,
                        const CallOptions& options) {
  const Tensor* const inputs[] = {&b, &a};
  check_inputs(name, inputs);
  check_shapes(a, b);
  const Device& device = a.device();
  const Operation operation = Operation::builtin(device, Builtin::solve_triangular);
  constexpr DType type = DType::f32;
  const std::uint32_t kernel = operation.kernel({&type, 1}, operation.form("strips"));
  if (options.out != nullptr && *options.out) check_apart(name, "out", *options.out, {inputs + 1, 1});
  const Tensor out = output(name, device, b.shape(), type, options, {inputs, 1}, InPlace::allowed);
  use_operands(options.stream, {inputs + 1, 1}, {});
  if (out.elements() == 0) return out;

  const Tensor matrices = in_matrices(a, options.stream), right = make_contiguous(b, options.stream);
  const std::size_t rank = a.shape().size();
  const std::int64_t n = b.shape()[rank - 2], columns = b.shape()[rank - 1],
                     count = out.elements() / (n * columns);
  const Dims& strides = matrices.layout().strides;
  // From its last element on, an upper triangular matrix is lower.
  const std::int64_t direction = upper ? -1 : 1, first_of_a = upper ? n * n - 1 : 0,
                     first_of_b = upper ? (n - 1) * columns : 0;
  const Arguments arguments = Arguments()
                                  .add(element_address(matrices, first_of_a))
                                  .add(element_address(right, first_of_b))
                                  .add(element_address(out, first_of_b))
                                  .add(count)
                                  .add(n)
                                  .add(columns)
                                  .add(direction * strides[rank - 2])
                                  .add(direction * strides[rank - 1])
                                  .add(direction * columns)
                                  .add(std::uint32_t{unit_diagonal});
  launch(device, kernel, solve_triangular_grid(count, n, columns, traits_of(device)), arguments,
         options.stream);
  return out;
}

}  // namespace kernelgen
