#include "call.hpp"

using kernelgen::IndexedOptions;
using kernelgen::Tensor;
using namespace kernelgen::capi;

kernelgen_status kernelgen_arg_sort(const kernelgen_tensor* x, int ascending, const kernelgen_tensor* out,
                                    const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::arg_sort, out, stream, result, Named{x, "x"}, ascending != 0);
}

kernelgen_status kernelgen_sort(const kernelgen_tensor* x, int ascending, const kernelgen_tensor* out_values,
                                const kernelgen_tensor* out_indices, const kernelgen_stream* stream,
                                kernelgen_tensor** values, kernelgen_tensor** indices) {
  return guarded(__func__, [&] {
    const Tensor& source = input(x, "x");
    run_indexed(out_values, out_indices, stream, values, indices, [&](const IndexedOptions& options) {
      return kernelgen::sort(source, ascending != 0, options);
    });
  });
}

kernelgen_status kernelgen_top_k(const kernelgen_tensor* x, int64_t k, int64_t dim,
                                 const kernelgen_tensor* out_values, const kernelgen_tensor* out_indices,
                                 const kernelgen_stream* stream, kernelgen_tensor** values,
                                 kernelgen_tensor** indices) {
  return guarded(__func__, [&] {
    const Tensor& source = input(x, "x");
    run_indexed(out_values, out_indices, stream, values, indices,
                [&](const IndexedOptions& options) { return kernelgen::top_k(source, k, dim, options); });
  });
}
