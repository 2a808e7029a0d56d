#include "common/format.hpp"

#include <algorithm>

#include "device/device_state.hpp"
#include "ops/index.hpp"
#include "ops/iteration.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/traits.hpp"
#include "plan/gather_plan.hpp"

namespace kernelgen {
namespace {

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
  void spans(const Operation& operation, const Iteration<2>& nest, const IndexFaults::Call& call) const;

  DeviceState& device() const { return state_of(out.device()); }
  DeviceTraits traits() const { return traits_of(out.device()); }
  unsigned element_bytes() const { return static_cast<unsigned>(size_of(x.dtype())); }
  std::int64_t step() const { return x.layout().strides[walk.dim]; }
  std::uint32_t kernel(const Operation& operation, std::string_view form) const {
    const DType type = x.dtype();
    return operation.kernel({&type, 1}, operation.form(form));
  }
};

void Gather::run() const {
  if (out.elements() == 0) return;
  const Operation operation = Operation::builtin(out.device(), Builtin::gather);
  const Layout source = without_dim(x.layout(), walk.shape, walk.dim);
  const Iteration<2> nest(walk.shape, {&source, &walk.ids_layout});
  const IndexFaults::Call call(device().index_faults(), *device().fault_queue(stream));
  const std::int64_t length = nest.extent[0];
  const bool has_spans = nest.stride[0][0] == 1 && nest.stride[1][0] == 0 &&
                         are_spans_worth_copying(length, element_bytes(), traits());
  has_spans ? spans(operation, nest, call) : elements(operation, nest, call);
}

void Gather::elements(const Operation& operation, const Iteration<2>& nest,
                      const IndexFaults::Call& call) const {
  const std::uint32_t kernel = this->kernel(operation, "elements");
  const auto last = static_cast<std::size_t>(nest.rank - 1);
  // With one column per thread, each index is read once for all rows that share it.
  const std::int64_t columns = nest.elements() / nest.extent[last];
  const bool shares = last > 0 && nest.stride[1][last] == 0 &&
                      are_indices_worth_sharing(nest.extent[last], columns, traits());
  const std::int64_t rows = shares ? nest.extent[last] : 1, x_row = shares ? nest.stride[0][last] : 0;
  Iteration<2> row = nest;
  if (shares) --row.rank;
  row.for_each_piece([&](const kg::Strided<2>& piece, const auto& offsets, std::int64_t first) {
    const GatherElementsPlan plan = plan_gather_elements(piece.elements, rows, traits());
    Arguments arguments;
    arguments.add(element_address(x, offsets[0]))
        .add(element_address(walk.ids, offsets[1]))
        .add(static_cast<std::uint32_t>(walk.ids.dtype()))
        .add(element_address(out, first))
        .add(piece)
        .add(step())
        .add(first)
        .add(static_cast<std::uint32_t>(rows))
        .add(x_row)
        .add(columns)
        .add(plan.columns)
        .add(plan.rows);
    walk.add_check(arguments, call);
    launch(out.device(), kernel, plan.shape, arguments, stream);
  });
}

void Gather::spans(const Operation& operation, const Iteration<2>& nest,
                   const IndexFaults::Call& call) const {
  const std::uint32_t kernel = this->kernel(operation, "spans");
  const std::int64_t length = nest.extent[0];
  const GatherSpansPlan plan = plan_gather_spans(out.elements(), length, element_bytes(), traits());
  outer_dims(nest).for_each_piece([&](const kg::Strided<2>& piece, const auto& offsets, std::int64_t span) {
    Arguments arguments;
    arguments.add(element_address(x, offsets[0]))
        .add(element_address(walk.ids, offsets[1]))
        .add(static_cast<std::uint32_t>(walk.ids.dtype()))
        .add(element_address(out, span * length))
        .add(piece)
        .add(step())
        .add(span * length)
        .add(length)
        .add(static_cast<std::uint32_t>(plan.part))
        .add(plan.threads);
    walk.add_check(arguments, call);
    launch(out.device(), kernel, plan.shape(piece.elements, length, traits()), arguments, stream);
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
