// Index sums of 8- and 16-bit elements: accumulated in 32 bits, rounded once.
#include <algorithm>

#include "common/quotient.hpp"
#include "device/device_state.hpp"
#include "kernelgen/ops/elementwise.hpp"
#include "ops/iteration.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/scatter.hpp"
#include "ops/sum_type.hpp"
#include "ops/traits.hpp"
#include "plan/divisor.hpp"
#include "plan/grid.hpp"
#include "plan/scatter.hpp"
#include "plan/scatter_plan.hpp"

namespace kernelgen {
namespace {

/// One such call with validated operands. y may be x.
struct NarrowSum {
  const IndexWalk& walk;
  const Tensor &x, &y, &source;
  bool deterministic;
  const Stream& stream;

  void run() const;
  NarrowSumProblem problem() const {
    return {.elements = y.elements(),
            .sources = source.elements(),
            .is_ordered = deterministic,
            .is_contiguous = y.layout().is_contiguous() && x.layout().is_contiguous(),
            .is_in_place = &x == &y,
            .inner = walk.inner,
            .size = walk.size,
            .columns = columns()};
  }
  kg::Strided<3> sources_layout() const;
  void in_block_lines() const;
  void in_rows() const;
  void few_sources() const;
  void in_three_dims(kg::ScatterBlockForm form, const LaunchShape& shape) const;
  void launch_block(kg::ScatterBlockForm form, std::int64_t positions, std::int64_t sources,
                    const kg::Strided<3>& layout, const LaunchShape& shape, const Tensor& from,
                    const Tensor& ids) const;
  void in_slots() const;
  void at_positions() const;
  void everywhere() const;
  void everywhere_at_once() const;
  void add_to(const Tensor& sums) const;
  void step(kg::ScatterStep step, const Tensor& sums, const Tensor& elements) const;
  void launch_step(kg::ScatterStep step, const void* sums, const void* elements, const void* ids,
                   const kg::Strided<3>& layout, std::int64_t sum_step, std::int64_t element_step,
                   std::int64_t first, std::int64_t tasks) const;

