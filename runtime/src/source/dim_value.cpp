/// The values of dim expressions in a call.
#include <algorithm>
#include <bit>

#include "common/format.hpp"
#include "source/dim_expression.hpp"

namespace kernelgen {
namespace {

[[noreturn]] void overflow(std::string_view operation) {
  throw DimFault{formatted("'{}' overflows 64 bits", operation)};
}

std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t value = 0;
  if (__builtin_mul_overflow(a, b, &value)) overflow("*");
  return value;
}

std::int64_t quotient(std::string_view operation, std::int64_t a, std::int64_t b) {
  if (b == 0) throw DimFault{formatted("'{}' divides {} by 0", operation, a)};
  if (b == -1 && a == INT64_MIN) overflow(operation);
  return a / b;
}

std::int64_t quotient_up(std::string_view operation, std::int64_t a, std::int64_t b) {
  const std::int64_t value = quotient(operation, a, b);
  return value + (value * b != a && (a > 0) == (b > 0) ? 1 : 0);
}

std::int64_t next_power(std::int64_t least) {
  if (least > std::int64_t{1} << 62) overflow("next_pow2");
  return least < 1 ? 1 : static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(least)));
}

}  // namespace

std::int64_t DimExpression::value(const DimValues& values, std::size_t index) const {
  return evaluate(roots_[index], values);
}

std::vector<std::int64_t> DimExpression::extents(const DimValues& values) const {
  std::vector<std::int64_t> all;
  for (const std::int32_t root : roots_) {
    if (const Node& node = nodes_[static_cast<std::size_t>(root)]; node.kind == Kind::slice) {
      const auto dims = slice(node, values);
      all.insert(all.end(), dims.begin(), dims.end());
      continue;
    }
    all.push_back(evaluate(root, values));
    if (all.back() < 0) throw DimFault{formatted("extent {} is {}", all.size() - 1, all.back())};
  }
  return all;
}

std::int64_t DimExpression::evaluate(std::int32_t at, const DimValues& values) const {
  const Node& node = nodes_[static_cast<std::size_t>(at)];
  const auto operand = [&](int i) { return evaluate(node.operands[i], values); };
  const auto of_tensor = [&](int i) -> const Node& {
    return nodes_[static_cast<std::size_t>(node.operands[i])];
  };
  switch (node.kind) {
    case Kind::literal:
      return node.value;
    case Kind::number:
      return values.numbers[static_cast<std::size_t>(node.value)];
    case Kind::dim: {
      const auto shape = values.shapes[static_cast<std::size_t>(node.value)];
      const auto rank = static_cast<std::int64_t>(shape.size()), dim = operand(0);
      if (dim < -rank || dim >= rank)
        throw DimFault{formatted("{} has rank {}, so no dim {}",
                                 tensors_[static_cast<std::size_t>(node.value)], rank, dim)};
      return shape[static_cast<std::size_t>(dim < 0 ? dim + rank : dim)];
    }
    case Kind::rank:
      return static_cast<std::int64_t>(slice(of_tensor(0), values).size());
    case Kind::size: {
      std::int64_t size = 1;
      for (const std::int64_t extent : slice(of_tensor(0), values)) size = product(size, extent);
      return size;
    }
    case Kind::axis: {
      const auto rank = static_cast<std::int64_t>(slice(of_tensor(1), values).size()), dim = operand(0);
      if (dim < -rank || dim >= rank)
        throw DimFault{formatted("dim {} is out of range for {}, which has rank {}", dim,
                                 tensors_[static_cast<std::size_t>(of_tensor(1).value)], rank)};
      return dim < 0 ? dim + rank : dim;
    }
    case Kind::bytes:
      if (static_cast<std::size_t>(node.value) >= values.element_bytes.size())
        throw DimFault{
            formatted("the dtype of {} is not known here", tensors_[static_cast<std::size_t>(node.value)])};
      return values.element_bytes[static_cast<std::size_t>(node.value)];
    case Kind::unary:
      if (node.operation == "!") return operand(0) == 0 ? 1 : 0;
      return product(-1, operand(0));
    case Kind::binary:
      return binary(node, values);
    case Kind::function: {
      const std::int64_t a = operand(0);
      if (node.operation == "next_pow2") return next_power(a);
      const std::int64_t b = operand(1);
      if (node.operation == "min") return std::min(a, b);
      if (node.operation == "max") return std::max(a, b);
      const std::int64_t up = quotient_up(node.operation, a, b);
      return node.operation == "ceil_div" ? up : product(up, b);
    }
    default:  // conditional
      return operand(operand(0) != 0 ? 1 : 2);
  }
}

std::int64_t DimExpression::binary(const Node& node, const DimValues& values) const {
  const std::string_view operation = node.operation;
  const std::int64_t a = evaluate(node.operands[0], values);
  if (operation == "&&" && a == 0) return 0;
  if (operation == "||" && a != 0) return 1;
  const std::int64_t b = evaluate(node.operands[1], values);
  std::int64_t value = 0;
  if (operation == "+" ? __builtin_add_overflow(a, b, &value)
                       : operation == "-" && __builtin_sub_overflow(a, b, &value))
    overflow(operation);
  if (operation == "+" || operation == "-") return value;
  if (operation == "*") return product(a, b);
  if (operation == "/") return quotient(operation, a, b);
  if (operation == "%") return a - quotient(operation, a, b) * b;
  const bool is_true = operation == "=="   ? a == b
                       : operation == "!=" ? a != b
                       : operation == "<"  ? a < b
                       : operation == ">"  ? a > b
                       : operation == "<=" ? a <= b
                       : operation == ">=" ? a >= b
                                           : b != 0;  // the other side of && and || decides
  return is_true ? 1 : 0;
}

std::int64_t DimExpression::bound(std::int32_t node, std::int64_t otherwise, std::int64_t rank,
                                  const DimValues& values) const {
  if (node < 0) return otherwise;
  const std::int64_t dim = evaluate(node, values);
  return std::clamp<std::int64_t>(dim < 0 ? dim + rank : dim, 0, rank);
}

std::span<const std::int64_t> DimExpression::slice(const Node& node, const DimValues& values) const {
  const auto shape = values.shapes[static_cast<std::size_t>(node.value)];
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::int64_t from = bound(node.operands[0], 0, rank, values),
                     to = bound(node.operands[1], rank, rank, values);
  return from < to ? shape.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from))
                   : shape.first(0);
}

}  // namespace kernelgen
