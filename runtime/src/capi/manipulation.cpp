#include <vector>

#include "call.hpp"

using kernelgen::CallOptions;
using kernelgen::Tensor;
using namespace kernelgen::capi;

namespace {

std::vector<Tensor> tensors_of(const kernelgen_tensor* const* tensors, std::size_t count) {
  if (count != 0) need(tensors, "tensors");
  std::vector<Tensor> found;
  for (std::size_t i = 0; i < count; ++i) found.push_back(input(tensors[i], "an element of tensors"));
  return found;
}

}  // namespace

#define KERNELGEN_DEFINE(op)                                                                                \
  kernelgen_status kernelgen_##op(const kernelgen_tensor* const* tensors, size_t tensor_count, int64_t dim, \
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,              \
                                  kernelgen_tensor** result) {                                              \
    return call_function(                                                                                   \
        __func__, kernelgen::op, out, stream, result, [&] { return tensors_of(tensors, tensor_count); },    \
        dim);                                                                                               \
  }
KERNELGEN_DEFINE(concat)
KERNELGEN_DEFINE(stack)
#undef KERNELGEN_DEFINE

kernelgen_status kernelgen_pad(const kernelgen_tensor* x, size_t before_count, const int64_t* before,
                               size_t after_count, const int64_t* after, kernelgen_scalar value,
                               const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result) {
  return call_function(
      __func__, kernelgen::pad, out, stream, result, Named{x, "x"},
      [&] { return dims_of(before_count, before, "before"); },
      [&] { return dims_of(after_count, after, "after"); }, value);
}

#define KERNELGEN_DEFINE(op)                                                                             \
  kernelgen_status kernelgen_##op(const kernelgen_tensor* x, size_t before_count, const int64_t* before, \
                                  size_t after_count, const int64_t* after, const kernelgen_tensor* out, \
                                  const kernelgen_stream* stream, kernelgen_tensor** result) {           \
    return call_function(                                                                                \
        __func__, kernelgen::op, out, stream, result, Named{x, "x"},                                     \
        [&] { return dims_of(before_count, before, "before"); },                                         \
        [&] { return dims_of(after_count, after, "after"); });                                           \
  }
KERNELGEN_DEFINE(pad_reflect)
KERNELGEN_DEFINE(pad_replicate)
KERNELGEN_DEFINE(pad_circular)
#undef KERNELGEN_DEFINE

kernelgen_status kernelgen_roll(const kernelgen_tensor* x, size_t shift_count, const int64_t* shifts,
                                size_t dim_count, const int64_t* dims, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(
      __func__, kernelgen::roll, out, stream, result, Named{x, "x"},
      [&] { return dims_of(shift_count, shifts, "shifts"); },
      [&] { return dims_of(dim_count, dims, "dims"); });
}

#define KERNELGEN_DEFINE(op)                                                                            \
  kernelgen_status kernelgen_##op(const kernelgen_tensor* x, int64_t diagonal, kernelgen_scalar value,  \
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,          \
                                  kernelgen_tensor** result) {                                          \
    return call_function(__func__, kernelgen::op, out, stream, result, Named{x, "x"}, diagonal, value); \
  }
KERNELGEN_DEFINE(tril)
KERNELGEN_DEFINE(triu)
#undef KERNELGEN_DEFINE

kernelgen_status kernelgen_diag(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::diag, out, stream, result, Named{x, "x"});
}
