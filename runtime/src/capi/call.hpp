#pragma once
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

}  // namespace kernelgen::capi
