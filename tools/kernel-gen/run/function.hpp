#pragma once
#include <numeric>
#include <tuple>
#include <type_traits>
#include <utility>

#include "run/runnable.hpp"

/// Makes a row of `kernel-gen run` from a function of the library: inputs are its tensors, parameters its other
/// arguments.
namespace kernelgen::tool {

/// Arguments that are not read from text.
struct Input {
  std::size_t index;
};
struct OptionalInput {
  std::size_t index;
};
struct AllInputs {};
struct OpenDevice {};
struct DimsOrAll {
  std::vector<std::int64_t> dims;
  bool is_all;  ///< every dim of the first input
};

/// Reads the arguments of one call in their order.
struct ArgumentReader {
  const ParameterValues& values;
  std::vector<CallParameter>::const_iterator parameter;
  std::size_t input = 0;

  const std::string& next() { return (parameter++)->name; }
  template <class Declared>
  auto read();
};

template <class Declared>
auto ArgumentReader::read() {
  using T = std::remove_cvref_t<Declared>;
  if constexpr (std::is_same_v<T, Tensor>)
    return Input{input++};
  else if constexpr (std::is_same_v<T, const Tensor*>)
    return OptionalInput{input++};
  else if constexpr (std::is_same_v<T, std::span<const Tensor>>)
    return AllInputs{};
  else if constexpr (std::is_same_v<T, Device>)
    return OpenDevice{};
  else if constexpr (std::is_same_v<T, Scalar>)
    return values.number(next());
  else if constexpr (std::is_same_v<T, double>)
    return values.number(next()).real();
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return values.integer(next());
  else if constexpr (std::is_same_v<T, std::optional<std::int64_t>>)
    return values.dim(next());
  else if constexpr (std::is_same_v<T, std::span<const std::int64_t>>) {
    const auto dims = values.dims(next());
    return DimsOrAll{dims.value_or(std::vector<std::int64_t>()), !dims};
  } else if constexpr (std::is_same_v<T, bool>)
    return values.flag(next());
  else if constexpr (std::is_same_v<T, DType>)
    return values.dtype(next());
  else if constexpr (std::is_same_v<T, Shape>)
    return values.shape(next());
  else if constexpr (std::is_same_v<T, Size2>)
    return values.size(next());
  else if constexpr (std::is_same_v<T, Scale2>)
    return values.scale(next());
  else if constexpr (std::is_same_v<T, Window1>)
    return Window1{values.integer(next()), values.integer(next()), values.integer(next()),
                   values.integer(next()), values.integer(next())};
  else if constexpr (std::is_same_v<T, Window2>)
    return Window2{values.size(next()), values.size(next()), values.size(next()), values.size(next()),
                   values.integer(next())};
}

inline const Tensor& argument(const Input& input, const Operands& operands) {
  return operands.inputs[input.index];
}
inline const Tensor* argument(const OptionalInput& input, const Operands& operands) {
  return operands.optional(input.index);
}
inline std::span<const Tensor> argument(AllInputs, const Operands& operands) { return operands.inputs; }
inline const Device& argument(OpenDevice, const Operands& operands) { return operands.device; }
inline std::vector<std::int64_t> argument(const DimsOrAll& given, const Operands& operands) {
  if (!given.is_all) return given.dims;
  std::vector<std::int64_t> every(operands.inputs[0].shape().size());
  std::iota(every.begin(), every.end(), 0);
  return every;
}
template <class Value>
const Value& argument(const Value& value, const Operands&) {
  return value;
}

/// The stream and the outputs of a call.
template <class Options>
Options options_of(const Operands& operands) {
  if constexpr (std::is_same_v<Options, Stream>)
    return {};
  else if constexpr (std::is_same_v<Options, CallOptions>)
    return operands.options();
  else {
    Options options;
    if (!operands.out.empty()) options = {{}, &operands.out[0], &operands.out[1]};
    if constexpr (requires { options.wants_log_sum_exp; }) options.wants_log_sum_exp = true;
    return options;
  }
}

inline std::vector<Tensor> tensors_of(Tensor result) { return {std::move(result)}; }
template <class Results>
std::vector<Tensor> tensors_of(Results results) {
  auto& [first, second] = results;
  return {std::move(first), std::move(second)};
}

/// Fills `row` in: it has the names, in the order of the function's parameters.
template <class Result, class... Declared>
Runnable function_runnable(Runnable row, Result (*function)(Declared...)) {
  using All = std::tuple<Declared...>;
  constexpr std::size_t count = sizeof...(Declared) - 1;
  using Options = std::remove_cvref_t<std::tuple_element_t<count, All>>;
  row.in_place = std::is_void_v<Result>;
  row.bind = [function, parameters = row.parameters](const ParameterValues& values) -> BoundCall {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      ArgumentReader reader{values, parameters.begin()};
      // In braces, since their order counts.
      std::tuple arguments{reader.read<std::tuple_element_t<I, All>>()...};
      return [function, arguments = std::move(arguments)](const Operands& operands) {
        const auto call = [&] {
          return function(argument(std::get<I>(arguments), operands)..., options_of<Options>(operands));
        };
        if constexpr (std::is_void_v<Result>) {
          call();
          return std::vector{operands.inputs[0]};
        } else {
          return tensors_of(call());
        }
      };
    }(std::make_index_sequence<count>());
  };
  return row;
}

}  // namespace kernelgen::tool
