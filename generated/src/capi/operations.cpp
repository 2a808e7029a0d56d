// Written by bindings/generate.py from kernelgen/ops; do not edit.
// clang-format off
#include "capi/call.hpp"

using namespace kernelgen;
using namespace kernelgen::capi;

kernelgen_status kernelgen_to_dtype(const kernelgen_tensor* x, kernelgen_dtype dtype,
                                    const kernelgen_tensor* out, const kernelgen_stream* stream,
                                    kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::to_dtype, out, stream, result, Named{x, "x"},
      NamedDType{dtype, "dtype"});
}

kernelgen_status kernelgen_where_cond(const kernelgen_tensor* condition, const kernelgen_tensor* a,
                                      const kernelgen_tensor* b, const kernelgen_tensor* out,
                                      const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::where_cond, out, stream, result, Named{condition, "condition"},
      Named{a, "a"}, Named{b, "b"});
}

kernelgen_status kernelgen_copy(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::copy, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_copy_into(const kernelgen_tensor* destination, const kernelgen_tensor* source,
                                     const kernelgen_stream* stream) {
  return call_in_place(__func__, kernelgen::copy_into, stream, Named{destination, "destination"},
      Named{source, "source"});
}

kernelgen_status kernelgen_copy2d(const kernelgen_tensor* destination, const kernelgen_tensor* source,
                                  int64_t rows, int64_t columns, int64_t destination_stride,
                                  int64_t source_stride, int64_t destination_offset, int64_t source_offset,
                                  const kernelgen_stream* stream) {
  return call_in_place(__func__, kernelgen::copy2d, stream, Named{destination, "destination"},
      Named{source, "source"}, rows, columns, destination_stride, source_stride, destination_offset,
      source_offset);
}

kernelgen_status kernelgen_const_set(const kernelgen_tensor* destination, kernelgen_scalar value,
                                     const kernelgen_stream* stream) {
  return call_in_place(__func__, kernelgen::const_set, stream, Named{destination, "destination"}, value);
}

kernelgen_status kernelgen_gelu(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::gelu, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_gelu_erf(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                    const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::gelu_erf, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_silu(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::silu, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_sigmoid(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                   const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::sigmoid, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_normcdf(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                   const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::normcdf, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_relu(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::relu, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_elu(const kernelgen_tensor* x, kernelgen_scalar alpha, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::elu, out, stream, result, Named{x, "x"}, alpha);
}

kernelgen_status kernelgen_silu_mul(const kernelgen_tensor* a, const kernelgen_tensor* b,
                                    const kernelgen_tensor* out, const kernelgen_stream* stream,
                                    kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::silu_mul, out, stream, result, Named{a, "a"}, Named{b, "b"});
}

kernelgen_status kernelgen_gelu_mul(const kernelgen_tensor* a, const kernelgen_tensor* b,
                                    const kernelgen_tensor* out, const kernelgen_stream* stream,
                                    kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::gelu_mul, out, stream, result, Named{a, "a"}, Named{b, "b"});
}

kernelgen_status kernelgen_affine(const kernelgen_tensor* x, kernelgen_scalar mul, kernelgen_scalar add,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::affine, out, stream, result, Named{x, "x"}, mul, add);
}

kernelgen_status kernelgen_add(const kernelgen_tensor* a, const kernelgen_tensor* b,
                               const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::add, out, stream, result, Named{a, "a"}, Named{b, "b"});
}

kernelgen_status kernelgen_sub(const kernelgen_tensor* a, const kernelgen_tensor* b,
                               const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::sub, out, stream, result, Named{a, "a"}, Named{b, "b"});
}

kernelgen_status kernelgen_mul(const kernelgen_tensor* a, const kernelgen_tensor* b,
                               const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::mul, out, stream, result, Named{a, "a"}, Named{b, "b"});
}

kernelgen_status kernelgen_div(const kernelgen_tensor* a, const kernelgen_tensor* b,
                               const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::div, out, stream, result, Named{a, "a"}, Named{b, "b"});
}

kernelgen_status kernelgen_maximum(const kernelgen_tensor* a, const kernelgen_tensor* b,
                                   const kernelgen_tensor* out, const kernelgen_stream* stream,
                                   kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::maximum, out, stream, result, Named{a, "a"}, Named{b, "b"});
}

