#include "common/format.hpp"

#include <algorithm>
#include <bit>

#include "device/device_state.hpp"
#include "ops/grid.hpp"
#include "ops/index.hpp"
#include "ops/iteration.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "plan/span.hpp"

namespace kernelgen {
namespace {

/// Minimum bytes of a contiguous span that a GPU copies as a unit, and the bytes a thread group takes at a
/// time.
constexpr std::int64_t worth_a_run = 32, run_part = 16 * 1024;
/// Minimum threads per row, to fill a memory access, even if each has fewer loads in flight than possible.
constexpr std::uint32_t fewest_threads = 8;
/// Threads that saturate a large GPU.
constexpr std::int64_t busy_threads = 256 * 1024;

/// Columns per block and iteration where rows share their indices, which equals the loads its threads keep in
/// flight; and the maximum number of rows.
constexpr std::int64_t tile_columns = std::int64_t{4} * kg::block_threads, most_tile_rows = 64;

/// Drops the innermost dim.
Iteration<2> outer_dims(const Iteration<2>& nest) {
  Iteration<2> outer = nest;
  outer.rank = std::max(nest.rank - 1, 1);
  outer.extent[0] = 1;
  for (int k = 0; k < 2; ++k) outer.stride[k][0] = 0;
  for (int d = 1; d < nest.rank; ++d) {
    outer.extent[d - 1] = nest.extent[d];
    for (int k = 0; k < 2; ++k) outer.stride[k][d - 1] = nest.stride[k][d];
  }
  return outer;
}

struct Gather {
  const IndexWalk& walk;
  const Tensor& x;
  const Tensor& out;
  const Stream& stream;

  void run() const;
  void elements(const Operation& operation, const Iteration<2>& nest, const IndexFaults::Call& call) const;
  void runs(const Operation& operation, const Iteration<2>& nest, const IndexFaults::Call& call) const;

