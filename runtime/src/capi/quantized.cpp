#include "call.hpp"

using namespace kernelgen::capi;

kernelgen_status kernelgen_quantize(const kernelgen_tensor* x, kernelgen_dtype format,
                                    const kernelgen_tensor* out, const kernelgen_stream* stream,
                                    kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::quantize, out, stream, result, Named{x, "x"},
                       [&] { return need_dtype(format, "format"); });
}

kernelgen_status kernelgen_dequantize(const kernelgen_tensor* x, kernelgen_dtype dtype,
                                      const kernelgen_tensor* out, const kernelgen_stream* stream,
                                      kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::dequantize, out, stream, result, Named{x, "x"},
                       [&] { return need_dtype(dtype, "dtype"); });
}

kernelgen_status kernelgen_get_rows(const kernelgen_tensor* table, const kernelgen_tensor* ids,
                                    kernelgen_dtype dtype, const kernelgen_tensor* out,
                                    const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::get_rows, out, stream, result, Named{table, "table"},
                       Named{ids, "ids"}, [&] { return need_dtype(dtype, "dtype"); });
}

kernelgen_status kernelgen_set_rows(const kernelgen_tensor* destination, const kernelgen_tensor* ids,
                                    const kernelgen_tensor* source, const kernelgen_stream* stream) {
  return guarded(__func__, [&] {
    kernelgen::set_rows(input(destination, "destination"), input(ids, "ids"), input(source, "source"),
                        stream_of(stream));
  });
}

kernelgen_status kernelgen_quantized_matmul(const kernelgen_tensor* x, const kernelgen_tensor* weights,
                                            const kernelgen_tensor* out, const kernelgen_stream* stream,
                                            kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::quantized_matmul, out, stream, result, Named{x, "x"},
                       Named{weights, "weights"});
}

kernelgen_status kernelgen_indexed_matmul(const kernelgen_tensor* x, const kernelgen_tensor* weights,
                                          const kernelgen_tensor* ids, const kernelgen_tensor* out,
                                          const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::indexed_matmul, out, stream, result, Named{x, "x"},
                       Named{weights, "weights"}, Named{ids, "ids"});
}
