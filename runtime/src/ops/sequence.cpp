#include <algorithm>
#include <bit>
#include <cmath>

#include "common/format.hpp"

#include "device/device_state.hpp"
#include "kernelgen/ops.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/traits.hpp"
#include "plan/grid.hpp"

namespace kernelgen {
namespace {

/// The number as `dtype` has it. Throws Error(invalid_argument) if an integer dtype does not.
std::int64_t integer_of(const Scalar& scalar, DType dtype) {
  std::byte element[8];
  scalar.store(dtype, element);  // throws
  return scalar.is_real() ? static_cast<std::int64_t>(scalar.real()) : scalar.integer();
}

std::int64_t count_of(std::int64_t start, std::int64_t stop, std::int64_t step) {
  // Of 128 bits: the distance of two 64-bit numbers may not fit 64.
  __extension__ using Wide = __int128;
  const Wide distance = Wide{stop} - start, count = (distance + step - (step > 0 ? 1 : -1)) / step;
  if (count >= Wide{1} << 63) invalid("arange: there are more than 2^63 - 1 elements from start to stop");
  return static_cast<std::int64_t>(std::max<Wide>(count, 0));
}

std::int64_t count_of(double start, double stop, double step) {
  const double count = std::ceil((stop - start) / step);
  if (count >= 0x1p63) invalid("arange: there are more than 2^63 - 1 elements from start to stop");
  return count > 0 ? static_cast<std::int64_t>(count) : 0;
}

}  // namespace

Tensor arange(const Device& device, const Scalar& start, const Scalar& stop, const Scalar& step, DType dtype,
              const CallOptions& options) {
  constexpr std::string_view name = "arange";
  if (!device) invalid("arange: the device is default-constructed; Device::open gives one");
  for (const Scalar* number : {&start, &stop, &step})
    if (!std::isfinite(number->real()))
      invalid(formatted("{}: start, stop or step is {}; they have to be finite", name, number->real()));
  if (step.real() == 0) invalid("arange: step is 0; it has to lead from start to stop");
  const Operation operation = Operation::builtin(device, Builtin::arange);
  const std::uint32_t kernel = operation.kernel({&dtype, 1}, operation.form("elements"));
  std::uint64_t first, distance;
  std::int64_t count;
  if (is_float(dtype)) {
    first = std::bit_cast<std::uint64_t>(start.real());
    distance = std::bit_cast<std::uint64_t>(step.real());
    count = count_of(start.real(), stop.real(), step.real());
  } else {
    const std::int64_t from = integer_of(start, dtype), by = integer_of(step, DType::i64);
    first = static_cast<std::uint64_t>(from);
    distance = static_cast<std::uint64_t>(by);
    count = count_of(from, integer_of(stop, DType::i64), by);
  }
  const Tensor out = output(name, device, {count}, dtype, options, {});
  if (count == 0) return out;
  const Arguments arguments = Arguments().add(out.data()).add(count).add(first).add(distance);
  launch(device, kernel, element_grid(count, 1, traits_of(device)), arguments, options.stream);
  return out;
}

Tensor timestep_embedding(const Tensor& x, std::int64_t columns, double max_period,
                          const CallOptions& options) {
  constexpr std::string_view name = "timestep_embedding";
  const Tensor* const input = &x;
  check_inputs(name, {&input, 1});
  if (x.shape().size() != 1)
    invalid(formatted("{}: x is {}; it has to be of rank 1", name, x.shape().to_string()));
  if (columns < 0 || columns > 0x7fffffff)
    invalid(formatted("{}: columns is {}; it has to be from 0 to 2^31 - 1", name, columns));
  if (!(max_period > 0 && std::isfinite(max_period)))
    invalid(formatted("{}: max_period is {}; it has to be positive and finite", name, max_period));
  const Device& device = x.device();
  const Operation operation = Operation::builtin(device, Builtin::timestep_embedding);
  const DType type = x.dtype();
  const std::uint32_t kernel = operation.kernel({&type, 1}, operation.form("rows"));
  const Tensor out = output(name, device, {x.shape()[0], columns}, type, options, {&input, 1});
  if (out.elements() == 0) return out;
  const Tensor source = make_contiguous(x, options.stream);
  const double rate = columns < 2 ? 0 : -std::log(max_period) / static_cast<double>(columns / 2);
  const Arguments arguments = Arguments()
                                  .add(source.data())
                                  .add(out.data())
                                  .add(x.shape()[0])
                                  .add(static_cast<std::uint32_t>(columns))
                                  .add(rate);
  launch(device, kernel, element_grid(out.elements(), 1, traits_of(device)), arguments, options.stream);
  return out;
}

}  // namespace kernelgen
