#include "array/array_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kernelgen::tool {
namespace {

struct Operator {
  std::string_view text;
  double (*f)(double, double);
};

constexpr Operator operators[] = {
    {"+", [](double a, double b) { return a + b; }},
    {"-", [](double a, double b) { return a - b; }},
    {"*", [](double a, double b) { return a * b; }},
    {"/", [](double a, double b) { return a / b; }},
    {"//", [](double a, double b) { return std::floor(a / b); }},
    {"%", [](double a, double b) { return a - std::floor(a / b) * b; }},
    {"**", [](double a, double b) { return std::pow(a, b); }},
    {"<<", [](double a, double b) { return std::ldexp(a, static_cast<int>(whole_number(b))); }},
    {">>", [](double a, double b) { return std::floor(std::ldexp(a, -static_cast<int>(whole_number(b)))); }},
    {"&", [](double a, double b) { return static_cast<double>(whole_number(a) & whole_number(b)); }},
    {"|", [](double a, double b) { return static_cast<double>(whole_number(a) | whole_number(b)); }},
    {"^", [](double a, double b) { return static_cast<double>(whole_number(a) ^ whole_number(b)); }},
};
constexpr Operator comparisons[] = {
    {"==", [](double a, double b) { return a == b ? 1.0 : 0.0; }},
    {"!=", [](double a, double b) { return a != b ? 1.0 : 0.0; }},
    {"<", [](double a, double b) { return a < b ? 1.0 : 0.0; }},
    {">", [](double a, double b) { return a > b ? 1.0 : 0.0; }},
    {"<=", [](double a, double b) { return a <= b ? 1.0 : 0.0; }},
    {">=", [](double a, double b) { return a >= b ? 1.0 : 0.0; }},
};

Array combined(const std::string& name, const Array& a, const Array& b) {
  if (name == "@")
    return find_array_function("matmul")->call(ArrayCall({ArrayValue::of(a), ArrayValue::of(b)})).array;
  const auto* const comparison = std::ranges::find(comparisons, name, &Operator::text);
  const bool compares = comparison != std::end(comparisons);
  Array result =
      for_each(a, b, compares ? comparison->f : std::ranges::find(operators, name, &Operator::text)->f);
  result.is_truth = compares || (a.is_truth && b.is_truth && (name == "&" || name == "|" || name == "^"));
  return result;
}

Array negated(const std::string& sign, Array x) {
  if (sign == "-") return for_each(std::move(x), [](double v) { return -v; });
  if (sign == "+") return x;
  const bool is_truth = x.is_truth;
  x = for_each(std::move(x),
               [=](double v) { return is_truth ? 1 - v : static_cast<double>(~whole_number(v)); });
  x.is_truth = is_truth;
  return x;
}

}  // namespace

ArrayValue ArrayExpression::value(const ArrayNames& names) const { return evaluate(root_, names); }

ArrayValue ArrayExpression::evaluate(std::int32_t at, const ArrayNames& names) const {
  const Node& node = nodes_[static_cast<std::size_t>(at)];
  try {
    return evaluate(node, names);
  } catch (const ArrayFault& fault) {
    // The innermost node has named its column already.
    if (fault.why.starts_with("column ")) throw;
    throw ArrayFault{fmt::format("column {}: {}", node.column, fault.why)};
  }
}

Array ArrayExpression::operand(std::int32_t at, const ArrayNames& names) const {
  ArrayValue value = evaluate(at, names);
  if (value.kind != ArrayValue::Kind::array) throw ArrayFault{"an array is expected, not a tuple or None"};
  return std::move(value.array);
}

ArrayValue ArrayExpression::evaluate(const Node& node, const ArrayNames& names) const {
  switch (node.kind) {
    case Kind::value:
      return node.value;
    case Kind::name:
      return names.at(node.name);
    case Kind::unary:
      return ArrayValue::of(negated(node.name, operand(node.operands[0], names)));
    case Kind::binary: {
      const ArrayValue left = evaluate(node.operands[0], names);
      if (left.kind == ArrayValue::Kind::tuple && node.name == "+") {
        const ArrayValue right = evaluate(node.operands[1], names);
        ArrayShape both = left.tuple;
        both.insert(both.end(), right.tuple.begin(), right.tuple.end());
        if (right.kind == ArrayValue::Kind::tuple) return ArrayValue::of(std::move(both));
      }
      if (left.kind != ArrayValue::Kind::array) throw ArrayFault{"an array is expected, not a tuple or None"};
      return ArrayValue::of(combined(node.name, left.array, operand(node.operands[1], names)));
    }
    case Kind::call: {
      std::vector<std::optional<ArrayValue>> values;
      for (const std::int32_t argument : node.operands) {
        values.emplace_back();
        if (argument >= 0) values.back() = evaluate(argument, names);
      }
      return node.function->call(ArrayCall(std::move(values)));
    }
    case Kind::attribute:
      return attribute(node, names);
    case Kind::index:
      return indexed(node, names);
    default: {  // tuple
      ArrayShape entries;
      for (const std::int32_t entry : node.operands)
        entries.push_back(ArrayCall({evaluate(entry, names)}).whole(0));
      return ArrayValue::of(std::move(entries));
    }
  }
}

