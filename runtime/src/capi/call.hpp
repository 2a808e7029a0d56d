#pragma once
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "handles.hpp"
#include "kernelgen/ops.hpp"

/// How the operations' functions of C, which bindings/generate.py writes, call those of C++.
namespace kernelgen::capi {

inline Scalar scalar_of(const kernelgen_scalar& scalar) {
  return scalar.is_integer != 0 ? Scalar(scalar.integer) : Scalar(scalar.real);
}

inline const Tensor& input(const kernelgen_tensor* handle, const char* parameter) {
  return need(handle, parameter).tensor;
}

/// The caller's arguments, with the parameter's name where they may be wrong. value_of() gives what the function of C++
/// takes.
struct Named {
  const kernelgen_tensor* handle;
  const char* parameter;
};
struct NamedDevice {
  const kernelgen_device* handle;
  const char* parameter;
};
struct NamedDType {
  kernelgen_dtype dtype;
  const char* parameter;
};
struct NamedText {
  const char* text;
  const char* parameter;
};
struct Numbers {
  std::size_t count;
  const std::int64_t* values;
  const char* parameter;
};
struct Tensors {
  const kernelgen_tensor* const* handles;
  std::size_t count;
  const char* parameter;
};
struct Scalars {
  const kernelgen_scalar* values;
  std::size_t count;
  const char* parameter;
};
struct OptionalTensor {
  const kernelgen_tensor* handle;
};
struct OptionalNumber {
  const std::int64_t* value;
};
struct ScaleOfSides {
  const double *height, *width;
};

inline const Tensor& value_of(const Named& tensor) { return input(tensor.handle, tensor.parameter); }
inline const Device& value_of(const NamedDevice& device) {
  return need(device.handle, device.parameter).device;
}
inline DType value_of(const NamedDType& dtype) { return need_dtype(dtype.dtype, dtype.parameter); }
inline std::string_view value_of(const NamedText& text) { return &need(text.text, text.parameter); }
inline Dims value_of(const Numbers& numbers) {
  return dims_of(numbers.count, numbers.values, numbers.parameter);
}
inline std::vector<Tensor> value_of(const Tensors& tensors) {
  if (tensors.count != 0) need(tensors.handles, tensors.parameter);
  std::vector<Tensor> found;
  for (std::size_t i = 0; i < tensors.count; ++i)
    found.push_back(input(tensors.handles[i], "an element of tensors"));
  return found;
}
inline std::vector<Scalar> value_of(const Scalars& scalars) {
  if (scalars.count != 0) need(scalars.values, scalars.parameter);
  std::vector<Scalar> found;
  for (std::size_t i = 0; i < scalars.count; ++i) found.push_back(scalar_of(scalars.values[i]));
  return found;
}
inline const Tensor* value_of(const OptionalTensor& tensor) {
  return tensor.handle == nullptr ? nullptr : &tensor.handle->tensor;
}
inline std::optional<std::int64_t> value_of(const OptionalNumber& number) {
  return number.value == nullptr ? std::nullopt : std::optional(*number.value);
}
inline Scale2 value_of(const ScaleOfSides& scale) {
  const auto side = [](const double* value) {
    return value == nullptr ? std::nullopt : std::optional(*value);
  };
  return {side(scale.height), side(scale.width)};
}
inline Scalar value_of(const kernelgen_scalar& scalar) { return scalar_of(scalar); }
inline Size2 value_of(const kernelgen_size2& size) { return {size.height, size.width}; }
inline Window1 value_of(const kernelgen_window1& window) {
  return {window.stride, window.padding, window.dilation, window.output_padding, window.groups};
}
inline Window2 value_of(const kernelgen_window2& window) {
  return {value_of(window.stride), value_of(window.padding), value_of(window.dilation),
          value_of(window.output_padding), window.groups};
}
inline std::int64_t value_of(std::int64_t number) { return number; }
inline double value_of(double number) { return number; }
inline bool value_of(bool flag) { return flag; }

/// Calls `function` with the values of the arguments. The first wrong one is reported.
template <class Function, class... Arguments>
decltype(auto) with_values(const Function& function, const Arguments&... arguments) {
  const std::tuple<decltype(value_of(arguments))...> values{value_of(arguments)...};
  return std::apply(function, values);
}

/// Runs an operation. The result goes to `out`, to a handle of the caller's, or both.
template <class Operation>
void run(const kernelgen_tensor* out, const kernelgen_stream* stream, kernelgen_tensor** result,
         const Operation& operation) {
  const CallOptions options{stream_of(stream), out == nullptr ? nullptr : &out->tensor};
  if (result == nullptr && out != nullptr)
    operation(options);
  else
    give(result, "result", [&] { return operation(options); });
}

/// Calls a function that has one result.
template <class Function, class... Arguments>
kernelgen_status call_function(const char* name, Function* function, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result,
                               const Arguments&... arguments) {
  return guarded(name, [&] {
    with_values(
        [&](const auto&... values) {
          run(out, stream, result, [&](const CallOptions& options) { return function(values..., options); });
        },
        arguments...);
  });
}

/// Calls a function that writes one of its arguments.
template <class Function, class... Arguments>
kernelgen_status call_in_place(const char* name, Function* function, const kernelgen_stream* stream,
                               const Arguments&... arguments) {
  return guarded(name, [&] {
    with_values([&](const auto&... values) { function(values..., stream_of(stream)); }, arguments...);
  });
}

/// One of two results: it goes to `out`, to a handle of the caller's, or both.
struct OneOfResults {
  const kernelgen_tensor* out;
  kernelgen_tensor** handle;
  const char* name;          ///< of the handle
  bool is_optional = false;  ///< not computed where both are NULL

  bool is_wanted() const { return out != nullptr || handle != nullptr; }
  const Tensor* given() const {
    if (!is_wanted() && !is_optional) need(handle, name);
    return out == nullptr ? nullptr : &out->tensor;
  }
};

/// The options of a function of two results, the second of which may be optional.
template <class Options>
Options options_of(const kernelgen_stream* stream, const OneOfResults& first, const OneOfResults& second) {
  const Tensor* const first_out = first.given();
  const Tensor* const second_out = second.given();
  if constexpr (requires(Options options) { options.wants_log_sum_exp; })
    return {stream_of(stream), first_out, second_out, second.is_wanted()};
  else
    return {stream_of(stream), first_out, second_out};
}

/// Calls a function that has two results. The caller gets a handle of each that has one, or none.
template <class Results, class... Declared, class... Arguments>
kernelgen_status call_pair(const char* name, Results (*function)(Declared...), const OneOfResults& first,
                           const OneOfResults& second, const kernelgen_stream* stream,
                           const Arguments&... arguments) {
  using Options = std::remove_cvref_t<std::tuple_element_t<sizeof...(Arguments), std::tuple<Declared...>>>;
  return guarded(name, [&] {
    auto [first_result, second_result] = with_values(
        [&](const auto&... values) {
          return function(values..., options_of<Options>(stream, first, second));
        },
        arguments...);
    std::unique_ptr<kernelgen_tensor> other;
    if (second.handle != nullptr) other.reset(new kernelgen_tensor{std::move(second_result)});
    if (first.handle != nullptr) *first.handle = new kernelgen_tensor{std::move(first_result)};
    if (second.handle != nullptr) *second.handle = other.release();
  });
}

}  // namespace kernelgen::capi
