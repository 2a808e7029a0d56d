#include "plan/scan.hpp"

#include <algorithm>

#include "device/device_state.hpp"
#include "ops/grid.hpp"
#include "ops/iteration.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "plan/reduce.hpp"

namespace kernelgen {
namespace {

/// GPU blocks below which a second pass over parts of rows costs less than an underused device.
constexpr std::int64_t few_blocks = 256;
/// Blocks that saturate a large GPU, blocks it holds in flight, and minimum lines of columns per part.
constexpr std::int64_t busy_blocks = 2048, resident_blocks = 512, column_part = 64;
/// Iterations of a block along a row that take as long as another launch.
constexpr std::int64_t steps_of_launch = 4;
/// Threads below which a GPU is underused.
constexpr std::int64_t few_threads = 1 << 16;
/// The longest part 32-bit counts are certain to hold.
constexpr std::int64_t longest_part = std::int64_t{1} << 30;

/// Prefix sums of a non-empty contiguous tensor: `outer` lists of n lines with `inner` neighbouring elements.
struct Scan {
  const Tensor& x;
  const Tensor& out;
  const Stream& stream;
  std::int64_t outer, n, inner;
  std::int64_t part = 0, parts = 1;

  Scan(const Tensor& x, const Tensor& out, std::size_t dim, const Stream& stream)
      : x(x), out(out), stream(stream), outer(1), n(x.shape()[dim]), inner(1) {
    for (std::size_t d = 0; d < x.shape().size(); ++d) {
      if (d < dim) outer *= x.shape()[d];
      if (d > dim) inner *= x.shape()[d];
    }
  }

  const Device& device() const { return out.device(); }
  int threads() const { return state_of(device()).threads(); }
  bool on_cpu() const { return threads() > 0; }
  unsigned element_bytes() const { return static_cast<unsigned>(size_of(x.dtype())); }
  bool are_rows() const { return inner == 1; }

  /// Columns per task.
  std::int64_t columns_each() const {
    return on_cpu() ? std::int64_t{kg::cpu_scan_columns} : kg::scan_columns(element_bytes());
  }
  /// Threads per row: eight accesses each, so that most groups fit one wave, which needs no barrier; more if
  /// rows are few.
  std::uint32_t group() const {
    const std::int64_t accesses = quotient_up(n, std::int64_t{kg::scan_neighbours(element_bytes())});
    std::uint32_t group = power_of_two(accesses / 8, kg::block_threads);
    while (group < kg::block_threads && group < accesses && outer * group < few_threads) group *= 2;
    return group;
  }

  /// Elements of a row a GPU block takes per iteration.
  std::int64_t row_step() const {
    return std::int64_t{kg::block_threads} * kg::scan_neighbours(element_bytes());
  }

  /// Blocks if no list is split.
  std::int64_t whole_blocks() const {
    if (on_cpu()) return are_rows() ? outer : outer * quotient_up(inner, columns_each());
    return are_rows() ? quotient_up(outer, kg::block_threads / group())
                      : quotient_up(outer * quotient_up(inner, columns_each()), kg::block_threads);
  }

  void cut() {
    const std::int64_t blocks = whole_blocks();
    const std::int64_t few = on_cpu() ? threads() : few_blocks;
    // A part adds up the sums of all parts before it, so rows with many parts use longer ones.
    const std::int64_t busy =
        on_cpu()     ? threads() * 2
        : are_rows() ? std::clamp(n / (steps_of_launch * row_step()), resident_blocks, busy_blocks)
                     : busy_blocks;
    const std::int64_t grain = on_cpu()
                                   ? std::max<std::int64_t>(1, cpu_grain / std::min(inner, columns_each()))
                               : are_rows() ? row_step()
                                            : column_part;
    const bool is_short = !on_cpu() && are_rows() && n <= steps_of_launch * row_step();
    std::int64_t wanted = blocks < few && !is_short ? std::min(quotient_up(busy, blocks), n / grain) : 1;
    if (wanted > 1) wanted = std::max(wanted, quotient_up(n, longest_part));
    // Rounded to whole accesses, so that all parts of a row have the same alignment.
    part = wanted > 1 ? quotient_up(quotient_up(n, wanted), 64) * 64 : n;
    parts = quotient_up(n, part);
  }

  /// On a GPU, `threads` threads share a task.
  void launch(std::string_view form, std::int64_t tasks, std::uint32_t threads,
              const Arguments& arguments) const {
    const Operation operation = Operation::builtin(device(), Builtin::cumsum);
    const DType type = x.dtype();
    LaunchShape shape = group_grid(tasks, threads);
    if (on_cpu()) {
      shape = element_grid(state_of(device()), x.elements(), 1);
      shape.grid[0] = static_cast<std::uint32_t>(std::min<std::int64_t>(tasks, shape.grid[0]));
    }
    kernelgen::launch(device(), operation.kernel({&type, 1}, operation.form(form)), shape, arguments, stream);
  }

  /// Each part's sum; for columns, the sum of all parts before it: [outer][inner][parts].
  Tensor sums_of_parts() const {
    const std::int64_t lists = outer * inner, bytes = kg::scan_bytes(element_bytes());
    const Tensor sums = Tensor::empty(device(), {lists * parts * bytes}, DType::u8, stream);
    const auto count = static_cast<std::uint32_t>(parts);
    if (are_rows()) {
      launch("row_partials", outer * parts, kg::block_threads,
             Arguments()
                 .add(x.data())
                 .add(sums.data())
                 .add(outer)
                 .add(n)
                 .add(part)
                 .add(count)
                 .add(kg::block_threads));
      return sums;
    }
    const std::int64_t pack = kg::column_pack(element_bytes(), static_cast<unsigned>(bytes));
    const std::uint32_t across = power_of_two(quotient_up(inner, pack), 32);
    const std::int64_t tile = on_cpu() ? std::int64_t{kg::cpu_lanes} : across * pack;
    kg::Strided<1> lines{};
    lines.rank = 1;
    lines.elements = static_cast<unsigned>(part);
    lines.dim[0] = divisor(lines.elements);
    lines.stride[0][0] = inner;
    launch("column_partials", outer * parts * quotient_up(inner, tile), kg::block_threads,
           Arguments()
               .add(x.data())
               .add(sums.data())
               .add(outer)
               .add(inner)
               .add(n)
               .add(part)
               .add(count)
               .add(lines)
               .add(across));
    const std::uint32_t group = power_of_two(parts / 4, kg::block_threads);
    launch("scan_partials", lists, group, Arguments().add(sums.data()).add(lists).add(count).add(group));
    return sums;
  }

  void run() {
    cut();
    Tensor sums;
    if (parts > 1) sums = sums_of_parts();
    Arguments arguments;
    arguments.add(x.data()).add(out.data()).add(sums ? sums.data() : nullptr).add(outer);
    if (are_rows()) {
      const std::uint32_t group = parts > 1 ? kg::block_threads : this->group();
      arguments.add(n).add(part).add(static_cast<std::uint32_t>(parts)).add(group);
      launch("rows", outer * parts, group, arguments);
    } else {
      arguments.add(inner).add(n).add(part).add(static_cast<std::uint32_t>(parts));
      launch("columns", outer * parts * quotient_up(inner, columns_each()), 1, arguments);
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
  const bool is_plain = x.layout().is_contiguous();
  if (!is_plain) copy_into(out, x, options.stream);
  Scan(is_plain ? x : out, out, at, options.stream).run();
  return out;
}

}  // namespace kernelgen
