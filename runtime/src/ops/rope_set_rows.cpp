#include <array>

#include "common/format.hpp"

#include "device/device_state.hpp"
#include "kernelgen/ops/rope.hpp"
#include "ops/block_rows.hpp"
#include "ops/index.hpp"
#include "ops/iteration.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/traits.hpp"
#include "plan/grid.hpp"

namespace kernelgen {
namespace {

constexpr IndexOperation operation_of_rows{"rope_set_rows"};
constexpr const char* name = operation_of_rows.name;

void check_heads(std::string_view called, const Tensor& x, const Tensor& q) {
  const Shape& shape = x.shape();
  if (shape.size() != 3 || shape[0] != q.shape()[0] || shape[2] != q.shape().back() || shape[2] % 2 != 0)
    invalid(formatted("{}: q is {}, {} {}; they have to be [tokens, heads, d] with an even d", name,
                      q.shape().to_string(), called, shape.to_string()));
}

void check_angles(std::string_view called, const Tensor& x, const Tensor& q) {
  const Shape& shape = x.shape();
  if (shape.size() != 2 || shape[0] < q.shape()[0] || shape[1] != q.shape()[2] / 2)
    invalid(formatted("{}: {} is {}; for q {} it has to be [{}, {}], or have more positions", name, called,
                      shape.to_string(), q.shape().to_string(), q.shape()[0], q.shape()[2] / 2));
}

/// A cache, what is stored there, and where.
struct Store {
  std::string_view called;
  const Tensor& rows;
  const Tensor& ids;
  std::int64_t tokens, width;

  void check() const {
    check_activation(name, formatted("{} are", called), rows.dtype());
    check_ids(name, ids);
    const Shape& shape = rows.shape();
    if (shape.size() != 2 || shape[1] != width)
      invalid(formatted("{}: {} are {}; they have to be [rows, {}]", name, called, shape.to_string(), width));
    if (shape[1] > 1 && rows.layout().strides[1] != 1)
      invalid(formatted("{}: elements of {} are {} apart; rows have to be contiguous", name, called,
                        rows.layout().strides[1]));
    if (ids.shape().size() != 1 || ids.shape()[0] != tokens)
      invalid(formatted("{}: ids of {} are {}; they have to be [{}]", name, called, ids.shape().to_string(),
                        tokens));
  }

