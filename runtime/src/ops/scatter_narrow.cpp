// Index sums of 8- and 16-bit elements: accumulated in 32 bits, rounded once.
#include <algorithm>

#include "device/device_state.hpp"
#include "ops/grid.hpp"
#include "ops/iteration.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/scatter.hpp"
#include "plan/scatter.hpp"

namespace kernelgen {
namespace {

/// One such sum with validated operands. y may be x.
struct NarrowSum {
  const IndexWalk& walk;
  const Tensor &x, &y, &source;
  bool deterministic;
  const Stream& stream;

  void run() const;
  bool fits_a_block() const;
  bool changes_little() const;
  void in_a_block() const;
  void at_places() const;
  void everywhere() const;
  void everywhere_at_once() const;
  void add_to(const Tensor& sums) const;
  void step(kg::ScatterStep step, const Tensor& sums, const Tensor& elements) const;

  DeviceState& device() const { return state_of(y.device()); }
  bool on_cpu() const { return device().threads() > 0; }
  DType wide() const { return sum_type(y.dtype()); }
};

void NarrowSum::run() const {
  if (fits_a_block())
    in_a_block();
  else if (changes_little())
    at_places();
  else
    everywhere();
}

bool NarrowSum::fits_a_block() const {
  // A CPU block is one thread, which adds elements in order and saves two launches and the workspace.
  constexpr std::int64_t few = 512;
  const bool is_small = on_cpu() ? y.elements() <= few && source.elements() <= few
                                 : !deterministic && y.elements() <= kg::scatter_block_places &&
                                       source.elements() <= kg::scatter_block_sources;
  return is_small && y.layout().is_contiguous() && x.layout().is_contiguous();
}

/// Whether there are so few sums that only their positions are worth converting.
bool NarrowSum::changes_little() const {
  const std::int64_t places = y.elements(), sources = source.elements();
  if (on_cpu()) {
    constexpr std::int64_t few = 16 * 1024, share = 32;
    return places >= few && sources <= places / share;
  }
  // Cost in bytes: a position converted both ways; one copied first; a source in full sectors; the sectors of
  // y and of the sums read and written for a single source; the traffic possible during a launch.
  constexpr std::int64_t converted = 12, copied = 4, moved = 12, sectors = 4 * 32, launch = 4 << 20;
  const std::int64_t copying = &x == &y ? 0 : places * copied + launch;
  return copying + sources * (moved + sectors / walk.inner) < places * converted;
}

void NarrowSum::in_a_block() const {
  const DType type = y.dtype();
  const IndexFaults::Call call(device().index_faults(), *device().fault_queue(stream));
  const Operation operation = Operation::builtin(y.device(), Builtin::scatter_add_16bit);
  const Layout target = without_dim(y.layout(), walk.shape, walk.dim);
  LaunchShape shape = block_grid(1);
  shape.block[0] = kg::scatter_block_threads;
  Iteration<3>(walk.shape, {&target, &source.layout(), &walk.ids_layout})
      .for_each_piece([&](const kg::Strided<3>& piece, const auto&, std::int64_t) {
        Arguments arguments;
        arguments.add(x.data())
            .add(y.data())
            .add(static_cast<std::uint32_t>(y.elements()))
            .add(source.data())
            .add(walk.ids.data())
            .add(static_cast<std::uint32_t>(walk.ids.dtype()))
            .add(piece)
            .add(y.layout().strides[walk.dim]);
        walk.add_check(arguments, call);
        launch(y.device(), operation.kernel({&type, 1}, operation.form("block")), shape, arguments, stream);
      });
}

void NarrowSum::at_places() const {
  if (&x != &y) copy_into(y, x, stream);
  const Tensor sums = Tensor::empty(y.device(), y.shape(), wide(), stream);
  step(kg::ScatterStep::widen, sums, y);
  add_to(sums);
  step(kg::ScatterStep::narrow, sums, y);
}

/// Lines that share indices are processed a few at a time: caches hold no more of the sums.
void NarrowSum::everywhere() const {
  constexpr std::int64_t cached = 4 << 20, aligned = 8;
  if (walk.dim == 0 || walk.ids.shape().size() > 1 || y.elements() <= cached) return everywhere_at_once();
  const std::int64_t lines = y.shape()[0];
  std::int64_t step = std::max<std::int64_t>(1, cached / (y.elements() / lines));
  if (step > aligned) step -= step % aligned;
  for (std::int64_t line = 0; line < lines; line += step) {
    const std::int64_t count = std::min(step, lines - line);
    Shape shape = walk.shape;
    shape[0] = count;
    const IndexWalk part(walk.operation, shape, walk.dim, walk.size, walk.ids);
    const Tensor from = x.narrow(0, line, count), to = y.narrow(0, line, count),
                 added = source.narrow(0, line, count);
    NarrowSum{part, from, to, added, deterministic, stream}.everywhere_at_once();
  }
}

void NarrowSum::everywhere_at_once() const {
  const CallOptions options{.stream = stream};
  const Tensor sums = to_dtype(x, wide(), options);
  add_to(sums);
  if (y.layout().is_contiguous())
    to_dtype(sums, y.dtype(), {.stream = stream, .out = &y});
  else
    copy_into(y, to_dtype(sums, y.dtype(), options), stream);
}

void NarrowSum::add_to(const Tensor& sums) const {
  if (on_cpu() || (deterministic && is_float(wide())))
    add_into(walk, sums, to_dtype(source, wide(), {.stream = stream}), deterministic, stream);
  else
    step(kg::ScatterStep::add, sums, source);
}

void NarrowSum::step(kg::ScatterStep step, const Tensor& sums, const Tensor& elements) const {
  const DType type = y.dtype();
  const bool adds = step == kg::ScatterStep::add;
  const IndexFaults::Call call(device().index_faults(), *device().fault_queue(stream));
  const Operation operation = Operation::builtin(y.device(), Builtin::scatter_add_16bit);
  const std::uint32_t kernel = operation.kernel({&type, 1}, operation.form("places"));
  const Layout to = without_dim(sums.layout(), walk.shape, walk.dim);
  const Layout from = adds ? elements.layout() : without_dim(elements.layout(), walk.shape, walk.dim);
  Iteration<3>(walk.shape, {&to, &from, &walk.ids_layout})
      .for_each_piece([&](const kg::Strided<3>& piece, const auto& offsets, std::int64_t first) {
        Arguments arguments;
        arguments.add(element_address(sums, offsets[0]))
            .add(element_address(elements, offsets[1]))
            .add(element_address(walk.ids, offsets[2]))
            .add(static_cast<std::uint32_t>(walk.ids.dtype()))
            .add(step)
            .add(piece)
            .add(sums.layout().strides[walk.dim])
            .add(adds ? std::int64_t{0} : elements.layout().strides[walk.dim])
            .add(first);
        walk.add_check(arguments, call);
        launch(y.device(), kernel, element_grid(device(), piece.elements, 1), arguments, stream);
      });
}

}  // namespace

void add_widened(const IndexWalk& walk, const Tensor& x, const Tensor& y, const Tensor& source,
                 bool deterministic, const Stream& stream) {
  NarrowSum{walk, x, y, source, deterministic, stream}.run();
}

}  // namespace kernelgen
