#include <optional>

#include "call.hpp"
#include "ops/operation.hpp"

using kernelgen::CallOptions;
using kernelgen::IndexedOptions;
using kernelgen::Tensor;
using namespace kernelgen::capi;

#define KERNELGEN_DEFINE(op)                                                                        \
  kernelgen_status kernelgen_##op(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims, \
                                  int keep_dims, const kernelgen_tensor* out,                       \
                                  const kernelgen_stream* stream, kernelgen_tensor** result) {      \
    return guarded(__func__, [&] {                                                                  \
      const Tensor& source = input(x, "x");                                                         \
      const kernelgen::Dims axes = dims_of(dim_count, dims, "dims");                                \
      run(out, stream, result, [&](const CallOptions& options) {                                    \
        return kernelgen::op(source, {axes.data(), axes.size()}, keep_dims != 0, options);          \
      });                                                                                           \
    });                                                                                             \
  }
KERNELGEN_REDUCE_OPERATIONS(KERNELGEN_DEFINE)
#undef KERNELGEN_DEFINE

#define KERNELGEN_DEFINE(op)                                                                                 \
  kernelgen_status kernelgen_##op(const kernelgen_tensor* x, const int64_t* dim, int keep_dims,              \
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,               \
                                  kernelgen_tensor** result) {                                               \
    return guarded(__func__, [&] {                                                                           \
      const Tensor& source = input(x, "x");                                                                  \
      const auto axis = dim == nullptr ? std::nullopt : std::optional<std::int64_t>(*dim);                   \
      run(out, stream, result,                                                                               \
          [&](const CallOptions& options) { return kernelgen::op(source, axis, keep_dims != 0, options); }); \
    });                                                                                                      \
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
      const auto axis = dim == nullptr ? std::nullopt : std::optional<std::int64_t>(*dim);                 \
      run_indexed(out_values, out_indices, stream, values, indices, [&](const IndexedOptions& options) {   \
        return kernelgen::op(source, axis, keep_dims != 0, options);                                       \
      });                                                                                                  \
    });                                                                                                    \
  }
KERNELGEN_WITH_INDEX_OPERATIONS(KERNELGEN_DEFINE)
#undef KERNELGEN_DEFINE
