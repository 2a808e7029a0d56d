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

  /// The sum of each part; for columns, of all parts before it: [outer, inner, parts].
  Tensor sums_of_parts() const {
    const auto& [outer, n, inner, element_bytes] = problem;
    const std::int64_t lists = outer * inner, bytes = kg::scan_bytes(element_bytes);
    const Tensor sums = Tensor::empty(out.device(), {lists * plan.parts * bytes}, DType::u8, stream);
    const auto count = static_cast<std::uint32_t>(plan.parts);
    const ScanPartialsPlan partials = plan_scan_partials(problem, plan, traits_of(out.device()));
    Arguments arguments;
    arguments.add(x.data()).add(sums.data()).add(outer);
    if (problem.are_rows()) {
      arguments.add(n).add(plan.part).add(count).add(partials.group);
      launch("row_partials", partials.shape, arguments);
      return sums;
    }
    kg::Strided<1> lines{};
    lines.rank = 1;
    lines.elements = static_cast<unsigned>(plan.part);
    lines.dim[0] = divisor(lines.elements);
    lines.stride[0][0] = inner;
    arguments.add(inner).add(n).add(plan.part).add(count).add(lines).add(partials.group);
    launch("column_partials", partials.shape, arguments);
    launch("scan_partials", partials.prefix_shape,
           Arguments().add(sums.data()).add(lists).add(count).add(partials.prefix_group));
    return sums;
  }

  void run() const {
    Tensor sums;
    if (plan.parts > 1) sums = sums_of_parts();
    const bool are_rows = problem.are_rows();
    Arguments arguments;
    arguments.add(x.data()).add(out.data()).add(sums ? sums.data() : nullptr).add(problem.outer);
    if (!are_rows) arguments.add(problem.inner);
    arguments.add(problem.n).add(plan.part).add(static_cast<std::uint32_t>(plan.parts));
    if (are_rows) arguments.add(plan.group);
    launch(are_rows ? "rows" : "columns", plan.shape, arguments);
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