  DeviceState& device() const { return state_of(y.device()); }
  bool on_cpu() const { return device().threads() > 0; }
  /// Elements after the dim.
  std::int64_t columns() const {
    std::int64_t n = 1;
    for (std::size_t d = walk.dim + 1; d < walk.shape.size(); ++d) n *= walk.shape[d];
    return n;
  }
  DType wide() const { return sum_type(y.dtype()); }
};

void NarrowSum::run() const {
  const DeviceTraits traits = traits_of(y.device());
  const NarrowSumForm form = narrow_sum_form(problem(), traits);
  if (form >= NarrowSumForm::hash_table && form <= NarrowSumForm::indexed && &x != &y)
    copy_into(y, x, stream);
  switch (form) {
    case NarrowSumForm::lines:
      return on_cpu() ? in_three_dims(kg::ScatterBlockForm::lines,
                                      element_grid(y.elements() + source.elements(), 1, traits))
                      : in_block_lines();
    case NarrowSumForm::columns:
      return in_three_dims(kg::ScatterBlockForm::columns, narrow_sum_columns_shape(problem()));
    case NarrowSumForm::rows:
      return in_rows();
    case NarrowSumForm::hash_table:
      return few_sources();
    case NarrowSumForm::single:
      return step(kg::ScatterStep::add_single, y, source);
    case NarrowSumForm::hashed:
      return in_slots();
    case NarrowSumForm::indexed:
      return at_positions();
    default:
      everywhere();
  }
}

void NarrowSum::launch_block(kg::ScatterBlockForm form, std::int64_t positions, std::int64_t sources,
                             const kg::Strided<3>& layout, const LaunchShape& shape, const Tensor& from,
                             const Tensor& ids) const {
  const DType type = y.dtype();
  const IndexFaults::Call call(device().index_faults(), *device().fault_queue(stream));
  const Operation operation = Operation::builtin(y.device(), Builtin::scatter_add_16bit);
  Arguments arguments;
  arguments.add(x.data())
      .add(y.data())
      .add(static_cast<std::uint32_t>(y.elements()))
      .add(form)
      .add(static_cast<std::uint32_t>(positions))
      .add(static_cast<std::uint32_t>(sources))
      .add(from.data())
      .add(ids.data())
      .add(static_cast<std::uint32_t>(ids.dtype()))
      .add(layout)
      .add(y.layout().strides[walk.dim]);
  walk.add_check(arguments, call);
  launch(y.device(), operation.kernel({&type, 1}, operation.form("block")), shape, arguments, stream);
}

/// The loop nest over the sources of forms that need fewer than 2^31 of them, with the strides of y (0 along the indexed dim), of the
/// source and of ids.
kg::Strided<3> NarrowSum::sources_layout() const {
  const Layout target = without_dim(y.layout(), walk.shape, walk.dim);
  kg::Strided<3> layout{};
  Iteration<3>(walk.shape, {&target, &source.layout(), &walk.ids_layout})
      .for_each_piece([&](const kg::Strided<3>& piece, const auto&, std::int64_t) { layout = piece; });
  return layout;
}

void NarrowSum::in_block_lines() const {
  const NarrowSumProblem problem = this->problem();
  const DeviceTraits device = traits_of(y.device());
  const std::int64_t columns = narrow_sum_block_lines(problem, device) * problem.columns;
  launch_block(kg::ScatterBlockForm::lines, columns * problem.size, columns * walk.shape[walk.dim],
               sources_layout(), narrow_sum_lines_shape(problem, device), source, walk.ids);
}

/// Indices are shared by all lines.
void NarrowSum::in_rows() const {
  const Tensor lists = Tensor::empty(y.device(), {walk.size + walk.count}, DType::u32, stream);
  const_set(lists, 0.0, stream);
  // Each index once, along the same dim, which reports name.
  Shape each, positions;
  for (std::size_t d = 0; d < walk.dim; ++d) {
    each.push_back(1);
    positions.push_back(1);
  }
  each.push_back(walk.count);
  positions.push_back(walk.size);
  const IndexWalk indices(walk.operation, each, walk.dim, walk.size, walk.ids);
  const Tensor heads = lists.narrow(0, 0, walk.size).reshape(positions);
  NarrowSum{indices, x, y, source, deterministic, stream}.step(kg::ScatterStep::link, heads, heads);
  kg::Strided<3> layout{2, static_cast<unsigned>(y.elements()), {}, {}};
  layout.dim[0] = divisor(static_cast<unsigned>(columns()));
  layout.dim[1] = divisor(static_cast<unsigned>(walk.size));
  launch_block(kg::ScatterBlockForm::rows, 0, walk.count, layout,
               element_grid(y.elements(), kg::scatter_row_pack, traits_of(y.device())),
               make_contiguous(source, stream), lists);
}

void NarrowSum::few_sources() const {
  const std::int64_t sources = source.elements();
  launch_block(kg::ScatterBlockForm::hash_table, kg::scatter_source_slots * sources, sources,
               sources_layout(), block_grid(1, power_of_two(sources, kg::scatter_block_threads)), source,
               walk.ids);
}

/// Passes exactly three dims, merged before, along and after the indexed one: the kernel distributes columns by them.
void NarrowSum::in_three_dims(kg::ScatterBlockForm form, const LaunchShape& shape) const {
  const bool is_shared = walk.ids.shape().size() == 1;
  const std::int64_t inner = columns(), length = walk.shape[walk.dim], line = length * inner;
  kg::Strided<3> layout{3, static_cast<unsigned>(source.elements()), {}, {}};
  const std::int64_t extents[] = {inner, length, source.elements() / line};
  for (int d = 0; d < 3; ++d) layout.dim[d] = divisor(static_cast<unsigned>(extents[d]));
  const std::int64_t strides[3][3] = {
      {1, 0, walk.size * inner},
      {1, inner, line},
      {is_shared ? 0 : 1, is_shared ? walk.ids.layout().strides[0] : inner, is_shared ? 0 : line}};
  for (int k = 0; k < 3; ++k) std::copy(strides[k], strides[k] + 3, layout.stride[k]);
  launch_block(form, 0, 0, layout, shape, make_contiguous(source, stream),
               is_shared ? walk.ids : make_contiguous(walk.ids, stream));
}

void NarrowSum::in_slots() const {
  const std::int64_t count = kg::scatter_source_slots * source.elements();
  const Tensor slots = Tensor::empty(y.device(), {count}, DType::i64, stream);
  const_set(slots, static_cast<double>(kg::scatter_empty_slot), stream);
  launch_step(kg::ScatterStep::add_hashed, slots.data(), source.data(), walk.ids.data(), sources_layout(),
              y.layout().strides[walk.dim], count, 0, source.elements());
  launch_step(kg::ScatterStep::add_slots, slots.data(), y.data(), walk.ids.data(), {}, 0, count, 0, count);
}

void NarrowSum::at_positions() const {
  const Tensor sums = Tensor::empty(y.device(), y.shape(), wide(), stream);
  step(kg::ScatterStep::widen, sums, y);
  add_to(sums);
  step(kg::ScatterStep::narrow, sums, y);
}

/// Lines that share indices are processed a few at a time: caches hold no more of the sums.
void NarrowSum::everywhere() const {
  const std::int64_t lines = walk.dim == 0 ? 1 : y.shape()[0], step = narrow_sum_lines(lines, y.elements());
  if (step >= lines || walk.ids.shape().size() > 1) return everywhere_at_once();
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
  const bool adds = step == kg::ScatterStep::add || step == kg::ScatterStep::add_single;
  const Layout to = without_dim(sums.layout(), walk.shape, walk.dim);
  const Layout from = adds ? elements.layout() : without_dim(elements.layout(), walk.shape, walk.dim);
  Iteration<3>(walk.shape, {&to, &from, &walk.ids_layout})
      .for_each_piece([&](const kg::Strided<3>& piece, const auto& offsets, std::int64_t first) {
        launch_step(step, element_address(sums, offsets[0]), element_address(elements, offsets[1]),
                    element_address(walk.ids, offsets[2]), piece, sums.layout().strides[walk.dim],
                    adds ? 0 : elements.layout().strides[walk.dim], first, piece.elements);
      });
}

/// `tasks` is the number of elements or slots.
void NarrowSum::launch_step(kg::ScatterStep step, const void* sums, const void* elements, const void* ids,
                            const kg::Strided<3>& layout, std::int64_t sum_step, std::int64_t element_step,
                            std::int64_t first, std::int64_t tasks) const {
  const DType type = y.dtype();
  const IndexFaults::Call call(device().index_faults(), *device().fault_queue(stream));
  const Operation operation = Operation::builtin(y.device(), Builtin::scatter_add_16bit);
  Arguments arguments;
  arguments.add(sums)
      .add(elements)
      .add(ids)
      .add(static_cast<std::uint32_t>(walk.ids.dtype()))
      .add(step)
      .add(layout)
      .add(sum_step)
      .add(element_step)
      .add(first);
  walk.add_check(arguments, call);
  launch(y.device(), operation.kernel({&type, 1}, operation.form("positions")),
         element_grid(tasks, 1, traits_of(y.device())), arguments, stream);
}

}  // namespace

void add_widened(const IndexWalk& walk, const Tensor& x, const Tensor& y, const Tensor& source,
                 bool deterministic, const Stream& stream) {
  NarrowSum{walk, x, y, source, deterministic, stream}.run();
}

}  // namespace kernelgen
