#include "array/array_value.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernelgen::tool {

const Array& ArrayCall::array(std::size_t i) const {
  if (!has(i) || values_[i]->kind != ArrayValue::Kind::array)
    throw ArrayFault{"an array is expected, not a tuple or None"};
  return values_[i]->array;
}

double ArrayCall::number(std::size_t i) const {
  const Array& value = array(i);
  if (value.data.size() != 1)
    throw ArrayFault{
        fmt::format("one number is expected, not an array of shape {}", spell_extents(value.shape))};
  return value.data[0];
}

std::int64_t ArrayCall::whole(std::size_t i) const { return whole_number(number(i)); }

ArrayShape ArrayCall::tuple(std::size_t i) const {
  if (has(i) && values_[i]->kind == ArrayValue::Kind::tuple) return values_[i]->tuple;
  return {whole(i)};
}

std::vector<std::size_t> ArrayCall::dims(std::size_t i, const Array& x) const {
  std::vector<std::size_t> dims;
  if (!has(i)) {
    for (std::size_t dim = 0; dim < x.shape.size(); ++dim) dims.push_back(dim);
    return dims;
  }
  for (const std::int64_t axis : tuple(i)) {
    dims.push_back(x.dim(axis));
    if (std::ranges::count(dims, dims.back()) > 1)
      throw ArrayFault{fmt::format("axis {} is given twice", axis)};
  }
  return dims;
}

namespace {

const std::vector<ArrayFunction>& functions() {
  static const std::vector<ArrayFunction> all = [] {
    std::vector<ArrayFunction> list = elementwise_array_functions();
    for (auto& some : {reducing_array_functions(), shaping_array_functions()})
      list.insert(list.end(), some.begin(), some.end());
    std::ranges::sort(list, {}, &ArrayFunction::name);
    return list;
  }();
  return all;
}

}  // namespace

const ArrayFunction* find_array_function(std::string_view name) {
  const auto found = std::ranges::find(functions(), name, &ArrayFunction::name);
  return found == functions().end() ? nullptr : &*found;
}

std::vector<std::string> array_function_names() {
  std::vector<std::string> names;
  for (const ArrayFunction& function : functions()) names.emplace_back(function.name);
  return names;
}

}  // namespace kernelgen::tool