kernelgen_status kernelgen_minimum(const kernelgen_tensor* a, const kernelgen_tensor* b,
                                   const kernelgen_tensor* out, const kernelgen_stream* stream,
                                   kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::minimum, out, stream, result, Named{a, "a"}, Named{b, "b"});
}

kernelgen_status kernelgen_eq(const kernelgen_tensor* a, const kernelgen_tensor* b,
                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                              kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::eq, out, stream, result, Named{a, "a"}, Named{b, "b"});
}

kernelgen_status kernelgen_ne(const kernelgen_tensor* a, const kernelgen_tensor* b,
                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                              kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::ne, out, stream, result, Named{a, "a"}, Named{b, "b"});
}

kernelgen_status kernelgen_lt(const kernelgen_tensor* a, const kernelgen_tensor* b,
                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                              kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::lt, out, stream, result, Named{a, "a"}, Named{b, "b"});
}

kernelgen_status kernelgen_le(const kernelgen_tensor* a, const kernelgen_tensor* b,
                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                              kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::le, out, stream, result, Named{a, "a"}, Named{b, "b"});
}

kernelgen_status kernelgen_gt(const kernelgen_tensor* a, const kernelgen_tensor* b,
                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                              kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::gt, out, stream, result, Named{a, "a"}, Named{b, "b"});
}

kernelgen_status kernelgen_ge(const kernelgen_tensor* a, const kernelgen_tensor* b,
                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                              kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::ge, out, stream, result, Named{a, "a"}, Named{b, "b"});
}

