#include "call.hpp"

using namespace kernelgen::capi;

#define KERNELGEN_DEFINE(op)                                                                           \
  kernelgen_status kernelgen_##op(const kernelgen_tensor* x, int64_t dim, const kernelgen_tensor* ids, \
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,         \
                                  kernelgen_tensor** result) {                                         \
    return call_function(__func__, kernelgen::op, out, stream, result, Named{x, "x"}, dim,             \
                         Named{ids, "ids"});                                                           \
  }
KERNELGEN_DEFINE(gather)
KERNELGEN_DEFINE(index_select)
#undef KERNELGEN_DEFINE

kernelgen_status kernelgen_index_add(const kernelgen_tensor* x, int64_t dim, const kernelgen_tensor* ids,
                                     const kernelgen_tensor* source, int deterministic,
                                     const kernelgen_tensor* out, const kernelgen_stream* stream,
                                     kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::index_add, out, stream, result, Named{x, "x"}, dim,
                       Named{ids, "ids"}, Named{source, "source"}, deterministic != 0);
}

kernelgen_status kernelgen_scatter_set(const kernelgen_tensor* destination, int64_t dim,
                                       const kernelgen_tensor* ids, const kernelgen_tensor* source,
                                       const kernelgen_stream* stream) {
  return guarded(__func__, [&] {
    kernelgen::scatter_set(input(destination, "destination"), dim, input(ids, "ids"), input(source, "source"),
                           stream_of(stream));
  });
}

kernelgen_status kernelgen_scatter_add_set(const kernelgen_tensor* destination, int64_t dim,
                                           const kernelgen_tensor* ids, const kernelgen_tensor* source,
                                           int deterministic, const kernelgen_stream* stream) {
  return guarded(__func__, [&] {
    kernelgen::scatter_add_set(input(destination, "destination"), dim, input(ids, "ids"),
                               input(source, "source"), deterministic != 0, stream_of(stream));
  });
}
