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

Tensor CallDrawer::tensor(const Device& device, const Shape& shape, DType type) {
  std::int64_t elements = 1;
  for (const std::int64_t dim : shape) elements *= dim;
  const std::size_t size = size_of(type);
  std::vector<std::byte> bytes(static_cast<std::size_t>(elements) * size);
  for (std::size_t at = 0; at < bytes.size(); at += size)
    if (is_float(type))
      Scalar(static_cast<double>(below(2001)) / 1000 - 1).store(type, &bytes[at]);
    else
      Scalar(static_cast<std::int64_t>(below(8))).store(type, &bytes[at]);
  return Tensor::from_host(device, bytes, shape, type);
}

DrawnCall CallDrawer::draw(const Device& device) {
  std::map<std::string, DType> types;
  for (const TypeVariable& variable : operation_.types)
    types[variable.name] = static_cast<DType>(variable.values[below(variable.values.size())]);
  DrawnCall call;
  std::vector<std::int64_t> extents;
  const bool has_one_shape = below(2) == 0;
  for (const Operand& input : operation_.inputs) {
    const auto variable = types.find(input.type);
    const DType type =
        variable != types.end() ? variable->second : static_cast<DType>(*parse_element(input.type));
    const Shape drawn = has_one_shape && !call.inputs.empty() ? call.inputs[0].shape() : shape(extents);
    call.inputs.push_back(tensor(device, drawn, type));
  }
  call.scalars.assign(operation_.scalars.size(), Scalar(1));
  return call;
}

}  // namespace kernelgen::tool