kernelgen_status kernelgen_exp(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::exp, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_log(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::log, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_sin(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::sin, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_cos(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::cos, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_tanh(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::tanh, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_erf(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::erf, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_powf(const kernelgen_tensor* x, kernelgen_scalar e, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::powf, out, stream, result, Named{x, "x"}, e);
}

kernelgen_status kernelgen_ceil(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::ceil, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_floor(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                 const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::floor, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_round(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                 const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::round, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_sqr(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::sqr, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_abs(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::abs, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_neg(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::neg, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_sign(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::sign, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_sqrt(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::sqrt, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_recip(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                 const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::recip, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_expm1(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                 const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::expm1, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_softplus(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                    const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::softplus, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_gelu_quick(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                      const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::gelu_quick, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_xielu(const kernelgen_tensor* x, kernelgen_scalar alpha_n,
                                 kernelgen_scalar alpha_p, kernelgen_scalar beta, kernelgen_scalar eps,
                                 const kernelgen_tensor* out, const kernelgen_stream* stream,
                                 kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::xielu, out, stream, result, Named{x, "x"}, alpha_n, alpha_p, beta,
      eps);
}

kernelgen_status kernelgen_relu_mul(const kernelgen_tensor* a, const kernelgen_tensor* b,
                                    const kernelgen_tensor* out, const kernelgen_stream* stream,
                                    kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::relu_mul, out, stream, result, Named{a, "a"}, Named{b, "b"});
}

kernelgen_status kernelgen_gelu_erf_mul(const kernelgen_tensor* a, const kernelgen_tensor* b,
                                        const kernelgen_tensor* out, const kernelgen_stream* stream,
                                        kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::gelu_erf_mul, out, stream, result, Named{a, "a"}, Named{b, "b"});
}

kernelgen_status kernelgen_gelu_quick_mul(const kernelgen_tensor* a, const kernelgen_tensor* b,
                                          const kernelgen_tensor* out, const kernelgen_stream* stream,
                                          kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::gelu_quick_mul, out, stream, result, Named{a, "a"},
      Named{b, "b"});
}

kernelgen_status kernelgen_swiglu_oai(const kernelgen_tensor* a, const kernelgen_tensor* b,
                                      kernelgen_scalar alpha, kernelgen_scalar limit,
                                      const kernelgen_tensor* out, const kernelgen_stream* stream,
                                      kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::swiglu_oai, out, stream, result, Named{a, "a"}, Named{b, "b"},
      alpha, limit);
}

kernelgen_status kernelgen_step(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::step, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_trunc(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                 const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::trunc, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_clamp(const kernelgen_tensor* x, kernelgen_scalar low, kernelgen_scalar high,
                                 const kernelgen_tensor* out, const kernelgen_stream* stream,
                                 kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::clamp, out, stream, result, Named{x, "x"}, low, high);
}

kernelgen_status kernelgen_leaky_relu(const kernelgen_tensor* x, kernelgen_scalar slope,
                                      const kernelgen_tensor* out, const kernelgen_stream* stream,
                                      kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::leaky_relu, out, stream, result, Named{x, "x"}, slope);
}

kernelgen_status kernelgen_hardsigmoid(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                       const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::hardsigmoid, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_hardswish(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                     const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::hardswish, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_conv2d(const kernelgen_tensor* x, const kernelgen_tensor* weight,
                                  kernelgen_window2 window, const kernelgen_tensor* out,
                                  const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::conv2d, out, stream, result, Named{x, "x"},
      Named{weight, "weight"}, window);
}

kernelgen_status kernelgen_conv1d(const kernelgen_tensor* x, const kernelgen_tensor* weight,
                                  kernelgen_window1 window, const kernelgen_tensor* out,
                                  const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::conv1d, out, stream, result, Named{x, "x"},
      Named{weight, "weight"}, window);
}

kernelgen_status kernelgen_conv_transpose2d(const kernelgen_tensor* x, const kernelgen_tensor* weight,
                                            kernelgen_window2 window, const kernelgen_tensor* out,
                                            const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::conv_transpose2d, out, stream, result, Named{x, "x"},
      Named{weight, "weight"}, window);
}

kernelgen_status kernelgen_conv_transpose1d(const kernelgen_tensor* x, const kernelgen_tensor* weight,
                                            kernelgen_window1 window, const kernelgen_tensor* out,
                                            const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::conv_transpose1d, out, stream, result, Named{x, "x"},
      Named{weight, "weight"}, window);
}

kernelgen_status kernelgen_avg_pool2d(const kernelgen_tensor* x, kernelgen_size2 kernel,
                                      kernelgen_size2 stride, const kernelgen_tensor* out,
                                      const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::avg_pool2d, out, stream, result, Named{x, "x"}, kernel, stride);
}

kernelgen_status kernelgen_max_pool2d(const kernelgen_tensor* x, kernelgen_size2 kernel,
                                      kernelgen_size2 stride, const kernelgen_tensor* out,
                                      const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::max_pool2d, out, stream, result, Named{x, "x"}, kernel, stride);
}

kernelgen_status kernelgen_upsample_nearest1d(const kernelgen_tensor* x, int64_t length,
                                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                                              kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::upsample_nearest1d, out, stream, result, Named{x, "x"}, length);
}

kernelgen_status kernelgen_upsample_nearest2d(const kernelgen_tensor* x, kernelgen_size2 size,
                                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                                              kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::upsample_nearest2d, out, stream, result, Named{x, "x"}, size);
}

kernelgen_status kernelgen_upsample_bilinear2d(const kernelgen_tensor* x, kernelgen_size2 size,
                                               int align_corners, const double* scale_height,
                                               const double* scale_width, const kernelgen_tensor* out,
                                               const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::upsample_bilinear2d, out, stream, result, Named{x, "x"}, size,
      align_corners != 0, ScaleOfSides{scale_height, scale_width});
}

kernelgen_status kernelgen_gather(const kernelgen_tensor* x, int64_t dim, const kernelgen_tensor* ids,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::gather, out, stream, result, Named{x, "x"}, dim,
      Named{ids, "ids"});
}

kernelgen_status kernelgen_index_select(const kernelgen_tensor* x, int64_t dim, const kernelgen_tensor* ids,
                                        const kernelgen_tensor* out, const kernelgen_stream* stream,
                                        kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::index_select, out, stream, result, Named{x, "x"}, dim,
      Named{ids, "ids"});
}

kernelgen_status kernelgen_scatter_set(const kernelgen_tensor* destination, int64_t dim,
                                       const kernelgen_tensor* ids, const kernelgen_tensor* source,
                                       const kernelgen_stream* stream) {
  return call_in_place(__func__, kernelgen::scatter_set, stream, Named{destination, "destination"}, dim,
      Named{ids, "ids"}, Named{source, "source"});
}

kernelgen_status kernelgen_scatter_add_set(const kernelgen_tensor* destination, int64_t dim,
                                           const kernelgen_tensor* ids, const kernelgen_tensor* source,
                                           int deterministic, const kernelgen_stream* stream) {
  return call_in_place(__func__, kernelgen::scatter_add_set, stream, Named{destination, "destination"}, dim,
      Named{ids, "ids"}, Named{source, "source"}, deterministic != 0);
}

kernelgen_status kernelgen_index_add(const kernelgen_tensor* x, int64_t dim, const kernelgen_tensor* ids,
                                     const kernelgen_tensor* source, int deterministic,
                                     const kernelgen_tensor* out, const kernelgen_stream* stream,
                                     kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::index_add, out, stream, result, Named{x, "x"}, dim,
      Named{ids, "ids"}, Named{source, "source"}, deterministic != 0);
}

kernelgen_status kernelgen_cross_entropy(const kernelgen_tensor* logits, const kernelgen_tensor* targets,
                                         const kernelgen_tensor* out_loss,
                                         const kernelgen_tensor* out_log_sum_exp,
                                         const kernelgen_stream* stream, kernelgen_tensor** loss,
                                         kernelgen_tensor** log_sum_exp) {
  return call_pair(__func__, kernelgen::cross_entropy, OneOfResults{out_loss, loss, "loss"},
      OneOfResults{out_log_sum_exp, log_sum_exp, "log_sum_exp", true}, stream, Named{logits, "logits"},
      Named{targets, "targets"});
}

kernelgen_status kernelgen_concat(const kernelgen_tensor* const* tensors, size_t tensor_count, int64_t dim,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::concat, out, stream, result,
      Tensors{tensors, tensor_count, "tensors"}, dim);
}

kernelgen_status kernelgen_stack(const kernelgen_tensor* const* tensors, size_t tensor_count, int64_t dim,
                                 const kernelgen_tensor* out, const kernelgen_stream* stream,
                                 kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::stack, out, stream, result,
      Tensors{tensors, tensor_count, "tensors"}, dim);
}