  DeviceState& device() const { return state_of(out.device()); }
  std::int64_t step() const { return x.layout().strides[walk.dim]; }
  std::uint32_t kernel(const Operation& operation, std::string_view form) const {
    const DType types[] = {x.dtype(), walk.ids.dtype()};
    return operation.kernel(types, operation.form(form));
  }
};

void Gather::run() const {
  if (out.elements() == 0) return;
  const Operation operation = Operation::builtin(out.device(), Builtin::gather);
  const Layout source = without_dim(x.layout(), walk.shape, walk.dim);
  const Iteration<2> nest(walk.shape, {&source, &walk.ids_layout});
  const IndexFaults::Call call(device().index_faults(), *device().fault_queue(stream));
  const std::int64_t length = nest.extent[0];
  const bool is_worth_a_run = device().threads() > 0
                                  ? length > 1
                                  : length * static_cast<std::int64_t>(size_of(x.dtype())) >= worth_a_run;
  const bool has_runs = nest.stride[0][0] == 1 && nest.stride[1][0] == 0 && is_worth_a_run;
  has_runs ? runs(operation, nest, call) : elements(operation, nest, call);
}

void Gather::elements(const Operation& operation, const Iteration<2>& nest,
                      const IndexFaults::Call& call) const {
  const std::uint32_t kernel = this->kernel(operation, "elements");
  const bool on_gpu = device().threads() == 0;
  const auto last = static_cast<std::size_t>(nest.rank - 1);
  // With one column per thread, each index is read once for all rows that share it.
  const std::int64_t columns = nest.elements() / nest.extent[last];
  const bool shares = on_gpu && last > 0 && nest.stride[1][last] == 0 && columns >= kg::block_threads &&
                      nest.extent[last] <= launch_limit;
  const std::int64_t rows = shares ? nest.extent[last] : 1, x_row = shares ? nest.stride[0][last] : 0;
  Iteration<2> row = nest;
  if (shares) --row.rank;
  row.for_each_piece([&](const kg::Strided<2>& piece, const auto& offsets, std::int64_t first) {
    // Neighbouring columns read the same part of x, so a block that takes many of them hits in its cache.
    std::int64_t across = quotient_up<std::int64_t>(piece.elements, tile_columns), down = 1;
    if (shares)
      down = quotient_up(rows, std::clamp<std::int64_t>(rows * across * kg::block_threads / busy_threads, 1,
                                                        most_tile_rows));
    else
      across = quotient_up<std::int64_t>(
          piece.elements, kg::block_threads * std::clamp<std::int64_t>(piece.elements / busy_threads, 1, 32));
    Arguments arguments;
    arguments.add(element_address(x, offsets[0]))
        .add(element_address(walk.ids, offsets[1]))
        .add(element_address(out, first))
        .add(piece)
        .add(step())
        .add(first)
        .add(static_cast<std::uint32_t>(rows))
        .add(x_row)
        .add(columns)
        .add(static_cast<std::uint32_t>(quotient_up<std::int64_t>(piece.elements, across)))
        .add(static_cast<std::uint32_t>(quotient_up(rows, down)));
    walk.add_check(arguments, call);
    const LaunchShape shape = on_gpu ? block_grid(across * down, block_of(piece.elements))
                                     : element_grid(device(), piece.elements, 1);
    launch(out.device(), kernel, shape, arguments, stream);
  });
}

void Gather::runs(const Operation& operation, const Iteration<2>& nest, const IndexFaults::Call& call) const {
  const std::uint32_t kernel = this->kernel(operation, "spans");
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  const std::int64_t length = nest.extent[0], pack = kg::access_elements(static_cast<unsigned>(size));
  // With little work, each thread makes one access.
  const bool is_little = device().threads() == 0 && out.elements() / pack < busy_threads;
  const std::int64_t part = std::min(length, is_little ? pack * kg::block_threads : run_part / size);
  const auto whole = std::bit_ceil(static_cast<std::uint32_t>(quotient_up(part, pack)));
  const std::uint32_t threads =
      is_little ? std::min(whole, std::uint32_t{kg::block_threads})
                : std::clamp(whole / kg::copies_in_flight, std::min(whole, fewest_threads),
                             std::uint32_t{kg::block_threads});
  outer_dims(nest).for_each_piece([&](const kg::Strided<2>& piece, const auto& offsets, std::int64_t run) {
    Arguments arguments;
    arguments.add(element_address(x, offsets[0]))
        .add(element_address(walk.ids, offsets[1]))
        .add(element_address(out, run * length))
        .add(piece)
        .add(step())
        .add(run * length)
        .add(length)
        .add(static_cast<std::uint32_t>(part))
        .add(threads);
    walk.add_check(arguments, call);
    const std::int64_t groups = piece.elements * quotient_up(length, part);
    const LaunchShape shape = device().threads() > 0 ? element_grid(device(), piece.elements * length, 1)
                                                     : element_grid(device(), groups * threads, 1);
    launch(out.device(), kernel, shape, arguments, stream);
  });
}

}  // namespace

void gather_into(const IndexWalk& walk, const Tensor& x, const Tensor& out, const Stream& stream) {
  Gather{walk, x, out, stream}.run();
}

Tensor gather(const Tensor& x, std::int64_t dim, const Tensor& ids, const CallOptions& options) {
  static constexpr IndexOperation operation{"gather"};
  constexpr const char* name = operation.name;
  const Tensor* const inputs[] = {&x, &ids};
  check_inputs(name, inputs);
  check_ids(name, ids);
  const std::size_t at = normalize_dim(name, dim, x.shape().size());
  bool fits = ids.shape().size() == x.shape().size();
  for (std::size_t d = 0; fits && d < x.shape().size(); ++d) fits = d == at || ids.shape()[d] <= x.shape()[d];
  if (!fits)
    invalid(
        formatted("{}: ids are {}, x {}; along dim {} they need the same rank, and no more elements in the "
                  "other dims",
                  name, ids.shape().to_string(), x.shape().to_string(), at));
  const Tensor out = output(name, x.device(), ids.shape(), x.dtype(), options, inputs);
  const IndexWalk walk(operation, ids.shape(), at, x.shape()[at], ids);
  gather_into(walk, x, out, options.stream);
  return out;
}

Tensor index_select(const Tensor& x, std::int64_t dim, const Tensor& ids, const CallOptions& options) {
  static constexpr IndexOperation operation{"index_select"};
  constexpr const char* name = operation.name;
  const Tensor* const inputs[] = {&x, &ids};
  check_inputs(name, inputs);
  check_ids(name, ids);
  const std::size_t at = normalize_dim(name, dim, x.shape().size());
  if (ids.shape().size() != 1)
    invalid(formatted("{}: ids are {}; they have to be of rank 1", name, ids.shape().to_string()));
  Shape shape = x.shape();
  shape[at] = ids.shape()[0];
  const Tensor out = output(name, x.device(), shape, x.dtype(), options, inputs);
  const IndexWalk walk(operation, shape, at, x.shape()[at], ids);
  gather_into(walk, x, out, options.stream);
  return out;
}

}  // namespace kernelgen
