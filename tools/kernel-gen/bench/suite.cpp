#include "bench/suite.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/fault.hpp"
#include "run/runnable.hpp"

namespace kernelgen::tool {
namespace {

double bytes_in(const Tensor& tensor) {
  return static_cast<double>(bytes_of(tensor.dtype(), tensor.elements()));
}

/// Numbers in [low, high), the same on every device.
Tensor numbers(const Device& device, const Shape& shape, DType dtype, std::array<double, 2> range,
               std::uint32_t seed) {
  const auto count = static_cast<std::size_t>(Layout::contiguous(shape).elements());
  const auto low = static_cast<float>(range[0]), width = static_cast<float>(range[1] - range[0]);
  std::vector<float> values(count);
  std::uint32_t state = seed * 2654435761u + 1;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;  // Numerical Recipes' generator: only speed matters here
    value = low + width * std::ldexp(static_cast<float>(state >> 8), -24);
  }
  const Tensor x = Tensor::from_host(device, std::as_bytes(std::span(values)), shape, DType::f32);
  return dtype == DType::f32 ? x : to_dtype(x, dtype);
}

/// A million of such numbers in blocks, over and over: finding scales for them all would take longer than what is timed.
Tensor blocks(const Device& device, const Shape& shape, DType dtype, std::array<double, 2> range,
              std::uint32_t seed) {
  const std::int64_t elements = Layout::contiguous(shape).elements(),
                     different = std::min<std::int64_t>(elements, 1 << 20);
  const std::vector<std::byte> once =
      quantize(numbers(device, {different}, DType::f32, range, seed), dtype).to_host();
  std::vector<std::byte> bytes(static_cast<std::size_t>(bytes_of(dtype, elements)));
  for (std::size_t at = 0; at < bytes.size(); at += once.size())
    std::copy_n(once.begin(), std::min(once.size(), bytes.size() - at),
                bytes.begin() + static_cast<std::ptrdiff_t>(at));
  return Tensor::from_host(device, bytes, shape, dtype);
}

/// Integers in [0, below), the same on every device.
Tensor integers(const Device& device, const Shape& shape, DType dtype, std::int64_t below) {
  std::vector<std::uint32_t> values(static_cast<std::size_t>(Layout::contiguous(shape).elements()));
  std::uint64_t state = 1;
  for (std::uint32_t& value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX generator
    value = static_cast<std::uint32_t>((state >> 33) % static_cast<std::uint64_t>(below));
  }
  const Tensor ids = Tensor::from_host(device, std::as_bytes(std::span(values)), shape, DType::u32);
  return dtype == DType::u32 ? ids : to_dtype(ids, dtype);
}

Tensor make_input(const Device& device, const CaseInput& input, DType dtype, const Extents& extents,
                  std::uint32_t seed) {
  const Shape shape(extents.integers(input.shape));
  const DType own = input.dtype.value_or(dtype);
  const Tensor tensor = !input.below.empty() ? integers(device, shape, own, extents.integer(input.below))
                        : is_quantized(own)  ? blocks(device, shape, own, input.range, seed)
                                             : numbers(device, shape, own, input.range, seed);
  if (!input.transposed) return tensor;
  return tensor.transpose((*input.transposed)[0], (*input.transposed)[1]);
}

std::vector<std::string> parameter_texts(const CaseFamily& family, const Extents& extents) {
  std::vector<std::string> texts;
  for (const CaseParameter& parameter : family.parameters)
    texts.push_back(fmt::format("{}={}", parameter.name,
                                parameter.values.empty()
                                    ? parameter.text
                                    : fmt::format("{}", fmt::join(extents.integers(parameter.values), ","))));
  return texts;
}

BenchCase::Prepared prepare(const CaseFamily& family, DType dtype, const Extents& extents,
                            const Device& device) {
  const Runnable runnable = find_runnable(device.package(), family.operation);
  if (!runnable.takes(family.inputs.size()))
    throw BadInput(Fault{"",
                         "",
                         fmt::format("bench case '{}': {} takes {} inputs, not {}", family.name,
                                     runnable.name, runnable.inputs.size(), family.inputs.size()),
                         {}});
  const BoundCall bound =
      runnable.bind(ParameterValues(runnable.name, runnable.parameters, parameter_texts(family, extents)));
  BenchCase::Prepared prepared;
  std::vector<Tensor> inputs;
  for (const CaseInput& input : family.inputs) {
    inputs.push_back(
        make_input(device, input, dtype, extents, static_cast<std::uint32_t>(inputs.size() + 1)));
    if (!input.overwritten) prepared.bytes += bytes_in(inputs.back());
  }
  std::vector<Tensor> out = bound({.device = device, .inputs = inputs});
  for (const Tensor& output : out) prepared.bytes += bytes_in(output);
  if (runnable.in_place) out.clear();
  prepared.shape = Shape(extents.values()).to_string();
  prepared.operations = extents.evaluate(family.flops).value();
  prepared.run = [=] { return bound({.device = device, .inputs = inputs, .out = out}).front(); };
  return prepared;
}

std::string case_name(const std::string& pattern, DType dtype) {
  constexpr std::string_view placeholder = "{dtype}";
  const std::size_t at = pattern.find(placeholder);
  if (at == std::string::npos) return pattern;
  return std::string(pattern).replace(at, placeholder.size(), name_of(dtype));
}

}  // namespace

std::vector<BenchCase> bench_cases(const std::vector<CaseFamily>& families, DeviceKind kind) {
  std::vector<BenchCase> cases;
  for (const CaseFamily& family : families)
    for (const Extents& extents : kind == DeviceKind::cpu ? family.cpu : family.gpu)
      for (const DType dtype : family.dtypes)
        cases.push_back({case_name(family.name, dtype), Shape(extents.values()).to_string(),
                         [=](const Device& device, std::int64_t scale) {
                           return prepare(family, dtype, extents.scaled_down(scale), device);
                         },
                         extents.evaluate(family.terms).value(), family.tolerance});
  return cases;
}

}  // namespace kernelgen::tool