kernelgen_status kernelgen_pad(const kernelgen_tensor* x, size_t before_count, const int64_t* before,
                               size_t after_count, const int64_t* after, kernelgen_scalar value,
                               const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::pad, out, stream, result, Named{x, "x"},
      Numbers{before_count, before, "before"}, Numbers{after_count, after, "after"}, value);
}

kernelgen_status kernelgen_pad_reflect(const kernelgen_tensor* x, size_t before_count, const int64_t* before,
                                       size_t after_count, const int64_t* after, const kernelgen_tensor* out,
                                       const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::pad_reflect, out, stream, result, Named{x, "x"},
      Numbers{before_count, before, "before"}, Numbers{after_count, after, "after"});
}

kernelgen_status kernelgen_pad_replicate(const kernelgen_tensor* x, size_t before_count,
                                         const int64_t* before, size_t after_count, const int64_t* after,
                                         const kernelgen_tensor* out, const kernelgen_stream* stream,
                                         kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::pad_replicate, out, stream, result, Named{x, "x"},
      Numbers{before_count, before, "before"}, Numbers{after_count, after, "after"});
}

kernelgen_status kernelgen_pad_circular(const kernelgen_tensor* x, size_t before_count, const int64_t* before,
                                        size_t after_count, const int64_t* after, const kernelgen_tensor* out,
                                        const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::pad_circular, out, stream, result, Named{x, "x"},
      Numbers{before_count, before, "before"}, Numbers{after_count, after, "after"});
}

kernelgen_status kernelgen_roll(const kernelgen_tensor* x, size_t shift_count, const int64_t* shifts,
                                size_t dim_count, const int64_t* dims, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::roll, out, stream, result, Named{x, "x"},
      Numbers{shift_count, shifts, "shifts"}, Numbers{dim_count, dims, "dims"});
}

kernelgen_status kernelgen_tril(const kernelgen_tensor* x, int64_t diagonal, kernelgen_scalar value,
                                const kernelgen_tensor* out, const kernelgen_stream* stream,
                                kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::tril, out, stream, result, Named{x, "x"}, diagonal, value);
}

kernelgen_status kernelgen_triu(const kernelgen_tensor* x, int64_t diagonal, kernelgen_scalar value,
                                const kernelgen_tensor* out, const kernelgen_stream* stream,
                                kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::triu, out, stream, result, Named{x, "x"}, diagonal, value);
}

kernelgen_status kernelgen_diag(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::diag, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_matmul(const kernelgen_tensor* a, const kernelgen_tensor* b,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::matmul, out, stream, result, Named{a, "a"}, Named{b, "b"});
}

