#include "common/format.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "device/device_state.hpp"
#include "ops/grid.hpp"
#include "ops/launch.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"

namespace kernelgen {
namespace {

/// A scalar as the kernel gets it.
struct Element {
  Element(const Scalar& scalar, DType dtype) : size(size_of(dtype)) { scalar.store(dtype, bytes); }
  std::byte bytes[8];
  std::size_t size;
};

Tensor generate(Builtin op, const Device& device, const Shape& shape, DType dtype, const Scalar& a,
                const Scalar& b, const CallOptions& options) {
  const Operation operation = Operation::builtin(device, op);
  const std::uint32_t kernel = operation.kernel({&dtype, 1}, operation.form("contiguous"));
  const Tensor out = output(operation.name(), device, shape, dtype, options, {});
  state_of(device).refuse_in_capture("random numbers, which every launch would repeat,");
  const RandomState::Draw draw = state_of(device).random().next();
  const std::int64_t elements = out.elements();
  if (elements == 0) return out;
  const Element first(a, dtype), second(b, dtype);
  const Arguments arguments = Arguments()
                                  .add(out.data())
                                  .add(elements)
                                  .add(draw.seed)
                                  .add(draw.call)
                                  .add(first.bytes, first.size, first.size)
                                  .add(second.bytes, second.size, second.size);
  // Four accesses a thread: the key's rounds are computed once for all of them.
  const int per_thread = static_cast<int>(4 * 16 / first.size);
  launch(device, kernel, element_grid(state_of(device), elements, per_thread), arguments, options.stream);
  return out;
}

/// A float's place in the order of its dtype, both zeros 0: bounds are compared as the kernel gets them.
std::int64_t order(const Scalar& scalar, DType dtype) {
  const Element element(scalar, dtype);
  std::uint64_t bits = 0;
  std::memcpy(&bits, element.bytes, element.size);
  const std::uint64_t sign = std::uint64_t{1} << (8 * element.size - 1);
  const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

/// Refuses a number that is none, or that `dtype` cannot hold. Integers have no kernel, which is said later.
void need_finite(std::string_view name, std::string_view role, const Scalar& value, DType dtype) {
  if (!is_float(dtype)) return;
  const std::int64_t infinity = order(std::numeric_limits<double>::infinity(), dtype);
  // f8e4m3 has no infinity: too large a number is 448.
  if (!std::isfinite(value.real()) || (dtype != DType::f8e4m3 && std::abs(order(value, dtype)) >= infinity))
    invalid(formatted("{}: {} is {}, which is no finite {}", name, role, value.real(), name_of(dtype)));
}

const Device& need_device(std::string_view name, const Device& device) {
  if (!device) invalid(formatted("{}: the device is none; Device::open gives one", name));
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
    invalid(formatted("{}: no {} lies in [{}, {}); low must be less than high", name, name_of(dtype),
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
