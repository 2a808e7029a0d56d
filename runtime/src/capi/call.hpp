#pragma once
#include <concepts>
#include <memory>
#include <tuple>
#include <utility>

#include "handles.hpp"
#include "kernelgen/ops.hpp"

/// What the operations of the C interface share.
namespace kernelgen::capi {

inline Scalar scalar_of(const kernelgen_scalar& scalar) {
  return scalar.is_integer != 0 ? Scalar(scalar.integer) : Scalar(scalar.real);
}

inline const Tensor& input(const kernelgen_tensor* handle, const char* parameter) {
  return need(handle, parameter).tensor;
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

/// A tensor of the caller's, by the name of the parameter that it is.
struct Named {
  const kernelgen_tensor* handle;
  const char* parameter;
};
inline const Tensor& value_of(const Named& tensor) { return input(tensor.handle, tensor.parameter); }
inline Scalar value_of(const kernelgen_scalar& scalar) { return scalar_of(scalar); }
/// What else may be wrong is read when its turn comes.
template <std::invocable Read>
decltype(auto) value_of(const Read& read) {
  return read();
}
/// A number, or anything else that is right as it is.
template <class Value>
Value value_of(const Value& value) {
  return value;
}

/// Runs a function that has one result; the first of its parameters that is wrong is what the caller is told.
template <class Function, class... Parameters>
kernelgen_status call_function(const char* name, Function* function, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result,
                               const Parameters&... parameters) {
  return guarded(name, [&] {
    const std::tuple<decltype(value_of(parameters))...> values{value_of(parameters)...};
    run(out, stream, result, [&](const CallOptions& options) {
      return std::apply([&](const auto&... value) { return function(value..., options); }, values);
    });
  });
}

/// A result of an operation that has several: it goes to `out`, to a handle of the caller's, or both.
struct OneOfResults {
  const kernelgen_tensor* out;
  kernelgen_tensor** handle;
  const char* name;  ///< the handle's, which is needed where there is no `out`

  const Tensor* given() const {
    if (out == nullptr) need(handle, name);
    return out == nullptr ? nullptr : &out->tensor;
  }
};

/// Gives the caller both handles, of those that are wanted, or none.
inline void give_both(const OneOfResults& first, Tensor first_result, const OneOfResults& second,
                      Tensor second_result) {
  std::unique_ptr<kernelgen_tensor> other;
  if (second.handle != nullptr) other.reset(new kernelgen_tensor{std::move(second_result)});
  if (first.handle != nullptr) *first.handle = new kernelgen_tensor{std::move(first_result)};
  if (second.handle != nullptr) *second.handle = other.release();
}

/// Runs an operation whose two results are elements and their places.
template <class Operation>
void run_indexed(const kernelgen_tensor* out_values, const kernelgen_tensor* out_indices,
                 const kernelgen_stream* stream, kernelgen_tensor** values, kernelgen_tensor** indices,
                 const Operation& operation) {
  const OneOfResults first{out_values, values, "values"}, second{out_indices, indices, "indices"};
  const Tensor* const values_out = first.given();
  const Tensor* const indices_out = second.given();
  Indexed results = operation(IndexedOptions{stream_of(stream), values_out, indices_out});
  give_both(first, std::move(results.values), second, std::move(results.indices));
}

}  // namespace kernelgen::capi