kernelgen_status kernelgen_softmax(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                   const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::softmax, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_scaled_softmax(const kernelgen_tensor* x, double scale,
                                          const kernelgen_tensor* mask, const kernelgen_tensor* slopes,
                                          const kernelgen_tensor* sinks, const kernelgen_tensor* out,
                                          const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__,
      +[](const Tensor& x, double scale, const Tensor* mask, const Tensor* slopes, const Tensor* sinks, const CallOptions& call) { return kernelgen::scaled_softmax(x, {.stream = call.stream, .out = call.out, .scale = scale, .mask = mask, .slopes = slopes, .sinks = sinks}); },
      out, stream, result, Named{x, "x"}, scale, OptionalTensor{mask}, OptionalTensor{slopes},
      OptionalTensor{sinks});
}

kernelgen_status kernelgen_log_softmax(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                       const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::log_softmax, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_rms_norm(const kernelgen_tensor* x, const kernelgen_tensor* weight, double eps,
                                    const kernelgen_tensor* out, const kernelgen_stream* stream,
                                    kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::rms_norm, out, stream, result, Named{x, "x"},
      Named{weight, "weight"}, eps);
}

kernelgen_status kernelgen_layer_norm(const kernelgen_tensor* x, const kernelgen_tensor* weight,
                                      const kernelgen_tensor* bias, double eps, const kernelgen_tensor* out,
                                      const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::layer_norm, out, stream, result, Named{x, "x"},
      Named{weight, "weight"}, Named{bias, "bias"}, eps);
}

kernelgen_status kernelgen_plain_rms_norm(const kernelgen_tensor* x, double eps, const kernelgen_tensor* out,
                                          const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::plain_rms_norm, out, stream, result, Named{x, "x"}, eps);
}

kernelgen_status kernelgen_plain_layer_norm(const kernelgen_tensor* x, double eps,
                                            const kernelgen_tensor* out, const kernelgen_stream* stream,
                                            kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::plain_layer_norm, out, stream, result, Named{x, "x"}, eps);
}

kernelgen_status kernelgen_l2_norm(const kernelgen_tensor* x, double eps, const kernelgen_tensor* out,
                                   const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::l2_norm, out, stream, result, Named{x, "x"}, eps);
}

kernelgen_status kernelgen_group_norm(const kernelgen_tensor* x, int64_t groups, double eps,
                                      const kernelgen_tensor* out, const kernelgen_stream* stream,
                                      kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::group_norm, out, stream, result, Named{x, "x"}, groups, eps);
}

kernelgen_status kernelgen_add_rms_norm(const kernelgen_tensor* x, const kernelgen_tensor* residual,
                                        const kernelgen_tensor* weight, double eps,
                                        const kernelgen_tensor* out_sum, const kernelgen_tensor* out_norm,
                                        const kernelgen_stream* stream, kernelgen_tensor** sum,
                                        kernelgen_tensor** norm) {
  return call_pair(__func__, kernelgen::add_rms_norm, OneOfResults{out_sum, sum, "sum"},
      OneOfResults{out_norm, norm, "norm"}, stream, Named{x, "x"}, Named{residual, "residual"},
      Named{weight, "weight"}, eps);
}

kernelgen_status kernelgen_add_layer_norm(const kernelgen_tensor* x, const kernelgen_tensor* residual,
                                          const kernelgen_tensor* weight, const kernelgen_tensor* bias,
                                          double eps, const kernelgen_tensor* out_sum,
                                          const kernelgen_tensor* out_norm, const kernelgen_stream* stream,
                                          kernelgen_tensor** sum, kernelgen_tensor** norm) {
  return call_pair(__func__, kernelgen::add_layer_norm, OneOfResults{out_sum, sum, "sum"},
      OneOfResults{out_norm, norm, "norm"}, stream, Named{x, "x"}, Named{residual, "residual"},
      Named{weight, "weight"}, Named{bias, "bias"}, eps);
}

kernelgen_status kernelgen_quantize(const kernelgen_tensor* x, kernelgen_dtype format,
                                    const kernelgen_tensor* out, const kernelgen_stream* stream,
                                    kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::quantize, out, stream, result, Named{x, "x"},
      NamedDType{format, "format"});
}

kernelgen_status kernelgen_dequantize(const kernelgen_tensor* x, kernelgen_dtype dtype,
                                      const kernelgen_tensor* out, const kernelgen_stream* stream,
                                      kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::dequantize, out, stream, result, Named{x, "x"},
      NamedDType{dtype, "dtype"});
}

kernelgen_status kernelgen_get_rows(const kernelgen_tensor* table, const kernelgen_tensor* ids,
                                    kernelgen_dtype dtype, const kernelgen_tensor* out,
                                    const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::get_rows, out, stream, result, Named{table, "table"},
      Named{ids, "ids"}, NamedDType{dtype, "dtype"});
}

