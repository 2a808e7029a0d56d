#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "array/array.hpp"

namespace kernelgen::tool {

/// What an expression over arrays may stand for: an array (or one number), a tuple of whole numbers, None.
struct ArrayValue {
  enum class Kind { array, tuple, none };
  Kind kind = Kind::none;
  Array array = {};
  ArrayShape tuple = {};

  static ArrayValue of(Array array) { return {Kind::array, std::move(array), {}}; }
  static ArrayValue of(ArrayShape tuple) { return {Kind::tuple, {}, std::move(tuple)}; }
};

/// The arguments of a call, in the order of the function's parameters.
class ArrayCall {
 public:
  explicit ArrayCall(std::vector<std::optional<ArrayValue>> values) : values_(std::move(values)) {}

  bool has(std::size_t i) const {
    return i < values_.size() && values_[i] && values_[i]->kind != ArrayValue::Kind::none;
  }
  /// Each throws ArrayFault for a value of another kind.
  const Array& array(std::size_t i) const;
  double number(std::size_t i) const;
  std::int64_t whole(std::size_t i) const;
  bool truth(std::size_t i, bool otherwise) const { return has(i) ? number(i) != 0 : otherwise; }
  /// A tuple, or one number as a tuple of one.
  ArrayShape tuple(std::size_t i) const;
  /// Dims of `x` that the argument names; all where it is left out.
  std::vector<std::size_t> dims(std::size_t i, const Array& x) const;

 private:
  std::vector<std::optional<ArrayValue>> values_;
};

struct ArrayFunction {
  std::string_view name;
  std::vector<std::string_view> parameters;
  std::size_t required;
  ArrayValue (*call)(const ArrayCall& call);
};

/// The function of numpy of that name; null where there is none.
const ArrayFunction* find_array_function(std::string_view name);
std::vector<std::string> array_function_names();

/// Tables of array_functions.cpp.
std::vector<ArrayFunction> elementwise_array_functions();
std::vector<ArrayFunction> reducing_array_functions();
std::vector<ArrayFunction> shaping_array_functions();

}  // namespace kernelgen::tool
