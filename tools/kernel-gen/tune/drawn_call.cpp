#include "tune/drawn_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "manifest/types.hpp"

namespace kernelgen::tool {

std::string DrawnCall::describe(const OperationEntry& operation) const {
  std::string text;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    text += fmt::format("{}{} {} {}", i == 0 ? "" : ", ", operation.inputs[i].name,
                        name_of(inputs[i].dtype()), inputs[i].shape().to_string());
  for (std::size_t i = 0; i < scalars.size(); ++i)
    text += scalars[i].is_real() ? fmt::format(", {}={}", operation.scalars[i].name, scalars[i].real())
                                 : fmt::format(", {}={}", operation.scalars[i].name, scalars[i].integer());
  return text;
}

/// Every second one is a power of 2, as extents of models are.
std::int64_t CallDrawer::extent(int bits) {
  const double exponent = static_cast<double>(below(1u << 20)) / (1u << 20) * bits;
  return below(2) == 0 ? std::int64_t{1} << std::lround(exponent)
                       : std::max(std::int64_t{1}, static_cast<std::int64_t>(std::exp2(exponent)));
}

/// Of `extents`, or of new ones, which are added to them.
Shape CallDrawer::shape(std::vector<std::int64_t>& extents) {
  const auto rank = static_cast<std::size_t>(1 + below(3));
  std::vector<std::int64_t> dims;
  int bits = most_bits_;
  for (std::size_t d = 0; d < rank; ++d) {
    std::int64_t drawn = !extents.empty() && below(2) == 0 ? extents[below(extents.size())] : 0;
    if (drawn == 0 || std::log2(static_cast<double>(drawn)) > bits) {
      // The last dim takes what the others leave: calls of few elements say little about constants.
      drawn = d + 1 == rank ? std::int64_t{1} << std::max(0, bits - static_cast<int>(below(4)))
                            : extent(bits / 2);
      if (below(2) == 0) drawn = std::max(std::int64_t{1}, drawn - static_cast<std::int64_t>(below(7)));
      extents.push_back(drawn);
    }
    bits -= static_cast<int>(std::ceil(std::log2(static_cast<double>(drawn))));
    dims.push_back(drawn);
  }
  return Shape(dims);
}

DrawSource CallDrawer::source() {
  return {[this](std::int64_t low, std::int64_t high) {
            return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
          },
          // A named dim may be the only one.
          [this](std::size_t) { return extent(below(2) == 0 ? most_bits_ : most_bits_ / 2); },
          [](const std::string&) { return 1.0; }};
}

Tensor CallDrawer::tensor(const Device& device, const Shape& shape, DType type,
                          const std::pair<double, double>* range) {
  std::int64_t elements = 1;
  for (const std::int64_t dim : shape) elements *= dim;
  const std::size_t size = size_of(type);
  std::vector<std::byte> bytes(static_cast<std::size_t>(elements) * size);
  const DrawSource source = this->source();
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    const double value = range != nullptr ? drawn_between(source, type, range->first, range->second)
                         : is_float(type) ? static_cast<double>(below(2001)) / 1000 - 1
                                          : static_cast<double>(below(8));
    (is_float(type) ? Scalar(value) : Scalar(static_cast<std::int64_t>(value))).store(type, &bytes[at]);
  }
  return Tensor::from_host(device, bytes, shape, type);
}

DrawnCall CallDrawer::draw(const Device& device) {
  std::map<std::string, DType> types;
  for (const TypeVariable& variable : operation_.types)
    types[variable.name] = static_cast<DType>(variable.values[below(variable.values.size())]);
  const auto type_of = [&](const Operand& operand) {
    const auto variable = types.find(operand.type);
    return variable != types.end() ? variable->second : static_cast<DType>(*parse_element(operand.type));
  };
  std::map<std::string, DType> scalar_types;
  for (const Operand& scalar : operation_.scalars) scalar_types[scalar.name] = type_of(scalar);
  const GivenDraws given =
      draw_given(reference_, scalar_types, source(), static_cast<std::size_t>(1) << most_bits_);
  DrawnCall call;
  std::vector<std::int64_t> extents;
  const bool has_one_shape = below(2) == 0;
  for (const Operand& input : operation_.inputs) {
    const auto named = given.shapes.find(input.name);
    const auto range = given.ranges.find(input.name);
    const Shape drawn = named != given.shapes.end()             ? Shape(named->second)
                        : has_one_shape && !call.inputs.empty() ? call.inputs[0].shape()
                                                                : shape(extents);
    call.inputs.push_back(
        tensor(device, drawn, type_of(input), range == given.ranges.end() ? nullptr : &range->second));
  }
  for (const Operand& scalar : operation_.scalars) {
    const auto value = std::ranges::find(given.scalars, scalar.name, &std::pair<std::string, double>::first);
    const double number = value == given.scalars.end() ? 1 : value->second;
    call.scalars.push_back(is_float(type_of(scalar)) ? Scalar(number)
                                                     : Scalar(static_cast<std::int64_t>(number)));
  }
  return call;
}

}  // namespace kernelgen::tool
