#include "kernelgen/experts.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "common/format.hpp"

#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/traits.hpp"
#include "plan/expert_routing.hpp"
#include "plan/grid.hpp"

namespace kernelgen {
namespace {

static_assert(most_routed_experts == kg::routing_most);

void check_f32(std::string_view name, std::string_view called, const Tensor& x, std::size_t rank) {
  if (x.dtype() != DType::f32 || x.shape().size() != rank)
    invalid(formatted("{}: {} {} {}; they have to be f32 of rank {}", name, called, name_of(x.dtype()),
                      x.shape().to_string(), rank));
}

}  // namespace

void route_experts(const Tensor& logits, const Tensor& ids, const Tensor& weights, const Routing& routing,
                   const Stream& stream) {
  constexpr std::string_view name = "route_experts";
  const std::array<const Tensor*, 3> all{&logits, &ids, &weights};
  check_tensors(name, all);
  check_stream(logits.device(), stream);
  check_f32(name, "logits are", logits, 2);
  const std::int64_t tokens = logits.shape()[0], experts = logits.shape()[1];
  if ((ids.dtype() != DType::u32 && ids.dtype() != DType::i32) || ids.shape().size() != 2 ||
      ids.shape()[0] != tokens || (ids.shape()[1] > 1 && ids.layout().strides[1] != 1))
    invalid(
        formatted("{}: ids are {} {}; for logits {} they have to be u32 or i32 [{}, k] with contiguous rows",
                  name, name_of(ids.dtype()), ids.layout().to_string(), logits.shape().to_string(), tokens));
  const std::int64_t k = ids.shape()[1];
  if (k < 1 || k > experts || k > most_routed_experts || experts > std::numeric_limits<std::int32_t>::max())
    invalid(formatted("{}: {} of {} experts; it chooses from 1 to {} of them, and not more than there are",
                      name, k, experts, most_routed_experts));
  if (std::isnan(routing.least)) invalid(formatted("{}: the least sum is NaN; it has to be a number", name));
  check_apart(name, "ids", ids, std::span(all).first(1));
  check_out(name, weights, {tokens, k}, DType::f32, std::span(all).first(2), InPlace::refused);
  use_operands(stream, std::span(all).first(1), std::span(all).subspan(1));
  if (tokens == 0) return;
  const Device& device = logits.device();
  const Tensor rows = make_rows_contiguous(logits, stream);
  const DeviceTraits traits = traits_of(device);
  const std::uint32_t group = traits.on_cpu() ? 1 : kg::routing_threads;
  const Operation operation = Operation::builtin(device, Builtin::route_experts);
  const Arguments arguments = Arguments()
                                  .add(rows.data())
                                  .add(rows.layout().strides[0])
                                  .add(tokens)
                                  .add(static_cast<std::uint32_t>(experts))
                                  .add(static_cast<std::uint32_t>(k))
                                  .add(std::uint32_t{routing.is_normalized})
                                  .add(static_cast<float>(routing.least))
                                  .add(ids.data())
                                  .add(ids.layout().strides[0])
                                  .add(weights.data())
                                  .add(group);
  const LaunchShape shape =
      traits.on_cpu() ? cpu_task_grid(tokens, tokens * experts * (k + 2), traits) : group_grid(tokens, group);
  launch(device, operation.kernel({}, operation.form("rows")), shape, arguments, stream);
}

Tensor add_experts(const Tensor& x, const Tensor& weights, const CallOptions& options) {
  constexpr std::string_view name = "add_experts";
  const std::array<const Tensor*, 2> inputs{&x, &weights};
  check_inputs(name, inputs);
  check_f32(name, "x is", x, 3);
  check_f32(name, "weights are", weights, 2);
  const std::int64_t tokens = x.shape()[0], k = x.shape()[1], n = x.shape()[2];
  if (weights.shape()[0] != tokens || weights.shape()[1] != k)
    invalid(formatted("{}: x is {}, weights are {}; they have to be [tokens, k, n] and [tokens, k]", name,
                      x.shape().to_string(), weights.shape().to_string()));
  if (k > std::numeric_limits<std::int32_t>::max())
    throw Error(Code::unsupported,
                formatted("{}: x is {}; k has to be below 2^31", name, x.shape().to_string()));
  const Tensor out = output(name, x.device(), {tokens, n}, DType::f32, options, inputs);
  if (out.elements() == 0) return out;
  const Device& device = x.device();
  const Tensor spans = make_rows_contiguous(x, options.stream);
  const DeviceTraits traits = traits_of(device);
  const std::uint32_t part = kg::block_threads;
  const std::int64_t tasks = tokens * quotient_up<std::int64_t>(n, part);
  const Operation operation = Operation::builtin(device, Builtin::add_experts);
  const Arguments arguments = Arguments()
                                  .add(spans.data())
                                  .add(spans.layout().strides[0])
                                  .add(spans.layout().strides[1])
                                  .add(weights.data())
                                  .add(weights.layout().strides[0])
                                  .add(weights.layout().strides[1])
                                  .add(out.data())
                                  .add(tokens)
                                  .add(static_cast<std::uint32_t>(k))
                                  .add(n)
                                  .add(part);
  const LaunchShape shape =
      traits.on_cpu() ? cpu_task_grid(tasks, x.elements(), traits) : block_grid(tasks, kg::block_threads);
  launch(device, operation.kernel({}, operation.form("rows")), shape, arguments, options.stream);
  return out;
}

}  // namespace kernelgen