  void add(Arguments& arguments, const Tensor& in_order, std::int64_t first) const {
    arguments.add(rows.data())
        .add(activation_type(rows.dtype()))
        .add(rows.layout().strides[0])
        .add(element_address(in_order, first))
        .add(static_cast<std::uint32_t>(ids.dtype()))
        .add(rows.shape()[0]);
  }
};

void check_all(Inputs tensors) {
  check_tensors(name, tensors);
  constexpr std::array names{"q", "k", "v", "cos", "sin"};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (tensors[i]->dtype() != DType::f32)
      invalid(formatted("{}: {} is {}; it has to be f32", name, names[i], name_of(tensors[i]->dtype())));
  const Tensor &q = *tensors[0], &v = *tensors[2];
  check_heads("q", q, q);
  check_heads("k", *tensors[1], q);
  if (v.shape().size() != 2 || v.shape()[0] != q.shape()[0])
    invalid(formatted("{}: v is {}; for q {} it has to be [{}, n]", name, v.shape().to_string(),
                      q.shape().to_string(), q.shape()[0]));
  check_angles("cos", *tensors[3], q);
  check_angles("sin", *tensors[4], q);
}

}  // namespace

Tensor rope_set_rows(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& cos, const Tensor& sin,
                     const Tensor& keys, const Tensor& key_ids, const Tensor& values, const Tensor& value_ids,
                     bool are_neighbours, const CallOptions& options) {
  const std::array<const Tensor*, 9> all{&q, &k, &v, &cos, &sin, &key_ids, &value_ids, &keys, &values};
  check_all(all);
  const Inputs read = Inputs(all).first(7);
  const std::int64_t tokens = q.shape()[0], heads = q.shape()[1], key_heads = k.shape()[1], d = q.shape()[2],
                     width = v.shape()[1];
  const Store of_keys{"keys", keys, key_ids, tokens, key_heads * d},
      of_values{"values", values, value_ids, tokens, width};
  of_keys.check();
  of_values.check();
  check_apart(name, "keys", keys, read);
  check_apart(name, "values", values, Inputs(all).first(8));
  const Device& device = q.device();
  const Tensor out =
      output(name, device, q.shape(), DType::f32, options, Inputs(all).first(1), InPlace::allowed);
  const Tensor* const written[] = {&keys, &values};
  check_apart(name, "out", out, Inputs(all).subspan(1));
  use_operands(options.stream, read, written);
  if (tokens == 0) return out;

  const Tensor of_q = make_rows_contiguous(q, options.stream), of_k = make_rows_contiguous(k, options.stream),
               of_v = make_rows_contiguous(v, options.stream),
               cosines = make_rows_contiguous(cos, options.stream),
               sines = make_rows_contiguous(sin, options.stream),
               key_order = make_contiguous(key_ids, options.stream),
               value_order = make_contiguous(value_ids, options.stream);
  DeviceState& state = state_of(device);
  const DeviceTraits traits = traits_of(state);
  const Operation operation = Operation::builtin(device, Builtin::rope_set_rows);
  const std::uint32_t kernel = operation.kernel({}, operation.form("heads"));
  const std::uint32_t group = traits.on_cpu() ? 1 : power_of_two(d / 2, kg::block_threads);
  const std::int64_t part = traits.on_cpu() ? std::max<std::int64_t>(width, 1) : std::int64_t{2} * group;
  const std::int64_t each = heads + key_heads + quotient_up(width, part);
  if (each == 0) return out;
  if (each > launch_limit || width > launch_limit || d > launch_limit)
    throw Error(Code::unsupported,
                formatted("{}: q is {}, k {}, v {}; a token has to have fewer heads", name,
                          q.shape().to_string(), k.shape().to_string(), v.shape().to_string()));
  const IndexFaults::Call call(state.index_faults(), *state.fault_queue(options.stream));
  const std::int64_t step = launch_limit / each;
  for (std::int64_t first = 0; first < tokens; first += step) {
    const std::int64_t count = std::min(step, tokens - first);
    const auto at = [&](const Tensor& x) { return element_address(x, first * x.layout().strides[0]); };
    Arguments arguments;
    arguments.add(at(of_q))
        .add(of_q.layout().strides[0])
        .add(of_q.layout().strides[1])
        .add(static_cast<std::uint32_t>(heads))
        .add(at(out))
        .add(at(of_k))
        .add(of_k.layout().strides[0])
        .add(of_k.layout().strides[1])
        .add(static_cast<std::uint32_t>(key_heads))
        .add(at(of_v))
        .add(of_v.layout().strides[0])
        .add(static_cast<std::uint32_t>(width))
        .add(at(cosines))
        .add(at(sines))
        .add(cosines.layout().strides[0])
        .add(sines.layout().strides[0])
        .add(static_cast<std::uint32_t>(d / 2))
        .add(std::uint32_t{are_neighbours});
    of_keys.add(arguments, key_order, first);
    of_values.add(arguments, value_order, first);
    arguments.add(static_cast<std::uint32_t>(count))
        .add(first)
        .add(tokens)
        .add(static_cast<std::uint32_t>(part))
        .add(group)
        .add(call.record())
        .add(call.number(0))
        .add(&operation_of_rows);
    const LaunchShape shape =
        traits.on_cpu() ? cpu_task_grid(count * each, count * ((heads + key_heads) * d + width), traits)
                        : group_grid(count * each, group);
    launch(device, kernel, shape, arguments, options.stream);
  }
  return out;
}

}  // namespace kernelgen
