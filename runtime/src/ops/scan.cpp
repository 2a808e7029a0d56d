#include "plan/scan.hpp"

#include "ops/iteration.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/traits.hpp"
#include "plan/scan_plan.hpp"

namespace kernelgen {
namespace {

/// Prefix sums of a non-empty contiguous tensor. `out` may be x.
struct Scan {
  const Tensor& x;
  const Tensor& out;
  const Stream& stream;
  ScanProblem problem;
  ScanPlan plan;

  Scan(const Tensor& x, const Tensor& out, std::size_t dim, const Stream& stream)
      : x(x),
        out(out),
        stream(stream),
        problem{1, x.shape()[dim], 1, static_cast<unsigned>(size_of(x.dtype()))} {
    for (std::size_t d = 0; d < x.shape().size(); ++d) {
      if (d < dim) problem.outer *= x.shape()[d];
      if (d > dim) problem.inner *= x.shape()[d];
    }
    plan = plan_scan(problem, traits_of(out.device()));
  }

  void launch(std::string_view form, const LaunchShape& shape, const Arguments& arguments) const {
    const Operation operation = Operation::builtin(out.device(), Builtin::cumsum);
    const DType type = x.dtype();
    kernelgen::launch(out.device(), operation.kernel({&type, 1}, operation.form(form)), shape, arguments,
                      stream);
  }

  unsigned sum_bytes() const { return kg::scan_bytes(problem.element_bytes); }

  /// The words of rows in several parts: see kg::ListSums.
  Tensor row_words() const {
    const auto each =
        static_cast<std::int64_t>(kg::scan_words(static_cast<unsigned>(plan.parts), sum_bytes()));
    return Tensor::zeros(out.device(), {1 + problem.outer * each}, DType::i64, stream);
  }

  /// For columns, the sum of all parts before each part: [outer, inner, parts].
  Tensor column_sums() const {
    const auto& [outer, n, inner, element_bytes] = problem;
    const std::int64_t lists = outer * inner;
    const Tensor sums = Tensor::empty(out.device(), {lists * plan.parts * sum_bytes()}, DType::u8, stream);
    const auto count = static_cast<std::uint32_t>(plan.parts);
    const ColumnPartialsPlan partials = plan_column_partials(problem, plan, traits_of(out.device()));
    kg::Strided<1> lines{};
    lines.rank = 1;
    lines.elements = static_cast<unsigned>(plan.part);
    lines.dim[0] = divisor(lines.elements);
    lines.stride[0][0] = inner;
    launch("column_partials", partials.shape,
           Arguments()
               .add(x.data())
               .add(sums.data())
               .add(outer)
               .add(inner)
               .add(n)
               .add(plan.part)
               .add(count)
               .add(lines)
               .add(partials.across));
    launch("scan_partials", partials.prefix_shape,
           Arguments().add(sums.data()).add(lists).add(count).add(partials.prefix_group));
    return sums;
  }

  void run() const {
    const auto parts = static_cast<std::uint32_t>(plan.parts);
    Arguments arguments;
    arguments.add(x.data()).add(out.data());
    if (!problem.are_rows()) {
      const Tensor sums = plan.parts > 1 ? column_sums() : Tensor();
      arguments.add(sums ? sums.data() : nullptr).add(problem.outer).add(problem.inner).add(problem.n);
      launch("columns", plan.shape, arguments.add(plan.part).add(parts));
    } else if (plan.parts > 1) {
      const Tensor words = row_words();
      arguments.add(words.data()).add(problem.outer).add(problem.n).add(plan.part).add(parts);
      launch("row_parts", plan.shape, arguments);
    } else {
      launch("rows", plan.shape, arguments.add(problem.outer).add(problem.n).add(plan.group));
    }
  }
};

}  // namespace

Tensor cumsum(const Tensor& x, std::int64_t dim, const CallOptions& options) {
  constexpr std::string_view name = "cumsum";
  const Tensor* const input = &x;
  check_inputs(name, {&input, 1});
  const std::size_t at = normalize_dim(name, dim, x.shape().size());
  const Tensor out = output(name, x.device(), x.shape(), x.dtype(), options, {&input, 1}, InPlace::allowed);
  if (x.elements() == 0) return out;
  if (x.shape()[at] == 1) {
    copy(x, {options.stream, &out});
    return out;
  }
  // Kernels take contiguous tensors: others are copied to the result and scanned in place.
  const bool is_contiguous = x.layout().is_contiguous();
  if (!is_contiguous) copy_into(out, x, options.stream);
  Scan(is_contiguous ? x : out, out, at, options.stream).run();
  return out;
}

}  // namespace kernelgen