kernelgen_status kernelgen_set_rows(const kernelgen_tensor* destination, const kernelgen_tensor* ids,
                                    const kernelgen_tensor* source, const kernelgen_stream* stream) {
  return call_in_place(__func__, kernelgen::set_rows, stream, Named{destination, "destination"},
      Named{ids, "ids"}, Named{source, "source"});
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

kernelgen_status kernelgen_rand_uniform(const kernelgen_device* device, size_t rank, const int64_t* shape,
                                        kernelgen_dtype dtype, kernelgen_scalar low, kernelgen_scalar high,
                                        const kernelgen_tensor* out, const kernelgen_stream* stream,
                                        kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::rand_uniform, out, stream, result, NamedDevice{device, "device"},
      Numbers{rank, shape, "shape"}, NamedDType{dtype, "dtype"}, low, high);
}

kernelgen_status kernelgen_rand_normal(const kernelgen_device* device, size_t rank, const int64_t* shape,
                                       kernelgen_dtype dtype, kernelgen_scalar mean,
                                       kernelgen_scalar deviation, const kernelgen_tensor* out,
                                       const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::rand_normal, out, stream, result, NamedDevice{device, "device"},
      Numbers{rank, shape, "shape"}, NamedDType{dtype, "dtype"}, mean, deviation);
}

kernelgen_status kernelgen_linear_recurrence(
    const kernelgen_tensor* q, const kernelgen_tensor* k, const kernelgen_tensor* v,
    const kernelgen_tensor* state, const kernelgen_tensor* decay, const kernelgen_tensor* rates,
    const kernelgen_tensor* removal, const kernelgen_tensor* insertion, const kernelgen_tensor* bonus,
    double scale, const kernelgen_tensor* delta, const kernelgen_tensor* before,
    const kernelgen_tensor* before_ids, int discretize, int tile_heads, const kernelgen_tensor* out,
    const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__,
      +[](const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& state, const Tensor* decay, const Tensor* rates, const Tensor* removal, const Tensor* insertion, const Tensor* bonus, double scale, const Tensor* delta, const Tensor* before, const Tensor* before_ids, bool discretize, bool tile_heads, const CallOptions& call) { return kernelgen::linear_recurrence(q, k, v, state, {.stream = call.stream, .out = call.out, .decay = decay, .rates = rates, .removal = removal, .insertion = insertion, .bonus = bonus, .scale = scale, .delta = delta, .before = before, .before_ids = before_ids, .discretize = discretize, .tile_heads = tile_heads}); },
      out, stream, result, Named{q, "q"}, Named{k, "k"}, Named{v, "v"}, Named{state, "state"},
      OptionalTensor{decay}, OptionalTensor{rates}, OptionalTensor{removal}, OptionalTensor{insertion},
      OptionalTensor{bonus}, scale, OptionalTensor{delta}, OptionalTensor{before}, OptionalTensor{before_ids},
      discretize != 0, tile_heads != 0);
}

kernelgen_status kernelgen_sum(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                               int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::sum, out, stream, result, Named{x, "x"},
      Numbers{dim_count, dims, "dims"}, keep_dims != 0);
}

kernelgen_status kernelgen_mean(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                                int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                                kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::mean, out, stream, result, Named{x, "x"},
      Numbers{dim_count, dims, "dims"}, keep_dims != 0);
}

kernelgen_status kernelgen_prod(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                                int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                                kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::prod, out, stream, result, Named{x, "x"},
      Numbers{dim_count, dims, "dims"}, keep_dims != 0);
}

kernelgen_status kernelgen_min(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                               int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::min, out, stream, result, Named{x, "x"},
      Numbers{dim_count, dims, "dims"}, keep_dims != 0);
}

kernelgen_status kernelgen_max(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                               int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::max, out, stream, result, Named{x, "x"},
      Numbers{dim_count, dims, "dims"}, keep_dims != 0);
}

kernelgen_status kernelgen_any(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                               int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::any, out, stream, result, Named{x, "x"},
      Numbers{dim_count, dims, "dims"}, keep_dims != 0);
}

kernelgen_status kernelgen_all(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                               int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::all, out, stream, result, Named{x, "x"},
      Numbers{dim_count, dims, "dims"}, keep_dims != 0);
}

