#include "common/format.hpp"

#include <array>

#include "device/device_state.hpp"
#include "ops/iteration.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/scatter.hpp"
#include "ops/sum_type.hpp"
#include "ops/traits.hpp"
#include "plan/grid.hpp"
#include "plan/scatter_plan.hpp"

namespace kernelgen {
namespace {

enum class Kind { set, add };

/// One validated scatter: source has the walk's shape, and so does y except along the dim.
struct Scatter {
  Kind kind;
  const IndexWalk& walk;
  Tensor y;
  Tensor source;
  bool deterministic;
  const Stream& stream;

  void run() const;
  void lines(const IndexFaults::Call& call) const;
  void add_atomically(const IndexFaults::Call& call) const;
  void set_winners(const IndexFaults::Call& call) const;

  const Device& device() const { return y.device(); }
  ScatterProblem problem() const {
    const std::int64_t length = walk.shape[walk.dim], lines = source.elements() / length;
    return {kind == Kind::add, deterministic, length, lines, walk.size};
  }
  std::int64_t y_step() const { return y.layout().strides[walk.dim]; }
  LaunchShape grid(std::int64_t tasks) const { return element_grid(tasks, 1, traits_of(device())); }
  std::uint32_t kernel(Builtin op, std::string_view form, std::span<const DType> types) const {
    const Operation operation = Operation::builtin(device(), op);
    return operation.kernel(types, operation.form(form));
  }
};

void Scatter::run() const {
  if (source.elements() == 0) return;
  DeviceState& state = state_of(device());
  const IndexFaults::Call call(state.index_faults(), *state.fault_queue(stream));
  if (is_line_by_line(problem(), traits_of(state)))
    lines(call);
  else if (kind == Kind::add)
    add_atomically(call);
  else
    set_winners(call);
}

void Scatter::lines(const IndexFaults::Call& call) const {
  const std::size_t dim = walk.dim;
  Shape shape = walk.shape;
  shape.erase(dim);
  std::array<Layout, 3> layouts{y.layout(), source.layout(), walk.ids_layout};
  std::array<std::int64_t, 3> step{};
  for (std::size_t k = 0; k < 3; ++k) {
    step[k] = layouts[k].strides[dim];
    layouts[k].strides.erase(dim);
    layouts[k].shape = shape;
  }
  std::int64_t neighbours = 1;
  for (std::size_t d = dim; d < shape.size(); ++d) neighbours *= shape[d];
  const Iteration<3> nest(shape, {&layouts[0], &layouts[1], &layouts[2]});

  const ScatterProblem problem = this->problem();
  const ScatterColumns columns{nest.extent[0], nest.stride[0][0] == 1 && nest.stride[1][0] == 1,
                               nest.stride[2][0] == 0};
  const ScatterLinesPlan plan = plan_scatter_lines(problem, columns, traits_of(device()));

  const DType types[] = {y.dtype()};
  const std::uint32_t kernel =
      this->kernel(kind == Kind::set ? Builtin::scatter_set : Builtin::scatter_add_set, "lines", types);
  nest.for_each_piece([&](const kg::Strided<3>& piece, const auto& offsets, std::int64_t first) {
    Arguments arguments;
    arguments.add(element_address(y, offsets[0]))
        .add(element_address(source, offsets[1]))
        .add(element_address(walk.ids, offsets[2]))
        .add(static_cast<std::uint32_t>(walk.ids.dtype()))
        .add(piece)
        .add(problem.length)
        .add(neighbours)
        .add(step[0])
        .add(step[1])
        .add(step[2])
        .add(first)
        .add(plan.width)
        .add(plan.parts);
    walk.add_check(arguments, call);
    launch(device(), kernel, plan.shape, arguments, stream);
  });
}

void Scatter::add_atomically(const IndexFaults::Call& call) const {
  const DType types[] = {y.dtype()};
  const std::uint32_t kernel = this->kernel(Builtin::scatter_add_set, "elements", types);
  const Layout target = without_dim(y.layout(), walk.shape, walk.dim);
  const Iteration<3> nest(walk.shape, {&target, &source.layout(), &walk.ids_layout});
  nest.for_each_piece([&](const kg::Strided<3>& piece, const auto& offsets, std::int64_t first) {
    Arguments arguments;
    arguments.add(element_address(y, offsets[0]))
        .add(element_address(source, offsets[1]))
        .add(element_address(walk.ids, offsets[2]))
        .add(static_cast<std::uint32_t>(walk.ids.dtype()))
        .add(piece)
        .add(y_step())
        .add(first);
    walk.add_check(arguments, call);
    launch(device(), kernel, grid(piece.elements), arguments, stream);
  });
}

void Scatter::set_winners(const IndexFaults::Call& call) const {
  const Tensor winners = Tensor::zeros(device(), y.shape(), DType::u32, stream);
  {
    const Layout positions = without_dim(winners.layout(), walk.shape, walk.dim);
    Layout number{walk.shape, {}, 0};
    for (std::size_t d = 0; d < walk.shape.size(); ++d) number.strides.push_back(d == walk.dim ? 1 : 0);
    const std::uint32_t kernel = this->kernel(Builtin::scatter_claim, "elements", {});
    const Iteration<3> nest(walk.shape, {&positions, &walk.ids_layout, &number});
    nest.for_each_piece([&](const kg::Strided<3>& piece, const auto& offsets, std::int64_t first) {
      Arguments arguments;
      arguments.add(element_address(winners, offsets[0]))
          .add(element_address(walk.ids, offsets[1]))
          .add(static_cast<std::uint32_t>(walk.ids.dtype()))
          .add(piece)
          .add(winners.layout().strides[walk.dim])
          .add(offsets[2])
          .add(first);
      walk.add_check(arguments, call);
      launch(device(), kernel, grid(piece.elements), arguments, stream);
    });
  }
  if (winners.elements() == 0) return;
  const DType types[] = {y.dtype()};
  const std::uint32_t kernel = this->kernel(Builtin::scatter_write, "elements", types);
  const Layout from = without_dim(source.layout(), y.shape(), walk.dim);
  const Iteration<2> nest(y.shape(), {&y.layout(), &from});
  nest.for_each_piece([&](const kg::Strided<2>& piece, const auto& offsets, std::int64_t first) {
    Arguments arguments;
    arguments.add(element_address(y, offsets[0]))
        .add(element_address(source, offsets[1]))
        .add(element_address(winners, first))
        .add(piece)
        .add(source.layout().strides[walk.dim]);
    launch(device(), kernel, grid(piece.elements), arguments, stream);
  });
}

/// Whether the two may share an element.
bool may_overlap(const Tensor& a, const Tensor& b) {
  if (a.storage() != b.storage()) return false;
  const auto ends = [](const Tensor& t) {
    const Layout::Extent extent = t.layout().extent();
    const auto size = static_cast<std::int64_t>(size_of(t.dtype()));
    return std::array{extent.first * size, (extent.last + 1) * size};
  };
  const auto [a_first, a_end] = ends(a);
  const auto [b_first, b_end] = ends(b);
  return a_first < b_end && b_first < a_end;
}

/// The validated operands of scatter_set and scatter_add_set; y and source are cropped to the range of ids.
struct Operands {
  IndexWalk walk;
  Tensor y, source;
};

Operands check(const IndexOperation& operation, const Tensor& destination, std::int64_t dim,
               const Tensor& ids, const Tensor& source, const Stream& stream) {
  const char* const name = operation.name;
  const Tensor* const inputs[] = {&destination, &ids, &source};
  check_inputs(name, inputs);
  check_stream(destination.device(), stream);
  check_ids(name, ids);
  if (source.dtype() != destination.dtype())
    invalid(formatted("{}: source is {}, destination {}; cast first", name, name_of(source.dtype()),
                      name_of(destination.dtype())));
  const Shape &shape = ids.shape(), &to = destination.shape(), &from = source.shape();
  const std::size_t at = normalize_dim(name, dim, to.size());
  bool fits = shape.size() == to.size() && shape.size() == from.size();
  for (std::size_t d = 0; fits && d < shape.size(); ++d)
    fits = shape[d] <= from[d] && (d == at || shape[d] <= to[d]);
  if (!fits)
    invalid(
        formatted("{}: ids are {}, source {}, destination {}; along dim {} they need one rank, and ids no "
                  "more elements than source in any dim, nor than destination in the others",
                  name, shape.to_string(), from.to_string(), to.to_string(), at));
  use_operands(stream, Inputs(inputs).subspan(1), Inputs(inputs).first(1));
  Tensor y = destination, values = source;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto signed_d = static_cast<std::int64_t>(d);
    values = values.narrow(signed_d, 0, shape[d]);
    if (d != at) y = y.narrow(signed_d, 0, shape[d]);
  }
  const Tensor indices = may_overlap(y, ids) ? copy(ids, {.stream = stream}) : ids;
  if (may_overlap(y, values)) values = copy(values, {.stream = stream});
  return {IndexWalk(operation, shape, at, to[at], indices), y, values};
}

}  // namespace

