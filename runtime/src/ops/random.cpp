#include "common/format.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>

#include "device/device_state.hpp"
#include "ops/launch.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/scalar_element.hpp"
#include "ops/traits.hpp"
#include "plan/grid.hpp"

namespace kernelgen {
namespace {

Tensor generate(Builtin op, const Device& device, const Shape& shape, DType dtype, const Scalar& a,
                const Scalar& b, const CallOptions& options) {
  const Operation operation = Operation::builtin(device, op);
  const std::uint32_t kernel = operation.kernel({&dtype, 1}, operation.form("contiguous"));
  const Tensor out = output(operation.name(), device, shape, dtype, options, {});
  state_of(device).refuse_in_capture("random numbers, which every launch would repeat,");
  const RandomState::Draw draw = state_of(device).random().next();
  const std::int64_t elements = out.elements();
  if (elements == 0) return out;
  Arguments arguments;
  arguments.add(out.data()).add(elements).add(draw.seed).add(draw.call);
  ScalarElement(a, dtype).add_to(arguments);
  ScalarElement(b, dtype).add_to(arguments);
  // Four accesses per thread amortize the rounds of the key.
  const int per_thread = static_cast<int>(4 * 16 / size_of(dtype));
  launch(device, kernel, element_grid(elements, per_thread, traits_of(device)), arguments, options.stream);
  return out;
}

/// A float's rank in the order of its dtype, both zeros 0: bounds are compared after rounding, as the kernel
/// sees them.
std::int64_t order(const Scalar& scalar, DType dtype) {
  std::uint64_t bits = 0;
  scalar.store(dtype, &bits);
  const std::uint64_t sign = std::uint64_t{1} << (8 * size_of(dtype) - 1);
  const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

/// Throws Error if the number is NaN or not representable in `dtype`. Integer dtypes have no kernel, which is
/// reported later.
void need_finite(std::string_view name, std::string_view role, const Scalar& value, DType dtype) {
  if (!is_float(dtype)) return;
  const std::int64_t infinity = order(std::numeric_limits<double>::infinity(), dtype);
  // f8e4m3 has no infinity: larger numbers saturate to 448.
  if (!std::isfinite(value.real()) || (dtype != DType::f8e4m3 && std::abs(order(value, dtype)) >= infinity))
    invalid(formatted("{}: {} is {}, which is not a finite {}", name, role, value.real(), name_of(dtype)));
}

const Device& need_device(std::string_view name, const Device& device) {
  if (!device) invalid(formatted("{}: the device is default-constructed; Device::open gives one", name));
  return device;
}

}  // namespace

Tensor rand_uniform(const Device& device, const Shape& shape, DType dtype, const Scalar& low,
                    const Scalar& high, const CallOptions& options) {
  constexpr std::string_view name = "rand_uniform";
  need_device(name, device);
  need_finite(name, "low", low, dtype);
  need_finite(name, "high", high, dtype);
  if (is_float(dtype) && order(low, dtype) >= order(high, dtype))
    invalid(formatted("{}: no {} is in [{}, {}); low must be less than high", name, name_of(dtype),
                      low.real(), high.real()));
  return generate(Builtin::rand_uniform, device, shape, dtype, low, high, options);
}

Tensor rand_normal(const Device& device, const Shape& shape, DType dtype, const Scalar& mean,
                   const Scalar& deviation, const CallOptions& options) {
  constexpr std::string_view name = "rand_normal";
  need_device(name, device);
  need_finite(name, "mean", mean, dtype);
  need_finite(name, "std", deviation, dtype);
  if (deviation.real() < 0)
    invalid(formatted("{}: std is {}; it must not be negative", name, deviation.real()));
  return generate(Builtin::rand_normal, device, shape, dtype, mean, deviation, options);
}

}  // namespace kernelgen