kernelgen_status kernelgen_argmin(const kernelgen_tensor* x, const int64_t* dim, int keep_dims,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::argmin, out, stream, result, Named{x, "x"}, OptionalNumber{dim},
      keep_dims != 0);
}

kernelgen_status kernelgen_argmax(const kernelgen_tensor* x, const int64_t* dim, int keep_dims,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::argmax, out, stream, result, Named{x, "x"}, OptionalNumber{dim},
      keep_dims != 0);
}

kernelgen_status kernelgen_min_with_index(const kernelgen_tensor* x, const int64_t* dim, int keep_dims,
                                          const kernelgen_tensor* out_values,
                                          const kernelgen_tensor* out_indices, const kernelgen_stream* stream,
                                          kernelgen_tensor** values, kernelgen_tensor** indices) {
  return call_pair(__func__, kernelgen::min_with_index, OneOfResults{out_values, values, "values"},
      OneOfResults{out_indices, indices, "indices"}, stream, Named{x, "x"}, OptionalNumber{dim},
      keep_dims != 0);
}

kernelgen_status kernelgen_max_with_index(const kernelgen_tensor* x, const int64_t* dim, int keep_dims,
                                          const kernelgen_tensor* out_values,
                                          const kernelgen_tensor* out_indices, const kernelgen_stream* stream,
                                          kernelgen_tensor** values, kernelgen_tensor** indices) {
  return call_pair(__func__, kernelgen::max_with_index, OneOfResults{out_values, values, "values"},
      OneOfResults{out_indices, indices, "indices"}, stream, Named{x, "x"}, OptionalNumber{dim},
      keep_dims != 0);
}

kernelgen_status kernelgen_reduce(const char* operation, const kernelgen_tensor* x, size_t dim_count,
                                  const int64_t* dims, int keep_dims, const kernelgen_tensor* out,
                                  const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::reduce, out, stream, result, NamedText{operation, "operation"},
      Named{x, "x"}, Numbers{dim_count, dims, "dims"}, keep_dims != 0);
}

kernelgen_status kernelgen_reduce_inputs(const char* operation, const kernelgen_tensor* const* inputs,
                                         size_t input_count, size_t dim_count, const int64_t* dims,
                                         int keep_dims, const kernelgen_scalar* scalars, size_t scalar_count,
                                         const kernelgen_tensor* out, const kernelgen_stream* stream,
                                         kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::reduce_inputs, out, stream, result,
      NamedText{operation, "operation"}, Tensors{inputs, input_count, "inputs"},
      Numbers{dim_count, dims, "dims"}, keep_dims != 0, Scalars{scalars, scalar_count, "scalars"});
}

kernelgen_status kernelgen_rope(const kernelgen_tensor* x, const kernelgen_tensor* cos,
                                const kernelgen_tensor* sin, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::rope, out, stream, result, Named{x, "x"}, Named{cos, "cos"},
      Named{sin, "sin"});
}

kernelgen_status kernelgen_rope_i(const kernelgen_tensor* x, const kernelgen_tensor* cos,
                                  const kernelgen_tensor* sin, const kernelgen_tensor* out,
                                  const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::rope_i, out, stream, result, Named{x, "x"}, Named{cos, "cos"},
      Named{sin, "sin"});
}

kernelgen_status kernelgen_rope_thd(const kernelgen_tensor* x, const kernelgen_tensor* cos,
                                    const kernelgen_tensor* sin, const kernelgen_tensor* out,
                                    const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::rope_thd, out, stream, result, Named{x, "x"}, Named{cos, "cos"},
      Named{sin, "sin"});
}

kernelgen_status kernelgen_rope_qk(const kernelgen_tensor* q, const kernelgen_tensor* k,
                                   const kernelgen_tensor* cos, const kernelgen_tensor* sin,
                                   const kernelgen_tensor* out_q, const kernelgen_tensor* out_k,
                                   const kernelgen_stream* stream, kernelgen_tensor** q_result,
                                   kernelgen_tensor** k_result) {
  return call_pair(__func__, kernelgen::rope_qk, OneOfResults{out_q, q_result, "q_result"},
      OneOfResults{out_k, k_result, "k_result"}, stream, Named{q, "q"}, Named{k, "k"}, Named{cos, "cos"},
      Named{sin, "sin"});
}