void add_into(const IndexWalk& walk, const Tensor& y, const Tensor& source, bool deterministic,
              const Stream& stream) {
  const bool any_order = !deterministic || !is_float(y.dtype());
  Scatter{Kind::add, walk, y, source, !any_order, stream}.run();
}

void scatter_set(const Tensor& destination, std::int64_t dim, const Tensor& ids, const Tensor& source,
                 const Stream& stream) {
  static constexpr IndexOperation operation{"scatter_set"};
  const Operands operands = check(operation, destination, dim, ids, source, stream);
  Scatter{Kind::set, operands.walk, operands.y, operands.source, true, stream}.run();
}

void scatter_add_set(const Tensor& destination, std::int64_t dim, const Tensor& ids, const Tensor& source,
                     bool deterministic, const Stream& stream) {
  static constexpr IndexOperation operation{"scatter_add_set"};
  const Operands operands = check(operation, destination, dim, ids, source, stream);
  const Tensor& y = operands.y;
  if (operands.source.elements() == 0) return;
  if (sum_type(y.dtype()) == y.dtype())
    add_into(operands.walk, y, operands.source, deterministic, stream);
  else
    add_widened(operands.walk, y, y, operands.source, deterministic, stream);
}

Tensor index_add(const Tensor& x, std::int64_t dim, const Tensor& ids, const Tensor& source,
                 bool deterministic, const CallOptions& options) {
  static constexpr IndexOperation operation{"index_add"};
  constexpr const char* name = operation.name;
  const Tensor* const inputs[] = {&x, &ids, &source};
  check_inputs(name, inputs);
  check_ids(name, ids);
  if (source.dtype() != x.dtype())
    invalid(
        formatted("{}: source is {}, x {}; cast first", name, name_of(source.dtype()), name_of(x.dtype())));
  const std::size_t at = normalize_dim(name, dim, x.shape().size());
  if (ids.shape().size() != 1)
    invalid(formatted("{}: ids are {}; they have to be of rank 1", name, ids.shape().to_string()));
  Shape shape = x.shape();
  shape[at] = ids.shape()[0];
  if (!(source.shape() == shape))
    invalid(formatted("{}: source is {}; for x {} and {} ids along dim {} it has to be {}", name,
                      source.shape().to_string(), x.shape().to_string(), ids.shape()[0], at,
                      shape.to_string()));
  const Tensor out = output(name, x.device(), x.shape(), x.dtype(), options, inputs);
  const IndexWalk walk(operation, shape, at, x.shape()[at], ids);
  if (sum_type(x.dtype()) == x.dtype() || source.elements() == 0) {
    copy_into(out, x, options.stream);
    add_into(walk, out, source, deterministic, options.stream);
    return out;
  }
  add_widened(walk, x, out, source, deterministic, options.stream);
  return out;
}

}  // namespace kernelgen
