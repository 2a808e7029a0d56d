#include <optional>

#include "call.hpp"
#include "ops/operation.hpp"

using kernelgen::IndexedOptions;
using kernelgen::Tensor;
using namespace kernelgen::capi;

namespace {

/// NULL is no dim: all of them.
std::optional<std::int64_t> axis_of(const int64_t* dim) {
  return dim == nullptr ? std::nullopt : std::optional<std::int64_t>(*dim);
}

}  // namespace

#define KERNELGEN_DEFINE(op)                                                                        \
  kernelgen_status kernelgen_##op(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims, \
                                  int keep_dims, const kernelgen_tensor* out,                       \
                                  const kernelgen_stream* stream, kernelgen_tensor** result) {      \
    return call_function(                                                                           \
        __func__, kernelgen::op, out, stream, result, Named{x, "x"},                                \
        [&] { return dims_of(dim_count, dims, "dims"); }, keep_dims != 0);                          \
  }
KERNELGEN_REDUCE_OPERATIONS(KERNELGEN_DEFINE)
#undef KERNELGEN_DEFINE

#define KERNELGEN_DEFINE(op)                                                                        \
  kernelgen_status kernelgen_##op(const kernelgen_tensor* x, const int64_t* dim, int keep_dims,     \
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,      \
                                  kernelgen_tensor** result) {                                      \
    return call_function(__func__, kernelgen::op, out, stream, result, Named{x, "x"}, axis_of(dim), \
                         keep_dims != 0);                                                           \
  }
KERNELGEN_ARG_REDUCE_OPERATIONS(KERNELGEN_DEFINE)
#undef KERNELGEN_DEFINE

#define KERNELGEN_DEFINE(op)                                                                               \
  kernelgen_status kernelgen_##op(const kernelgen_tensor* x, const int64_t* dim, int keep_dims,            \
                                  const kernelgen_tensor* out_values, const kernelgen_tensor* out_indices, \
                                  const kernelgen_stream* stream, kernelgen_tensor** values,               \
                                  kernelgen_tensor** indices) {                                            \
    return guarded(__func__, [&] {                                                                         \
      const Tensor& source = input(x, "x");                                                                \
      run_indexed(out_values, out_indices, stream, values, indices, [&](const IndexedOptions& options) {   \
        return kernelgen::op(source, axis_of(dim), keep_dims != 0, options);                               \
      });                                                                                                  \
    });                                                                                                    \
  }
KERNELGEN_WITH_INDEX_OPERATIONS(KERNELGEN_DEFINE)
#undef KERNELGEN_DEFINE
