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

/// GPU blocks below which a pass more, over parts of lists, costs less than a device that has little to do.
constexpr std::int64_t few_blocks = 256;
/// Blocks that keep a large GPU busy, and lines that are worth being a part.
constexpr std::int64_t busy_blocks = 2048, row_part = 4096, column_part = 64;
/// Threads below which a GPU has little to do.
constexpr std::int64_t few_threads = 1 << 16;
/// What counts of 32 bits are sure to count.
constexpr std::int64_t longest_part = std::int64_t{1} << 30;

/// The prefix sums of a contiguous tensor with elements: `outer` lists of n lines of `inner` neighbours.
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

  /// Columns that a task takes.
  std::int64_t columns_each() const {
    return on_cpu() ? std::int64_t{kg::cpu_scan_columns} : kg::scan_columns(element_bytes());
  }
  /// Threads that share a row: eight accesses each, so that most groups are no more than a wave, which needs no barrier;
  /// more where rows are few.
  std::uint32_t group() const {
    const std::int64_t accesses = quotient_up(n, std::int64_t{kg::scan_neighbours(element_bytes())});
    std::uint32_t group = power_of_two(accesses / 8, kg::block_threads);
    while (group < kg::block_threads && group < accesses && outer * group < few_threads) group *= 2;
    return group;
  }

  /// Blocks that all lists make while each is in one part.
  std::int64_t whole_blocks() const {
    if (on_cpu()) return are_rows() ? outer : outer * quotient_up(inner, columns_each());
    return are_rows() ? quotient_up(outer, kg::block_threads / group())
                      : quotient_up(outer * quotient_up(inner, columns_each()), kg::block_threads);
  }

  void cut() {
    const std::int64_t blocks = whole_blocks();
    const std::int64_t few = on_cpu() ? threads() : few_blocks;
    const std::int64_t busy = on_cpu() ? threads() * 2 : busy_blocks;
    const std::int64_t grain = on_cpu()
                                   ? std::max<std::int64_t>(1, cpu_grain / std::min(inner, columns_each()))
                               : are_rows() ? row_part
                                            : column_part;
    std::int64_t wanted = blocks < few ? std::min(quotient_up(busy, blocks), n / grain) : 1;
    if (wanted > 1) wanted = std::max(wanted, quotient_up(n, longest_part));
    // Whole accesses, so that all parts of a row lie alike.
    part = wanted > 1 ? quotient_up(quotient_up(n, wanted), 64) * 64 : n;
    parts = quotient_up(n, part);
  }

  void launch(std::string_view form, std::int64_t blocks, const Arguments& arguments) const {
    const Operation operation = Operation::builtin(device(), Builtin::cumsum);
    const DType type = x.dtype();
    LaunchShape shape = block_grid(blocks);
    if (on_cpu()) {
      shape = element_grid(state_of(device()), x.elements(), 1);
      shape.grid[0] = static_cast<std::uint32_t>(std::min<std::int64_t>(blocks, shape.grid[0]));
    }
    kernelgen::launch(device(), operation.kernel({&type, 1}, operation.form(form)), shape, arguments, stream);
  }

  /// What lies before each part: [outer][inner][parts].
  Tensor sums_before() const {
    const std::int64_t lists = outer * inner, bytes = kg::scan_bytes(element_bytes());
    const Tensor sums = Tensor::empty(device(), {lists * parts * bytes}, DType::u8, stream);
    const auto count = static_cast<std::uint32_t>(parts);
    if (are_rows()) {
      launch("row_parts", outer * parts,
             Arguments()
                 .add(x.data())
                 .add(sums.data())
                 .add(outer)
                 .add(n)
                 .add(part)
                 .add(count)
                 .add(kg::block_threads));
    } else {
      const std::int64_t pack = kg::column_pack(element_bytes(), static_cast<unsigned>(bytes));
      const std::uint32_t across = power_of_two(quotient_up(inner, pack), 32);
      const std::int64_t tile = on_cpu() ? std::int64_t{kg::cpu_lanes} : across * pack;
      kg::Strided<1> lines{};
      lines.rank = 1;
      lines.elements = static_cast<unsigned>(part);
      lines.dim[0] = divisor(lines.elements);
      lines.stride[0][0] = inner;
      launch("column_parts", outer * parts * quotient_up(inner, tile),
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
    }
    const std::uint32_t group = power_of_two(parts / 4, kg::block_threads);
    launch("before_parts", quotient_up(lists, kg::block_threads / group),
           Arguments().add(sums.data()).add(lists).add(count).add(group));
    return sums;
  }

  void run() {
    cut();
    Tensor sums;
    if (parts > 1) sums = sums_before();
    Arguments arguments;
    arguments.add(x.data()).add(out.data()).add(sums ? sums.data() : nullptr).add(outer);
    if (are_rows()) {
      const std::uint32_t group = parts > 1 ? kg::block_threads : this->group();
      arguments.add(n).add(part).add(static_cast<std::uint32_t>(parts)).add(group);
      launch("rows", on_cpu() ? outer * parts : quotient_up(outer * parts, kg::block_threads / group),
             arguments);
    } else {
      arguments.add(inner).add(n).add(part).add(static_cast<std::uint32_t>(parts));
      const std::int64_t tasks = outer * parts * quotient_up(inner, columns_each());
      launch("columns", on_cpu() ? tasks : quotient_up(tasks, kg::block_threads), arguments);
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