ArrayValue ArrayExpression::attribute(const Node& node, const ArrayNames& names) const {
  const Array x = operand(node.operands[0], names);
  if (node.name == "shape") return ArrayValue::of(x.shape);
  if (node.name == "size") return ArrayValue::of(Array::scalar(static_cast<double>(x.data.size())));
  if (node.name == "ndim") return ArrayValue::of(Array::scalar(static_cast<double>(x.shape.size())));
  return find_array_function("transpose")->call(ArrayCall({ArrayValue::of(x)}));
}

/// The indices that "a:b:c" names of a dim.
Array ArrayExpression::indices(const Entry& slice, std::int64_t extent, const ArrayNames& names) const {
  const auto part = [&](int i) -> std::optional<std::int64_t> {
    if (slice.nodes[i] < 0) return std::nullopt;
    return ArrayCall({evaluate(slice.nodes[i], names)}).whole(0);
  };
  const std::int64_t step = part(2).value_or(1);
  if (step == 0) throw ArrayFault{"a slice has step 0"};
  const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
  const auto bound = [&](std::optional<std::int64_t> given, std::int64_t otherwise) {
    if (!given) return otherwise;
    return std::clamp(*given < 0 ? *given + extent : *given, low, high);
  };
  const std::int64_t first = bound(part(0), step > 0 ? low : high),
                     end = bound(part(1), step > 0 ? high : low);
  Array result{{0}, {}};
  for (std::int64_t i = first; step > 0 ? i < end : i > end; i += step)
    result.data.push_back(static_cast<double>(i));
  result.shape[0] = static_cast<std::int64_t>(result.data.size());
  return result;
}

ArrayValue ArrayExpression::indexed(const Node& node, const ArrayNames& names) const {
  ArrayValue base = evaluate(node.operands[0], names);
  const bool is_tuple = base.kind == ArrayValue::Kind::tuple;
  if (base.kind == ArrayValue::Kind::none) throw ArrayFault{"None has no elements"};
  if (is_tuple) {
    base.array = Array{{static_cast<std::int64_t>(base.tuple.size())}, {}};
    for (const std::int64_t entry : base.tuple) base.array.data.push_back(static_cast<double>(entry));
  }
  Array x = std::move(base.array);
  const auto takes_dim = [](const Entry& entry) {
    return entry.kind == Entry::Kind::value || entry.kind == Entry::Kind::slice;
  };
  const auto dims = static_cast<std::size_t>(std::ranges::count_if(node.entries, takes_dim));
  if (dims > x.shape.size())
    throw ArrayFault{fmt::format("{} indices of an array of shape {}", dims, spell_extents(x.shape))};
  const std::size_t rest = x.shape.size() - dims;
  std::size_t dim = 0, arrays = 0;
  for (const Entry& entry : node.entries) {
    if (entry.kind == Entry::Kind::ellipsis) {
      dim += rest;
    } else if (entry.kind == Entry::Kind::newaxis) {
      x.shape.insert(x.shape.begin() + static_cast<std::ptrdiff_t>(dim++), 1);
    } else if (entry.kind == Entry::Kind::slice) {
      x = taken(x, indices(entry, x.shape[dim], names), dim);
      ++dim;
    } else {
      const Array at = operand(entry.nodes[0], names);
      if (at.is_truth) throw ArrayFault{"a mask cannot be an index; np.where chooses elements"};
      if (at.rank() > 0 && ++arrays > 1)
        throw ArrayFault{"one index at most may be an array; np.take takes along a dim"};
      x = taken(x, at, dim);
      dim += at.shape.size();
    }
  }
  if (!is_tuple || x.shape.empty()) return ArrayValue::of(std::move(x));
  ArrayShape some;
  for (const double entry : x.data) some.push_back(static_cast<std::int64_t>(entry));
  return ArrayValue::of(std::move(some));
}

}  // namespace kernelgen::tool