kernelgen_status kernelgen_rope_i_qk(const kernelgen_tensor* q, const kernelgen_tensor* k,
                                     const kernelgen_tensor* cos, const kernelgen_tensor* sin,
                                     const kernelgen_tensor* out_q, const kernelgen_tensor* out_k,
                                     const kernelgen_stream* stream, kernelgen_tensor** q_result,
                                     kernelgen_tensor** k_result) {
  return call_pair(__func__, kernelgen::rope_i_qk, OneOfResults{out_q, q_result, "q_result"},
      OneOfResults{out_k, k_result, "k_result"}, stream, Named{q, "q"}, Named{k, "k"}, Named{cos, "cos"},
      Named{sin, "sin"});
}

kernelgen_status kernelgen_rope_thd_qk(const kernelgen_tensor* q, const kernelgen_tensor* k,
                                       const kernelgen_tensor* cos, const kernelgen_tensor* sin,
                                       const kernelgen_tensor* out_q, const kernelgen_tensor* out_k,
                                       const kernelgen_stream* stream, kernelgen_tensor** q_result,
                                       kernelgen_tensor** k_result) {
  return call_pair(__func__, kernelgen::rope_thd_qk, OneOfResults{out_q, q_result, "q_result"},
      OneOfResults{out_k, k_result, "k_result"}, stream, Named{q, "q"}, Named{k, "k"}, Named{cos, "cos"},
      Named{sin, "sin"});
}

kernelgen_status kernelgen_rope_set_rows(const kernelgen_tensor* q, const kernelgen_tensor* k,
                                         const kernelgen_tensor* v, const kernelgen_tensor* cos,
                                         const kernelgen_tensor* sin, const kernelgen_tensor* keys,
                                         const kernelgen_tensor* key_ids, const kernelgen_tensor* values,
                                         const kernelgen_tensor* value_ids, int are_neighbours,
                                         const kernelgen_tensor* out, const kernelgen_stream* stream,
                                         kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::rope_set_rows, out, stream, result, Named{q, "q"}, Named{k, "k"},
      Named{v, "v"}, Named{cos, "cos"}, Named{sin, "sin"}, Named{keys, "keys"}, Named{key_ids, "key_ids"},
      Named{values, "values"}, Named{value_ids, "value_ids"}, are_neighbours != 0);
}

kernelgen_status kernelgen_cumsum(const kernelgen_tensor* x, int64_t dim, const kernelgen_tensor* out,
                                  const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::cumsum, out, stream, result, Named{x, "x"}, dim);
}

kernelgen_status kernelgen_arange(const kernelgen_device* device, kernelgen_scalar start,
                                  kernelgen_scalar stop, kernelgen_scalar step, kernelgen_dtype dtype,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::arange, out, stream, result, NamedDevice{device, "device"}, start,
      stop, step, NamedDType{dtype, "dtype"});
}

kernelgen_status kernelgen_timestep_embedding(const kernelgen_tensor* x, int64_t columns, double max_period,
                                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                                              kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::timestep_embedding, out, stream, result, Named{x, "x"}, columns,
      max_period);
}

kernelgen_status kernelgen_solve_triangular(const kernelgen_tensor* a, const kernelgen_tensor* b, int upper,
                                            int unit_diagonal, const kernelgen_tensor* out,
                                            const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::solve_triangular, out, stream, result, Named{a, "a"},
      Named{b, "b"}, upper != 0, unit_diagonal != 0);
}

kernelgen_status kernelgen_arg_sort(const kernelgen_tensor* x, int ascending, const kernelgen_tensor* out,
                                    const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::arg_sort, out, stream, result, Named{x, "x"}, ascending != 0);
}

kernelgen_status kernelgen_sort(const kernelgen_tensor* x, int ascending, const kernelgen_tensor* out_values,
                                const kernelgen_tensor* out_indices, const kernelgen_stream* stream,
                                kernelgen_tensor** values, kernelgen_tensor** indices) {
  return call_pair(__func__, kernelgen::sort, OneOfResults{out_values, values, "values"},
      OneOfResults{out_indices, indices, "indices"}, stream, Named{x, "x"}, ascending != 0);
}

kernelgen_status kernelgen_top_k(const kernelgen_tensor* x, int64_t k, int64_t dim,
                                 const kernelgen_tensor* out_values, const kernelgen_tensor* out_indices,
                                 const kernelgen_stream* stream, kernelgen_tensor** values,
                                 kernelgen_tensor** indices) {
  return call_pair(__func__, kernelgen::top_k, OneOfResults{out_values, values, "values"},
      OneOfResults{out_indices, indices, "indices"}, stream, Named{x, "x"}, k, dim);
}
