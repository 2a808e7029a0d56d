// Written by bindings/generate.py from kernelgen/ops; do not edit.
// clang-format off
#include "run/function.hpp"
#include "run/library.hpp"

namespace kernelgen::tool {

std::vector<Runnable> function_runnables() {
  using enum ParameterKind;
  return {
      function_runnable({.name = "to_dtype",
          .doc =
          "Converts to another dtype. To integers: truncated toward zero, saturating, NaN gives 0. Between\n"
          "integers: the low bits. To floats: rounded once, to nearest even. To f8e4m3: saturating at ±448.\n"
          "\n"
          "Element-wise operations: one result element from one element of each input. Inputs are broadcast to\n"
          "a common shape by NumPy's rule.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"dtype", dtype, {}}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::to_dtype),
      function_runnable({.name = "where_cond",
          .doc =
          "a where condition ≠ 0, else b. The condition is u8, u32, i16, i32 or i64; a and b have the same\n"
          "dtype.\n"
          "\n"
          "Element-wise operations: one result element from one element of each input. Inputs are broadcast to\n"
          "a common shape by NumPy's rule.",
          .inputs = {"condition", "a", "b"},
          .optional_inputs = 0,
          .parameters = {},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::where_cond),
      function_runnable({.name = "copy",
          .doc =
          "A contiguous copy (candle's copy_strided_src and try_clone).\n"
          "\n"
          "Element-wise operations: one result element from one element of each input. Inputs are broadcast to\n"
          "a common shape by NumPy's rule.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::copy),
      function_runnable({.name = "copy_into",
          .doc =
          "Writes the elements of `source` into the view `destination` (any layout without overlap, same dtype\n"
          "and shape) and nothing else of its storage. The two must not overlap in memory.\n"
          "\n"
          "Element-wise operations: one result element from one element of each input. Inputs are broadcast to\n"
          "a common shape by NumPy's rule.",
          .inputs = {"destination", "source"},
          .optional_inputs = 0,
          .parameters = {},
          .outputs = {"destination"},
          .bind = {}},
          kernelgen::copy_into),
      function_runnable({.name = "copy2d",
          .doc =
          "Copies `rows` rows of `columns` contiguous elements between contiguous tensors; row r starts at\n"
          "offset + r · stride. Offsets and strides are in elements; strides are not negative. Destination rows\n"
          "must not overlap, and all rows must be inside the tensors.\n"
          "\n"
          "Element-wise operations: one result element from one element of each input. Inputs are broadcast to\n"
          "a common shape by NumPy's rule.",
          .inputs = {"destination", "source"},
          .optional_inputs = 0,
          .parameters = {{"rows", integer, {}}, {"columns", integer, {}}, {"destination_stride", integer, {}}, {"source_stride", integer, {}}, {"destination_offset", integer, "0"}, {"source_offset", integer, "0"}},
          .outputs = {"destination"},
          .bind = {}},
          kernelgen::copy2d),
      function_runnable({.name = "const_set",
          .doc =
          "Sets every element of the view (any layout) and nothing else of its storage.\n"
          "\n"
          "Element-wise operations: one result element from one element of each input. Inputs are broadcast to\n"
          "a common shape by NumPy's rule.",
          .inputs = {"destination"},
          .optional_inputs = 0,
          .parameters = {{"value", number, {}}},
          .outputs = {"destination"},
          .bind = {}},
          kernelgen::const_set),
      function_runnable({.name = "conv2d",
          .doc =
          "Convolves [b, c, h, w] with the kernels [o, c / groups, kh, kw] (cross-correlation, as in common\n"
          "frameworks). The result is [b, o, (h + 2 · padding - dilation · (kh - 1) - 1) / stride + 1, and w\n"
          "alike]. Floating point; x and weight have one dtype. Sums are computed in f32, for f64 in f64, and\n"
          "rounded once.\n"
          "\n"
          "If the system has the libraries and they are faster, CUDA devices use cuDNN or cuBLASLt for f16,\n"
          "bf16, f32 and f64, also for transposed convolutions, and HIP devices use MIOpen for f16, bf16 and\n"
          "f32. The first call for given sizes, layout and alignment measures them and waits for the stream;\n"
          "make such a call before you capture a graph. KERNELGEN_CUDNN_LIBRARY, KERNELGEN_MIOPEN_LIBRARY and\n"
          "the environment variables of matmul() name the libraries to use instead, or `none`. Fails with the\n"
          "error unsupported if a named library cannot be opened, and the error device with the error that a\n"
          "library reports.\n"
          "\n"
          "Images: [batch, channels, height, width], or [batch, channels, length] where stated. Each spatial\n"
          "dim has fewer than 2^31 elements.",
          .inputs = {"x", "weight"},
          .optional_inputs = 0,
          .parameters = {{"stride", size, "1"}, {"padding", size, "0"}, {"dilation", size, "1"}, {"output_padding", size, "0"}, {"groups", integer, "1"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::conv2d),
      function_runnable({.name = "conv1d",
          .doc =
          "As conv2d for x: [b, c, l] and weight: [o, c / groups, k].\n"
          "\n"
          "Images: [batch, channels, height, width], or [batch, channels, length] where stated. Each spatial\n"
          "dim has fewer than 2^31 elements.",
          .inputs = {"x", "weight"},
          .optional_inputs = 0,
          .parameters = {{"stride", integer, "1"}, {"padding", integer, "0"}, {"dilation", integer, "1"}, {"output_padding", integer, "0"}, {"groups", integer, "1"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::conv1d),
      function_runnable({.name = "conv_transpose2d",
          .doc =
          "The gradient of conv2d with respect to its input: [b, c, h, w] with the kernels [c, o / groups, kh,\n"
          "kw] gives [b, o, (h - 1) · stride - 2 · padding + dilation · (kh - 1) + output_padding + 1, and w\n"
          "alike]. Dtypes as conv2d.\n"
          "\n"
          "Images: [batch, channels, height, width], or [batch, channels, length] where stated. Each spatial\n"
          "dim has fewer than 2^31 elements.",
          .inputs = {"x", "weight"},
          .optional_inputs = 0,
          .parameters = {{"stride", size, "1"}, {"padding", size, "0"}, {"dilation", size, "1"}, {"output_padding", size, "0"}, {"groups", integer, "1"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::conv_transpose2d),
      function_runnable({.name = "conv_transpose1d",
          .doc =
          "As conv_transpose2d for x: [b, c, l] and weight: [c, o / groups, k].\n"
          "\n"
          "Images: [batch, channels, height, width], or [batch, channels, length] where stated. Each spatial\n"
          "dim has fewer than 2^31 elements.",
          .inputs = {"x", "weight"},
          .optional_inputs = 0,
          .parameters = {{"stride", integer, "1"}, {"padding", integer, "0"}, {"dilation", integer, "1"}, {"output_padding", integer, "0"}, {"groups", integer, "1"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::conv_transpose1d),
      function_runnable({.name = "avg_pool2d",
          .doc =
          "The average of each window of `kernel` elements, with a step of `stride`, without padding: [b, c, h,\n"
          "w] becomes [b, c, (h - kernel.height) / stride.height + 1, (w - kernel.width) / stride.width + 1].\n"
          "Any dtype; the average of integers is the 64-bit sum, divided toward zero.\n"
          "\n"
          "Images: [batch, channels, height, width], or [batch, channels, length] where stated. Each spatial\n"
          "dim has fewer than 2^31 elements.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"kernel", size, {}}, {"stride", size, {}}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::avg_pool2d),
      function_runnable({.name = "max_pool2d",
          .doc =
          "The largest element of each window; NaN if the window has one. Otherwise as avg_pool2d.\n"
          "\n"
          "Images: [batch, channels, height, width], or [batch, channels, length] where stated. Each spatial\n"
          "dim has fewer than 2^31 elements.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"kernel", size, {}}, {"stride", size, {}}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::max_pool2d),
      function_runnable({.name = "upsample_nearest1d",
          .doc =
          "Resizes [b, c, l]: element i is x's element min(floor(i · (l / length)), l - 1). Any dtype.\n"
          "\n"
          "Images: [batch, channels, height, width], or [batch, channels, length] where stated. Each spatial\n"
          "dim has fewer than 2^31 elements.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"length", integer, {}}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::upsample_nearest1d),
      function_runnable({.name = "upsample_nearest2d",
          .doc =
          "Resizes [b, c, h, w], each dim as in upsample_nearest1d.\n"
          "\n"
          "Images: [batch, channels, height, width], or [batch, channels, length] where stated. Each spatial\n"
          "dim has fewer than 2^31 elements.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"size", size, {}}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::upsample_nearest2d),
      function_runnable({.name = "upsample_bilinear2d",
          .doc =
          "Resizes [b, c, h, w], interpolating between the four nearest elements, as PyTorch does. With\n"
          "`align_corners` the centers of the corner elements coincide, otherwise the corners of the images. In\n"
          "the latter case a given `scale` is used instead of size / (h, w), from which it may differ by\n"
          "rounding. Any dtype; integers are computed in f64 and truncated.\n"
          "\n"
          "Images: [batch, channels, height, width], or [batch, channels, length] where stated. Each spatial\n"
          "dim has fewer than 2^31 elements.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"size", size, {}}, {"align_corners", flag, "false"}, {"scale", scale, "none"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::upsample_bilinear2d),
      function_runnable({.name = "gather",
          .doc =
          "result[i, j, …] = x[i, ids[i, j, …], …], with the index in position `dim`. `ids` has x's rank and,\n"
          "in dims other than `dim`, at most x's extents. The result has the shape of ids.\n"
          "\n"
          "Gather and scatter along one dim by indices. Values have any dtype; `ids` are u8, u32, i16, i32 or\n"
          "i64; all have any layout. A negative `dim` counts from the end.\n"
          "\n"
          "An index equal to the largest value of its type (255 for u8) is skipped: reading gives 0, and\n"
          "nothing is written. Any other index outside 0 … size - 1 is skipped too, and the next wait for the\n"
          "stream, or copy to the host in it, fails with the error index_out_of_range with the operation, the\n"
          "dim, its size and the first such index of the earliest call.",
          .inputs = {"x", "ids"},
          .optional_inputs = 0,
          .parameters = {{"dim", integer, {}}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::gather),
      function_runnable({.name = "index_select",
          .doc =
          "Concatenates the slices x[…, ids[i], …] along `dim`. `ids` has rank 1.\n"
          "\n"
          "Gather and scatter along one dim by indices. Values have any dtype; `ids` are u8, u32, i16, i32 or\n"
          "i64; all have any layout. A negative `dim` counts from the end.\n"
          "\n"
          "An index equal to the largest value of its type (255 for u8) is skipped: reading gives 0, and\n"
          "nothing is written. Any other index outside 0 … size - 1 is skipped too, and the next wait for the\n"
          "stream, or copy to the host in it, fails with the error index_out_of_range with the operation, the\n"
          "dim, its size and the first such index of the earliest call.",
          .inputs = {"x", "ids"},
          .optional_inputs = 0,
          .parameters = {{"dim", integer, {}}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::index_select),
      function_runnable({.name = "scatter_set",
          .doc =
          "destination[i, ids[i, j, …], …] = source[i, j, …], in place; nothing else of the storage is written.\n"
          "`ids` has the rank of both, at most the extents of source and, in dims other than `dim`, at most\n"
          "those of destination. The elements of destination must not share memory. If indices are equal, the\n"
          "last one along `dim` wins.\n"
          "\n"
          "Gather and scatter along one dim by indices. Values have any dtype; `ids` are u8, u32, i16, i32 or\n"
          "i64; all have any layout. A negative `dim` counts from the end.\n"
          "\n"
          "An index equal to the largest value of its type (255 for u8) is skipped: reading gives 0, and\n"
          "nothing is written. Any other index outside 0 … size - 1 is skipped too, and the next wait for the\n"
          "stream, or copy to the host in it, fails with the error index_out_of_range with the operation, the\n"
          "dim, its size and the first such index of the earliest call.",
          .inputs = {"destination", "ids", "source"},
          .optional_inputs = 0,
          .parameters = {{"dim", integer, {}}},
          .outputs = {"destination"},
          .bind = {}},
          kernelgen::scatter_set),
      function_runnable({.name = "scatter_add_set",
          .doc =
          "The same with +=. Integers wrap; bf16, f16 and f8e4m3 are added in f32 and rounded once. The order\n"
          "in which floats are added may differ from call to call. With `deterministic` it is the order of the\n"
          "indices, which may be slower.\n"
          "\n"
          "Gather and scatter along one dim by indices. Values have any dtype; `ids` are u8, u32, i16, i32 or\n"
          "i64; all have any layout. A negative `dim` counts from the end.\n"
          "\n"
          "An index equal to the largest value of its type (255 for u8) is skipped: reading gives 0, and\n"
          "nothing is written. Any other index outside 0 … size - 1 is skipped too, and the next wait for the\n"
          "stream, or copy to the host in it, fails with the error index_out_of_range with the operation, the\n"
          "dim, its size and the first such index of the earliest call.",
          .inputs = {"destination", "ids", "source"},
          .optional_inputs = 0,
          .parameters = {{"dim", integer, {}}, {"deterministic", flag, "false"}},
          .outputs = {"destination"},
          .bind = {}},
          kernelgen::scatter_add_set),
      function_runnable({.name = "index_add",
          .doc =
          "A copy of x with source[…, i, …] added to its slice […, ids[i], …], as scatter_add_set adds. `ids`\n"
          "has rank 1; `source` has x's shape, except for the length of ids along `dim`.\n"
          "\n"
          "Gather and scatter along one dim by indices. Values have any dtype; `ids` are u8, u32, i16, i32 or\n"
          "i64; all have any layout. A negative `dim` counts from the end.\n"
          "\n"
          "An index equal to the largest value of its type (255 for u8) is skipped: reading gives 0, and\n"
          "nothing is written. Any other index outside 0 … size - 1 is skipped too, and the next wait for the\n"
          "stream, or copy to the host in it, fails with the error index_out_of_range with the operation, the\n"
          "dim, its size and the first such index of the earliest call.",
          .inputs = {"x", "ids", "source"},
          .optional_inputs = 0,
          .parameters = {{"dim", integer, {}}, {"deterministic", flag, "false"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::index_add),
      function_runnable({.name = "cross_entropy",
          .doc =
          "log Σ exp(logits) - logits[target] of each row. Logits are [..., classes], of any layout and rank 1\n"
          "or more; targets are [...] of u8, u32, i16, i32 or i64. Computed in f32, for f64 in f64, and rounded\n"
          "once, without loss of precision for logits far from zero.\n"
          "\n"
          "A target equal to the largest value of its type (255 for u8) has the loss 0. So does any other\n"
          "target outside 0 … classes - 1, and the next wait for the stream, or copy to the host in it, fails\n"
          "with the error index_out_of_range.\n"
          "\n"
          "If a row contains NaN, its log-sum-exp is NaN, and so is its loss unless set to 0 as above. If its\n"
          "greatest logit is +inf, the log-sum-exp and the loss are +inf, but the loss is NaN if the target's\n"
          "logit is +inf. If all its logits are -inf, the log-sum-exp is -inf and the loss NaN. In other rows,\n"
          "a target's logit of -inf gives the loss +inf. Fails with the error invalid_argument for rows without\n"
          "a logit.\n"
          "\n"
          "Losses along the last dim, of any length but 0; floating point.",
          .inputs = {"logits", "targets"},
          .optional_inputs = 0,
          .parameters = {},
          .outputs = {"loss", "log_sum_exp"},
          .bind = {}},
          kernelgen::cross_entropy),
      function_runnable({.name = "concat",
          .doc =
          "The tensors one after the other along `dim`. They have one dtype, which may be quantized, and one\n"
          "shape, except along `dim`, where any of them may be empty. Fails with the error invalid_argument\n"
          "without tensors.\n"
          "\n"
          "Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A\n"
          "negative `dim` counts from the end.",
          .inputs = {"a", "b", "c", "d", "e", "f", "g", "h"},
          .optional_inputs = 7,
          .parameters = {{"dim", integer, "0"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::concat),
      function_runnable({.name = "stack",
          .doc =
          "As concat, along a new dim: result[…, i, …] is tensor i. The tensors have one shape. A negative\n"
          "`dim` counts from the end of the result's shape.\n"
          "\n"
          "Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A\n"
          "negative `dim` counts from the end.",
          .inputs = {"a", "b", "c", "d", "e", "f", "g", "h"},
          .optional_inputs = 7,
          .parameters = {{"dim", integer, "0"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::stack),
      function_runnable({.name = "pad",
          .doc =
          "x with before[i] elements before and after[i] elements after it, all of them `value`, along each\n"
          "dim. `before` and `after` have equally many numbers, none negative: one for each of x's last dims.\n"
          "\n"
          "Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A\n"
          "negative `dim` counts from the end.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"before", shape, {}}, {"after", shape, {}}, {"value", number, "0"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::pad),
      function_runnable({.name = "pad_reflect",
          .doc =
          "As pad, with x mirrored at its first and last elements, which are not repeated: 3 2 | 1 2 3 | 2 1.\n"
          "Each number must be less than x's extent.\n"
          "\n"
          "Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A\n"
          "negative `dim` counts from the end.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"before", shape, {}}, {"after", shape, {}}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::pad_reflect),
      function_runnable({.name = "pad_replicate",
          .doc =
          "As pad, with the nearest element of x: 1 1 | 1 2 3 | 3 3.\n"
          "\n"
          "Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A\n"
          "negative `dim` counts from the end.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"before", shape, {}}, {"after", shape, {}}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::pad_replicate),
      function_runnable({.name = "pad_circular",
          .doc =
          "As pad, with the elements of the other end: 2 3 | 1 2 3 | 1 2. No number may exceed x's extent.\n"
          "\n"
          "Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A\n"
          "negative `dim` counts from the end.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"before", shape, {}}, {"after", shape, {}}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::pad_circular),
      function_runnable({.name = "roll",
          .doc =
          "x with its elements moved along dims[k] by shifts[k], those past an end to the other end: element i\n"
          "goes to (i + shift) mod extent. A shift may be negative; shifts of one dim add up.\n"
          "\n"
          "Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A\n"
          "negative `dim` counts from the end.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"shifts", shape, {}}, {"dims", dims, "all"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::roll),
      function_runnable({.name = "tril",
          .doc =
          "x with `value` in place of the elements of each matrix (the last two dims) that are more than\n"
          "`diagonal` columns right of the main diagonal, as in a causal mask. A negative `diagonal` counts to\n"
          "the left. `out` may be x itself if it is contiguous.\n"
          "\n"
          "Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A\n"
          "negative `dim` counts from the end.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"diagonal", integer, "0"}, {"value", number, "0"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::tril),
      function_runnable({.name = "triu",
          .doc =
          "As tril, for the elements that are fewer than `diagonal` columns right of the main diagonal.\n"
          "\n"
          "Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A\n"
          "negative `dim` counts from the end.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"diagonal", integer, "0"}, {"value", number, "0"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::triu),
      function_runnable({.name = "diag",
          .doc =
          "Matrices with the rows of x as their diagonals, zero elsewhere: [..., n] becomes [..., n, n].\n"
          "\n"
          "Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A\n"
          "negative `dim` counts from the end.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::diag),
      function_runnable({.name = "matmul",
          .doc =
          "y[…, i, j] = Σ_t a[…, i, t] · b[…, t, j] for a of shape [batch…, m, k] and b of [batch…, k, n], both\n"
          "of one dtype and of rank 2 or more. Batch dims are broadcast by NumPy's rule. Sums are accumulated\n"
          "in f32, for f64 in f64, and rounded once; k = 0 gives zeros. `out` must not overlap an input.\n"
          "\n"
          "f16 and bf16 give f32, the sums without rounding, if `out` is f32. a may then be f32 itself, with or\n"
          "without `out`: it is rounded to b's dtype first, as activations are for 16-bit weights.\n"
          "\n"
          "On the CPU, large f32 and f64 products use OpenBLAS, MKL or BLIS if the system has one of them. CUDA\n"
          "devices use cuBLASLt for most f16, bf16, f32 and f64 products, HIP devices hipBLASLt or rocBLAS. The\n"
          "environment variables KERNELGEN_BLAS_LIBRARY, KERNELGEN_CUBLASLT_LIBRARY,\n"
          "KERNELGEN_HIPBLASLT_LIBRARY and KERNELGEN_ROCBLAS_LIBRARY name the library to use instead, or\n"
          "`none`. Fails with the error unsupported if a named library cannot be opened, and the error device\n"
          "with the error that a library reports. A BLAS uses its own threads.\n"
          "\n"
          "Matrix products: bf16, f16, f32, f64, f8e4m3.",
          .inputs = {"a", "b"},
          .optional_inputs = 0,
          .parameters = {},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::matmul),
      function_runnable({.name = "softmax",
          .doc =
          "exp(x - max) / sum of exp(x - max).\n"
          "\n"
          "Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.\n"
          "Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if\n"
          "x is contiguous.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::softmax),
      function_runnable({.name = "scaled_softmax",
          .doc =
          "softmax of scale · x + slope · mask, computed without rounding those; for x of f64 in f64. A row\n"
          "whose elements are all masked gives NaN, with a sink zeros.\n"
          "\n"
          "Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.\n"
          "Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if\n"
          "x is contiguous.",
          .inputs = {"x", "mask", "slopes", "sinks"},
          .optional_inputs = 3,
          .parameters = {{"scale", number, "1"}},
          .outputs = {"y"},
          .bind = {}},
          +[](const Tensor& x, double scale, const Tensor* mask, const Tensor* slopes, const Tensor* sinks, const CallOptions& call) { return kernelgen::scaled_softmax(x, {.stream = call.stream, .out = call.out, .scale = scale, .mask = mask, .slopes = slopes, .sinks = sinks}); }),
      function_runnable({.name = "log_softmax",
          .doc =
          "The logarithm of softmax, computed without rounding softmax first.\n"
          "\n"
          "Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.\n"
          "Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if\n"
          "x is contiguous.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::log_softmax),
      function_runnable({.name = "rms_norm",
          .doc =
          "x / sqrt(mean of x² + eps) · weight. `weight` has the last dim's length and x's dtype. eps is\n"
          "rounded to f32, or is f64 for x of f64, and must then be finite and not negative.\n"
          "\n"
          "Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.\n"
          "Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if\n"
          "x is contiguous.",
          .inputs = {"x", "weight"},
          .optional_inputs = 0,
          .parameters = {{"eps", number, "1e-5"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::rms_norm),
      function_runnable({.name = "layer_norm",
          .doc =
          "(x - mean) / sqrt(variance + eps) · weight + bias, where the variance is the mean of the squared\n"
          "deviations from the mean. `weight`, `bias` and eps as in rms_norm.\n"
          "\n"
          "Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.\n"
          "Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if\n"
          "x is contiguous.",
          .inputs = {"x", "weight", "bias"},
          .optional_inputs = 0,
          .parameters = {{"eps", number, "1e-5"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::layer_norm),
      function_runnable({.name = "plain_rms_norm",
          .doc =
          "rms_norm and layer_norm without weights.\n"
          "\n"
          "Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.\n"
          "Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if\n"
          "x is contiguous.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"eps", number, "1e-5"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::plain_rms_norm),
      function_runnable({.name = "plain_layer_norm",
          .doc =
          "rms_norm and layer_norm without weights.\n"
          "\n"
          "Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.\n"
          "Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if\n"
          "x is contiguous.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"eps", number, "1e-5"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::plain_layer_norm),
      function_runnable({.name = "l2_norm",
          .doc =
          "x / max(sqrt(sum of x²), eps): rows of norm 1. eps as in rms_norm.\n"
          "\n"
          "Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.\n"
          "Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if\n"
          "x is contiguous.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"eps", number, "1e-5"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::l2_norm),
      function_runnable({.name = "group_norm",
          .doc =
          "plain_layer_norm of groups of channels, together with the dims after those: x is [batch, channels,\n"
          "...], and the channels are a multiple of `groups`.\n"
          "\n"
          "Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.\n"
          "Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if\n"
          "x is contiguous.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"groups", integer, {}}, {"eps", number, "1e-5"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::group_norm),
      function_runnable({.name = "add_rms_norm",
          .doc =
          "x + residual and its rms_norm, in one pass over memory. `residual` has x's shape and dtype, in any\n"
          "layout; `weight` and eps as in rms_norm.\n"
          "\n"
          "Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.\n"
          "Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if\n"
          "x is contiguous.",
          .inputs = {"x", "residual", "weight"},
          .optional_inputs = 0,
          .parameters = {{"eps", number, "1e-5"}},
          .outputs = {"sum", "norm"},
          .bind = {}},
          kernelgen::add_rms_norm),
      function_runnable({.name = "add_layer_norm",
          .doc =
          "x + residual and its layer_norm, as add_rms_norm; `weight`, `bias` and eps as in layer_norm.\n"
          "\n"
          "Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.\n"
          "Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if\n"
          "x is contiguous.",
          .inputs = {"x", "residual", "weight", "bias"},
          .optional_inputs = 0,
          .parameters = {{"eps", number, "1e-5"}},
          .outputs = {"sum", "norm"},
          .bind = {}},
          kernelgen::add_layer_norm),
      function_runnable({.name = "quantize",
          .doc =
          "Quantizes x of f32, f16 or bf16, any layout, rank 1 or more, to `format`, any quantized dtype but\n"
          "the iq1, iq2 and iq3 formats. The result is identical, byte for byte, to that of ggml's reference\n"
          "(quantize_row_*_ref) on x86 without contraction, also for blocks with infinities. A NaN's payload is\n"
          "ignored (ggml's K formats derive codes from it); if a scale is NaN, its bits may differ from ggml's.\n"
          "\n"
          "Quantized tensors: conversion and products. Their dtypes are ggml's formats, such as q4_0: codes of\n"
          "a few bits per element, and scales for each block of 32 to 256 elements along the last dim, whose\n"
          "length is a multiple of the block size. Host copies transfer the blocks' bytes, and views consist of\n"
          "whole blocks. Apart from copy, concat and stack, only the operations in this file take quantized\n"
          "tensors.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"format", dtype, {}}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::quantize),
      function_runnable({.name = "dequantize",
          .doc =
          "The elements of x, any view, as f32, f16 or bf16: bit for bit those of ggml's dequantize_row_*,\n"
          "rounded once.\n"
          "\n"
          "Quantized tensors: conversion and products. Their dtypes are ggml's formats, such as q4_0: codes of\n"
          "a few bits per element, and scales for each block of 32 to 256 elements along the last dim, whose\n"
          "length is a multiple of the block size. Host copies transfer the blocks' bytes, and views consist of\n"
          "whole blocks. Apart from copy, concat and stack, only the operations in this file take quantized\n"
          "tensors.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"dtype", dtype, "f32"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::dequantize),
      function_runnable({.name = "get_rows",
          .doc =
          "The rows of table [rows, n], quantized or f32, f16 or bf16, selected by ids, as f32, f16 or bf16:\n"
          "ids.shape + [n]. ids are u8, u32, i16, i32 or i64, of any shape and layout. An id equal to the\n"
          "largest value of its type gives zeros. So does any other id outside 0 … rows - 1, and the next wait\n"
          "for the stream, or copy to the host in it, fails with the error index_out_of_range.\n"
          "\n"
          "Quantized tensors: conversion and products. Their dtypes are ggml's formats, such as q4_0: codes of\n"
          "a few bits per element, and scales for each block of 32 to 256 elements along the last dim, whose\n"
          "length is a multiple of the block size. Host copies transfer the blocks' bytes, and views consist of\n"
          "whole blocks. Apart from copy, concat and stack, only the operations in this file take quantized\n"
          "tensors.",
          .inputs = {"table", "ids"},
          .optional_inputs = 0,
          .parameters = {{"dtype", dtype, "f32"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::get_rows),
      function_runnable({.name = "set_rows",
          .doc =
          "destination[..., ids[..., i], :] = source[..., i, :], in place, converted to destination's dtype:\n"
          "f32, f16, bf16 or quantized as by quantize. `source` [..., m, n] is f32, f16 or bf16; destination is\n"
          "[..., rows, n], with the same dims before those; ids, of u8, u32, i16, i32 or i64, are broadcast to\n"
          "[..., m] by NumPy's rule. All have any layout; rows of destination must not share memory. An id\n"
          "equal to the largest value of its type is skipped; so is any other id outside 0 … rows - 1, which is\n"
          "reported as by get_rows. If ids are equal, any of their rows may win.\n"
          "\n"
          "Quantized tensors: conversion and products. Their dtypes are ggml's formats, such as q4_0: codes of\n"
          "a few bits per element, and scales for each block of 32 to 256 elements along the last dim, whose\n"
          "length is a multiple of the block size. Host copies transfer the blocks' bytes, and views consist of\n"
          "whole blocks. Apart from copy, concat and stack, only the operations in this file take quantized\n"
          "tensors.",
          .inputs = {"destination", "ids", "source"},
          .optional_inputs = 0,
          .parameters = {},
          .outputs = {"destination"},
          .bind = {}},
          kernelgen::set_rows),
      function_runnable({.name = "quantized_matmul",
          .doc =
          "x Wᵀ for x [..., n] of f32, f16 or bf16 and any layout, and quantized weights W [rows, n]. The\n"
          "result is [..., rows], of x's dtype. If x has few rows, they are quantized to 8 bits with a scale\n"
          "for each 32 elements and multiplied in integers. If it has many, the product is computed in bf16 on\n"
          "devices with bf16 matrix instructions. The error before the result is rounded is, in both cases, at\n"
          "most half a step of those 8 bits times Σ|w| for each 32 elements, plus that of sums in f32. A row of\n"
          "x with a NaN gives NaN; one with an infinity gives no finite numbers.\n"
          "\n"
          "Quantized tensors: conversion and products. Their dtypes are ggml's formats, such as q4_0: codes of\n"
          "a few bits per element, and scales for each block of 32 to 256 elements along the last dim, whose\n"
          "length is a multiple of the block size. Host copies transfer the blocks' bytes, and views consist of\n"
          "whole blocks. Apart from copy, concat and stack, only the operations in this file take quantized\n"
          "tensors.",
          .inputs = {"x", "weights"},
          .optional_inputs = 0,
          .parameters = {},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::quantized_matmul),
      function_runnable({.name = "indexed_matmul",
          .doc =
          "The same with a matrix per result, as in mixtures of experts: y[t, j] = x[t, j] W[ids[t, j]]ᵀ. x is\n"
          "[tokens, k, n], or [tokens, 1, n] if the k results of a token share a row; W is [experts, rows, n],\n"
          "quantized or f32, f16 or bf16, to which x is rounded; ids are [tokens, k] of u8, u32, i16, i32 or\n"
          "i64. y is [tokens, k, rows]. Out of range, they give zeros and are reported as by get_rows.\n"
          "\n"
          "Quantized tensors: conversion and products. Their dtypes are ggml's formats, such as q4_0: codes of\n"
          "a few bits per element, and scales for each block of 32 to 256 elements along the last dim, whose\n"
          "length is a multiple of the block size. Host copies transfer the blocks' bytes, and views consist of\n"
          "whole blocks. Apart from copy, concat and stack, only the operations in this file take quantized\n"
          "tensors.",
          .inputs = {"x", "weights", "ids"},
          .optional_inputs = 0,
          .parameters = {},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::indexed_matmul),
      function_runnable({.name = "rand_uniform",
          .doc =
          "Uniformly distributed in [low, high). Both bounds must be finite and differ in that dtype. Results\n"
          "are rounded down, which keeps them in that range for every dtype.\n"
          "\n"
          "Random numbers, the same on every device: element i depends only on the device's seed, on the number\n"
          "of these calls since set_seed, and on i. Floating point.",
          .inputs = {},
          .optional_inputs = 0,
          .parameters = {{"shape", shape, {}}, {"dtype", dtype, "f32"}, {"low", number, "0"}, {"high", number, "1"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::rand_uniform),
      function_runnable({.name = "rand_normal",
          .doc =
          "Normally distributed. `deviation` must not be negative.\n"
          "\n"
          "Random numbers, the same on every device: element i depends only on the device's seed, on the number\n"
          "of these calls since set_seed, and on i. Floating point.",
          .inputs = {},
          .optional_inputs = 0,
          .parameters = {{"shape", shape, {}}, {"dtype", dtype, "f32"}, {"mean", number, "0"}, {"deviation", number, "1"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::rand_normal),
      function_runnable({.name = "linear_recurrence",
          .doc =
          "For each sequence b and head h, token by token, with a matrix S [V, K]:\n"
          "\n"
          "S = S · diag(decay[b, t, h]) + (S removal[b, t, h]) insertion[b, t, h]ᵀ + v[b, t, h] k[b, t, h]ᵀ,\n"
          "y[b, t, h] = scale · S q[b, t, h], or with a bonus y[b, t, h] = scale · (S + v (bonus[h] · k)ᵀ) q of\n"
          "the S before the token.\n"
          "\n"
          "`S removal` is of the S before the token, too. q and k are [B, T, H, K], or have G heads of which H\n"
          "is a multiple; v is [B, T, H, V]; y is [B, T, H, V]. `state` [B, H, V, K], contiguous or with each S\n"
          "transposed in memory, has the S before the first token, and those after the last when the work is\n"
          "done. Operands are f32, of any layout; sums are in f32. K is at most 2048. `out` must not overlap an\n"
          "operand, nor `state` any other but a `before` in the same memory.\n"
          "\n"
          "Linear recurrences: RWKV-6 and -7, Mamba and Mamba-2, gated linear attention, gated delta networks.\n"
          "f32.",
          .inputs = {"q", "k", "v", "state", "decay", "rates", "removal", "insertion", "bonus", "delta", "before", "before_ids"},
          .optional_inputs = 8,
          .parameters = {{"scale", number, "1"}, {"discretize", flag, "false"}, {"tile_heads", flag, "false"}},
          .outputs = {"y"},
          .bind = {}},
          +[](const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& state, const Tensor* decay, const Tensor* rates, const Tensor* removal, const Tensor* insertion, const Tensor* bonus, double scale, const Tensor* delta, const Tensor* before, const Tensor* before_ids, bool discretize, bool tile_heads, const CallOptions& call) { return kernelgen::linear_recurrence(q, k, v, state, {.stream = call.stream, .out = call.out, .decay = decay, .rates = rates, .removal = removal, .insertion = insertion, .bonus = bonus, .scale = scale, .delta = delta, .before = before, .before_ids = before_ids, .discretize = discretize, .tile_heads = tile_heads}); }),
      function_runnable({.name = "sum",
          .doc =
          "Integers are summed in 64 bits and wrap. An empty reduction gives 0.\n"
          "\n"
          "Reductions along any dims of any layout.\n"
          "\n"
          "Negative `dims` count from the end; none may occur twice. The result's shape is the input's without\n"
          "those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all:\n"
          "compares each element with 0).\n"
          "\n"
          "Results are deterministic on one device; rounding may differ between devices. The error of a sum of\n"
          "n terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the\n"
          "accumulator: f32 for bf16, f16, f8e4m3 and f32, f64 for f64.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"dims", dims, "all"}, {"keep_dims", flag, "false"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::sum),
      function_runnable({.name = "mean",
          .doc =
          "Integers: the sum in 64 bits, divided toward zero. An empty reduction gives NaN, for integers 0.\n"
          "\n"
          "Reductions along any dims of any layout.\n"
          "\n"
          "Negative `dims` count from the end; none may occur twice. The result's shape is the input's without\n"
          "those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all:\n"
          "compares each element with 0).\n"
          "\n"
          "Results are deterministic on one device; rounding may differ between devices. The error of a sum of\n"
          "n terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the\n"
          "accumulator: f32 for bf16, f16, f8e4m3 and f32, f64 for f64.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"dims", dims, "all"}, {"keep_dims", flag, "false"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::mean),
      function_runnable({.name = "prod",
          .doc =
          "An empty reduction gives 1.\n"
          "\n"
          "Reductions along any dims of any layout.\n"
          "\n"
          "Negative `dims` count from the end; none may occur twice. The result's shape is the input's without\n"
          "those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all:\n"
          "compares each element with 0).\n"
          "\n"
          "Results are deterministic on one device; rounding may differ between devices. The error of a sum of\n"
          "n terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the\n"
          "accumulator: f32 for bf16, f16, f8e4m3 and f32, f64 for f64.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"dims", dims, "all"}, {"keep_dims", flag, "false"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::prod),
      function_runnable({.name = "min",
          .doc =
          "If an element is NaN, the result is NaN. Fails with the error invalid_argument for an empty\n"
          "reduction.\n"
          "\n"
          "Reductions along any dims of any layout.\n"
          "\n"
          "Negative `dims` count from the end; none may occur twice. The result's shape is the input's without\n"
          "those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all:\n"
          "compares each element with 0).\n"
          "\n"
          "Results are deterministic on one device; rounding may differ between devices. The error of a sum of\n"
          "n terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the\n"
          "accumulator: f32 for bf16, f16, f8e4m3 and f32, f64 for f64.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"dims", dims, "all"}, {"keep_dims", flag, "false"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::min),
      function_runnable({.name = "max",
          .doc =
          "If an element is NaN, the result is NaN. Fails with the error invalid_argument for an empty\n"
          "reduction.\n"
          "\n"
          "Reductions along any dims of any layout.\n"
          "\n"
          "Negative `dims` count from the end; none may occur twice. The result's shape is the input's without\n"
          "those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all:\n"
          "compares each element with 0).\n"
          "\n"
          "Results are deterministic on one device; rounding may differ between devices. The error of a sum of\n"
          "n terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the\n"
          "accumulator: f32 for bf16, f16, f8e4m3 and f32, f64 for f64.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"dims", dims, "all"}, {"keep_dims", flag, "false"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::max),
      function_runnable({.name = "any",
          .doc =
          "u8: 1 if any element, or all elements, differ from zero, as NaN does. An empty reduction gives 0 for\n"
          "any, 1 for all.\n"
          "\n"
          "Reductions along any dims of any layout.\n"
          "\n"
          "Negative `dims` count from the end; none may occur twice. The result's shape is the input's without\n"
          "those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all:\n"
          "compares each element with 0).\n"
          "\n"
          "Results are deterministic on one device; rounding may differ between devices. The error of a sum of\n"
          "n terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the\n"
          "accumulator: f32 for bf16, f16, f8e4m3 and f32, f64 for f64.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"dims", dims, "all"}, {"keep_dims", flag, "false"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::any),
      function_runnable({.name = "all",
          .doc =
          "u8: 1 if any element, or all elements, differ from zero, as NaN does. An empty reduction gives 0 for\n"
          "any, 1 for all.\n"
          "\n"
          "Reductions along any dims of any layout.\n"
          "\n"
          "Negative `dims` count from the end; none may occur twice. The result's shape is the input's without\n"
          "those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all:\n"
          "compares each element with 0).\n"
          "\n"
          "Results are deterministic on one device; rounding may differ between devices. The error of a sum of\n"
          "n terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the\n"
          "accumulator: f32 for bf16, f16, f8e4m3 and f32, f64 for f64.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"dims", dims, "all"}, {"keep_dims", flag, "false"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::all),
      function_runnable({.name = "argmin",
          .doc =
          "u32: the index along `dim` of the least (argmin) or greatest (argmax) element; without `dim` the\n"
          "index among all elements in row-major order. Of equal elements it is the first; of NaNs, which win\n"
          "over numbers, the first NaN. Fails with the error invalid_argument for an empty reduction, and for\n"
          "more than 2^32 - 1 elements along the reduced extent.\n"
          "\n"
          "Reductions along any dims of any layout.\n"
          "\n"
          "Negative `dims` count from the end; none may occur twice. The result's shape is the input's without\n"
          "those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all:\n"
          "compares each element with 0).\n"
          "\n"
          "Results are deterministic on one device; rounding may differ between devices. The error of a sum of\n"
          "n terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the\n"
          "accumulator: f32 for bf16, f16, f8e4m3 and f32, f64 for f64.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"dim", dim, "all"}, {"keep_dims", flag, "false"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::argmin),
      function_runnable({.name = "argmax",
          .doc =
          "u32: the index along `dim` of the least (argmin) or greatest (argmax) element; without `dim` the\n"
          "index among all elements in row-major order. Of equal elements it is the first; of NaNs, which win\n"
          "over numbers, the first NaN. Fails with the error invalid_argument for an empty reduction, and for\n"
          "more than 2^32 - 1 elements along the reduced extent.\n"
          "\n"
          "Reductions along any dims of any layout.\n"
          "\n"
          "Negative `dims` count from the end; none may occur twice. The result's shape is the input's without\n"
          "those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all:\n"
          "compares each element with 0).\n"
          "\n"
          "Results are deterministic on one device; rounding may differ between devices. The error of a sum of\n"
          "n terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the\n"
          "accumulator: f32 for bf16, f16, f8e4m3 and f32, f64 for f64.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"dim", dim, "all"}, {"keep_dims", flag, "false"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::argmax),
      function_runnable({.name = "min_with_index",
          .doc =
          "The least or greatest element along `dim`, or of all elements, and its index as argmin or argmax\n"
          "gives it, in one pass. Of equal elements it is the first; the first NaN wins over numbers and is\n"
          "returned quiet; a zero may lose its sign. Errors as argmin and argmax.\n"
          "\n"
          "Reductions along any dims of any layout.\n"
          "\n"
          "Negative `dims` count from the end; none may occur twice. The result's shape is the input's without\n"
          "those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all:\n"
          "compares each element with 0).\n"
          "\n"
          "Results are deterministic on one device; rounding may differ between devices. The error of a sum of\n"
          "n terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the\n"
          "accumulator: f32 for bf16, f16, f8e4m3 and f32, f64 for f64.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"dim", dim, "all"}, {"keep_dims", flag, "false"}},
          .outputs = {"values", "indices"},
          .bind = {}},
          kernelgen::min_with_index),
      function_runnable({.name = "max_with_index",
          .doc =
          "The least or greatest element along `dim`, or of all elements, and its index as argmin or argmax\n"
          "gives it, in one pass. Of equal elements it is the first; the first NaN wins over numbers and is\n"
          "returned quiet; a zero may lose its sign. Errors as argmin and argmax.\n"
          "\n"
          "Reductions along any dims of any layout.\n"
          "\n"
          "Negative `dims` count from the end; none may occur twice. The result's shape is the input's without\n"
          "those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all:\n"
          "compares each element with 0).\n"
          "\n"
          "Results are deterministic on one device; rounding may differ between devices. The error of a sum of\n"
          "n terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the\n"
          "accumulator: f32 for bf16, f16, f8e4m3 and f32, f64 for f64.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"dim", dim, "all"}, {"keep_dims", flag, "false"}},
          .outputs = {"values", "indices"},
          .bind = {}},
          kernelgen::max_with_index),
      function_runnable({.name = "rope",
          .doc =
          "x: [batch, heads, positions, d]. Elements i and i + d/2 form a pair (a, b), which becomes (a · cos -\n"
          "b · sin, a · sin + b · cos).\n"
          "\n"
          "Rotary position embedding (Su et al., \"RoFormer\", 2021). Floating point; x, cos and sin have one\n"
          "dtype. cos and sin are [positions, d / 2] or [batch, positions, d / 2], with at least as many\n"
          "positions as x; d is even.",
          .inputs = {"x", "cos", "sin"},
          .optional_inputs = 0,
          .parameters = {},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::rope),
      function_runnable({.name = "rope_i",
          .doc =
          "As rope, but elements 2i and 2i + 1 form a pair.\n"
          "\n"
          "Rotary position embedding (Su et al., \"RoFormer\", 2021). Floating point; x, cos and sin have one\n"
          "dtype. cos and sin are [positions, d / 2] or [batch, positions, d / 2], with at least as many\n"
          "positions as x; d is even.",
          .inputs = {"x", "cos", "sin"},
          .optional_inputs = 0,
          .parameters = {},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::rope_i),
      function_runnable({.name = "rope_thd",
          .doc =
          "As rope for x: [batch, positions, heads, d].\n"
          "\n"
          "Rotary position embedding (Su et al., \"RoFormer\", 2021). Floating point; x, cos and sin have one\n"
          "dtype. cos and sin are [positions, d / 2] or [batch, positions, d / 2], with at least as many\n"
          "positions as x; d is even.",
          .inputs = {"x", "cos", "sin"},
          .optional_inputs = 0,
          .parameters = {},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::rope_thd),
      function_runnable({.name = "rope_qk",
          .doc =
          "Applies rope to queries and keys with the same angles, in one launch. The results are bit-identical\n"
          "to those of two calls. q and k have one dtype and d and may differ in all other dims: [batch, heads,\n"
          "positions, d] each.\n"
          "\n"
          "Rotary position embedding (Su et al., \"RoFormer\", 2021). Floating point; x, cos and sin have one\n"
          "dtype. cos and sin are [positions, d / 2] or [batch, positions, d / 2], with at least as many\n"
          "positions as x; d is even.",
          .inputs = {"q", "k", "cos", "sin"},
          .optional_inputs = 0,
          .parameters = {},
          .outputs = {"q", "k"},
          .bind = {}},
          kernelgen::rope_qk),
      function_runnable({.name = "rope_i_qk",
          .doc =
          "The same with rope_i.\n"
          "\n"
          "Rotary position embedding (Su et al., \"RoFormer\", 2021). Floating point; x, cos and sin have one\n"
          "dtype. cos and sin are [positions, d / 2] or [batch, positions, d / 2], with at least as many\n"
          "positions as x; d is even.",
          .inputs = {"q", "k", "cos", "sin"},
          .optional_inputs = 0,
          .parameters = {},
          .outputs = {"q", "k"},
          .bind = {}},
          kernelgen::rope_i_qk),
      function_runnable({.name = "rope_thd_qk",
          .doc =
          "The same with rope_thd.\n"
          "\n"
          "Rotary position embedding (Su et al., \"RoFormer\", 2021). Floating point; x, cos and sin have one\n"
          "dtype. cos and sin are [positions, d / 2] or [batch, positions, d / 2], with at least as many\n"
          "positions as x; d is even.",
          .inputs = {"q", "k", "cos", "sin"},
          .optional_inputs = 0,
          .parameters = {},
          .outputs = {"q", "k"},
          .bind = {}},
          kernelgen::rope_thd_qk),
      function_runnable({.name = "rope_set_rows",
          .doc =
          "Returns q rotated, and stores k, rotated too, and v as rows of caches, in one launch: what a step of\n"
          "decoding writes. q is [tokens, heads, d], k [tokens, key heads, d], v [tokens, n] and cos and sin\n"
          "are [tokens, d / 2], or have more positions; all are f32 of any layout. Pairs are those of rope, or\n"
          "of rope_i with `are_neighbours`. Token t is stored in row key_ids[t] of keys, [rows, key heads · d],\n"
          "and in row value_ids[t] of values, [rows, n], each f32, f16 or bf16 with contiguous rows; ids are\n"
          "u8, u32, i16, i32 or i64. Results are bit-identical to those of rope and set_rows; an id that is out\n"
          "of range, or the largest value of its type, means the same as there. `out` may be q, if that is\n"
          "contiguous; k and v may have no elements.\n"
          "\n"
          "Rotary position embedding (Su et al., \"RoFormer\", 2021). Floating point; x, cos and sin have one\n"
          "dtype. cos and sin are [positions, d / 2] or [batch, positions, d / 2], with at least as many\n"
          "positions as x; d is even.",
          .inputs = {"q", "k", "v", "cos", "sin", "keys", "key_ids", "values", "value_ids"},
          .optional_inputs = 0,
          .parameters = {{"are_neighbours", flag, "false"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::rope_set_rows),
      function_runnable({.name = "cumsum",
          .doc =
          "The inclusive prefix sum along `dim`; a negative `dim` counts from the end. Every dtype; x of any\n"
          "layout, of rank 1 or more. `out` may be x itself if it is contiguous. Integers wrap. Floats narrower\n"
          "than f64 are summed in f32, f64 in f64, and each element is rounded once; an element that sums n\n"
          "terms has the error bound of sum. NaN and infinities propagate to all later elements. Results are\n"
          "deterministic on one device. Fails with the error invalid_argument for a dim out of range.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"dim", integer, "-1"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::cumsum),
      function_runnable({.name = "arange",
          .doc =
          "start, start + step, start + 2 · step, …, up to but without `stop`: ceil((stop - start) / step)\n"
          "elements, none if that is negative. Every dtype; elements of floats are computed in f64 and rounded\n"
          "once. Fails with the error invalid_argument for a step of 0, for numbers that are not finite and, if\n"
          "the dtype is an integer, for numbers that are not, or a start that is outside its range.\n"
          "\n"
          "Numbers in sequence.",
          .inputs = {},
          .optional_inputs = 0,
          .parameters = {{"start", number, {}}, {"stop", number, {}}, {"step", number, "1"}, {"dtype", dtype, "f32"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::arange),
      function_runnable({.name = "timestep_embedding",
          .doc =
          "The sinusoidal embedding of points in time, as in diffusion models: x [n] of floats becomes [n,\n"
          "columns], of x's dtype. Row i has cos(x[i] · f_j), then sin(x[i] · f_j), for each j below half =\n"
          "columns / 2, and a zero if `columns` is odd; f_j = max_period^(-j / half). x has any layout.\n"
          "\n"
          "Numbers in sequence.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"columns", integer, {}}, {"max_period", number, "10000"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::timestep_embedding),
      function_runnable({.name = "solve_triangular",
          .doc =
          "The y of a · y = b for each matrix a [batch…, n, n], lower triangular, or upper if `upper`, and b\n"
          "[batch…, n, m], with equal batch dims. Elements beyond the diagonal are not read, nor the diagonal\n"
          "if `unit_diagonal`, which treats it as ones. Operands are f32, of any layout; sums are in f32. A\n"
          "zero on the diagonal gives infinities and NaN. `out` may be b itself if b is contiguous.\n"
          "\n"
          "Systems of linear equations. f32.",
          .inputs = {"a", "b"},
          .optional_inputs = 0,
          .parameters = {{"upper", flag, "false"}, {"unit_diagonal", flag, "false"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::solve_triangular),
      function_runnable({.name = "arg_sort",
          .doc =
          "u32, of x's shape: result[…, i] is the index, along the last dim, of the element at sorted position\n"
          "i.\n"
          "\n"
          "sort and arg_sort work along the last dim, of any length; every dtype; x of any layout and rank 1 or\n"
          "more. The order is stable in both directions; -0 equals +0, and NaN comes after every number in both\n"
          "directions. Fails with the error invalid_argument for rank 0 and for a last dim over 2^32 - 1.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"ascending", flag, "true"}},
          .outputs = {"y"},
          .bind = {}},
          kernelgen::arg_sort),
      function_runnable({.name = "sort",
          .doc =
          "The sorted elements, and their indices as arg_sort gives them. A NaN keeps its bits, a zero its\n"
          "sign.\n"
          "\n"
          "sort and arg_sort work along the last dim, of any length; every dtype; x of any layout and rank 1 or\n"
          "more. The order is stable in both directions; -0 equals +0, and NaN comes after every number in both\n"
          "directions. Fails with the error invalid_argument for rank 0 and for a last dim over 2^32 - 1.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"ascending", flag, "true"}},
          .outputs = {"values", "indices"},
          .bind = {}},
          kernelgen::sort),
      function_runnable({.name = "top_k",
          .doc =
          "The k greatest elements along `dim`, in descending order, and their indices along it: x's shape with\n"
          "extent k in that dim. Every dtype; x of any layout. Equal elements are ordered by index, -0 equals\n"
          "+0, and NaN comes before every number, as in max but unlike in sort. Without NaN the values are the\n"
          "first k of sort(x, false). Values keep their bits. Long rows are not sorted; a radix select finds\n"
          "their k-th element. Fails with the error invalid_argument for a dim out of range or over 2^32 - 1,\n"
          "and for a k below 0 or above the dim's extent.\n"
          "\n"
          "sort and arg_sort work along the last dim, of any length; every dtype; x of any layout and rank 1 or\n"
          "more. The order is stable in both directions; -0 equals +0, and NaN comes after every number in both\n"
          "directions. Fails with the error invalid_argument for rank 0 and for a last dim over 2^32 - 1.",
          .inputs = {"x"},
          .optional_inputs = 0,
          .parameters = {{"k", integer, {}}, {"dim", integer, "-1"}},
          .outputs = {"values", "indices"},
          .bind = {}},
          kernelgen::top_k),
  };
}

}  // namespace kernelgen::tool
