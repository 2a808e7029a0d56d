#include <algorithm>
#include <limits>

#include "ops/table.hpp"

/// Convolutions, pooling and windows of [batch, channels, height, width].
namespace kernelgen::ggml {
namespace {

Tensor padded(const Call& call, const Tensor& x, std::span<const std::int64_t> around, double value) {
  const bool is_needed = std::ranges::any_of(around, [](std::int64_t n) { return n != 0; });
  return is_needed ? pad(x, around, around, value, call.options()) : x;
}

/// One dim of a sliding window.
struct Slide {
  std::int64_t stride, padding, dilation, kernel, outputs;
};

/// The windows of x [batch, channels, depth, height, width] as a view [batch, depth', height', width', channels, kd, kh, kw]
/// of its padded copy.
Tensor windows_of(const Call& call, const Tensor& x, std::span<const Slide, 3> slides) {
  const std::int64_t around[] = {0, 0, slides[0].padding, slides[1].padding, slides[2].padding};
  const Tensor wide = padded(call, x, around, 0);
  const Layout& of = wide.layout();
  Layout view{{of.shape[0]}, {of.strides[0]}, of.offset};
  for (std::size_t d = 0; d < 3; ++d) {
    view.shape.push_back(slides[d].outputs);
    view.strides.push_back(of.strides[2 + d] * slides[d].stride);
  }
  view.shape.push_back(of.shape[1]);
  view.strides.push_back(of.strides[1]);
  for (std::size_t d = 0; d < 3; ++d) {
    view.shape.push_back(slides[d].kernel);
    view.strides.push_back(of.strides[2 + d] * slides[d].dilation);
  }
  return wide.with_layout(view);
}

Slide slide(const Node& node, std::size_t stride, std::size_t padding, std::size_t dilation,
            std::int64_t kernel, std::int64_t input) {
  const std::int64_t s = integer(node, stride), p = integer(node, padding), d = integer(node, dilation);
  return {s, p, d, kernel, (input + 2 * p - d * (kernel - 1) - 1) / s + 1};
}

/// Whether a window fits the padded operand in that many dims. ggml has a result of one element where none fits.
bool do_windows_fit(const Node& node, std::size_t dims, std::size_t step) {
  for (std::size_t d = 0; d < dims; ++d) {
    const std::int64_t reach = integer(node, 2 * step + d) * (node.src[0]->ne[d] - 1) + 1;
    if (node.src[1]->ne[d] + 2 * std::int64_t{integer(node, step + d)} < reach) return false;
  }
  return true;
}

constexpr Slide still{1, 0, 1, 1, 1};

bool is_window_operand(const Node& node) {
  return is_type(&node, {Type::f32, Type::f16}) && is_type(node.src[1], {Type::f32, Type::f16}) &&
         is_contiguous(node);
}

bool is_im2col(const Node& node) {
  return is_window_operand(node) && do_windows_fit(node, integer(node, 6) == 1 ? 2 : 1, 2);
}

bool is_im2col_3d(const Node& node) { return is_window_operand(node) && do_windows_fit(node, 3, 3); }

/// Parameters: strides, paddings and dilations of width and height, then whether there is a height.
void im2col(const Call& call) {
  const Node &node = call.node(), &kernel = *node.src[0], &image = *node.src[1];
  const Tensor x = call.as(call.source(1), call.destination().dtype());
  const Slide along_width = slide(node, 0, 2, 4, kernel.ne[0], image.ne[0]);
  if (integer(node, 6) == 1) {
    const Slide slides[] = {still, slide(node, 1, 3, 5, kernel.ne[1], image.ne[1]), along_width};
    return call.put(windows_of(call, x.unsqueeze(2), slides));
  }
  const Slide slides[] = {still, still, along_width};
  call.put(windows_of(call, x.squeeze(0).unsqueeze(2).unsqueeze(2), slides));
}

/// x [batch · channels, depth, height, width] with its channels apart.
Tensor volumes(const Tensor& x, std::int64_t channels) {
  const Layout& of = x.layout();
  return x.with_layout(
      {{of.shape[0] / channels, channels, of.shape[1], of.shape[2], of.shape[3]},
       {of.strides[0] * channels, of.strides[0], of.strides[1], of.strides[2], of.strides[3]},
       of.offset});
}

Tensor volume_windows(const Call& call, DType dtype) {
  const Node &node = call.node(), &kernel = *node.src[0], &image = *node.src[1];
  const Slide slides[] = {slide(node, 2, 5, 8, kernel.ne[2], image.ne[2]),
                          slide(node, 1, 4, 7, kernel.ne[1], image.ne[1]),
                          slide(node, 0, 3, 6, kernel.ne[0], image.ne[0])};
  return windows_of(call, volumes(call.as(call.source(1), dtype), integer(node, 9)), slides);
}

void im2col_3d(const Call& call) { call.put(volume_windows(call, call.destination().dtype())); }

bool has_conv_types(const Node& node) { return is_f32(&node) && is_real(node.src[0]) && is_f32(node.src[1]); }
bool is_conv(const Node& node) { return has_conv_types(node) && !is_empty(*node.src[0]); }

bool is_conv_2d(const Node& node) { return is_conv(node) && do_windows_fit(node, 2, 2); }
bool is_conv_3d(const Node& node) { return has_conv_types(node) && do_windows_fit(node, 3, 3); }

/// Each output channel's kernel times the windows; sums of no products are 0.
void conv_3d(const Call& call) {
  if (is_empty(*call.node().src[0])) return const_set(call.destination(), 0, call.stream());
  const Tensor windows = call.contiguous(volume_windows(call, DType::f32)),
               weights = call.contiguous(call.f32(0));
  const std::int64_t batch = windows.shape()[0], outputs = integer(call.node(), 11),
                     terms = weights.elements() / outputs, positions = windows.elements() / batch / terms;
  const Tensor columns = windows.reshape({batch, positions, terms}).transpose(1, 2);
  call.put(matmul(weights.reshape({outputs, terms}), columns, call.options()));
}

Window2 window_of(const Node& node, std::int64_t groups) {
  Window2 window;
  window.stride = {integer(node, 1), integer(node, 0)};
  window.padding = {integer(node, 3), integer(node, 2)};
  window.dilation = {integer(node, 5), integer(node, 4)};
  window.groups = groups;
  return window;
}

void conv_2d(const Call& call) {
  const Window2 window = window_of(call.node(), 1);
  call.write_apart(
      [&](const CallOptions& options) { return conv2d(call.source(1), call.f32(0), window, options); });
}

void conv_2d_dw(const Call& call) {
  const Window2 window = window_of(call.node(), call.node().src[1]->ne[2]);
  call.write_apart(
      [&](const CallOptions& options) { return conv2d(call.source(1), call.f32(0), window, options); });
}

bool is_conv_transpose_1d(const Node& node) {
  return is_conv(node) && node.src[0]->ne[3] == 1 && node.src[1]->ne[2] == 1 && node.src[1]->ne[3] == 1;
}

void conv_transpose_1d_of(const Call& call) {
  const Tensor x = call.source(1).squeeze(0), weights = call.f32(0).squeeze(0);
  call.put(conv_transpose1d(x, weights, {.stride = integer(call.node(), 0)}, call.options()));
}

void conv_transpose_2d_of(const Call& call) {
  const std::int64_t stride = integer(call.node(), 0);
  call.write_apart([&](const CallOptions& options) {
    return conv_transpose2d(call.source(1), call.f32(0), {.stride = {stride, stride}}, options);
  });
}

enum Pool { greatest = 0, average = 1 };

bool is_pool(const Node& node) {
  return is_f32(&node) && is_real(node.src[0]) && integer(node, 0) <= average;
}

/// The greatest element ignores the padding, and the average counts it as zeros.
Tensor pooled(const Call& call, const Tensor& x, Size2 kernel, Size2 stride, Size2 padding) {
  const bool is_average = integer(call.node(), 0) == average;
  const std::int64_t around[] = {0, 0, padding.height, padding.width};
  const Tensor wide = padded(call, x, around, is_average ? 0 : std::numeric_limits<float>::lowest());
  return is_average ? avg_pool2d(wide, kernel, stride, call.options())
                    : max_pool2d(wide, kernel, stride, call.options());
}

void pool_2d(const Call& call) {
  const Node& node = call.node();
  call.put(pooled(call, call.f32(0), {integer(node, 2), integer(node, 1)},
                  {integer(node, 4), integer(node, 3)}, {integer(node, 6), integer(node, 5)}));
}

/// Here the average leaves the padding out: it is divided by the share of the window that is inside.
void pool_1d(const Call& call) {
  const Node& node = call.node();
  const Tensor x = call.f32(0);
  const Size2 kernel{1, integer(node, 1)}, stride{1, integer(node, 2)}, padding{0, integer(node, 3)};
  const Tensor y = pooled(call, x, kernel, stride, padding);
  if (integer(node, 0) != average || padding.width == 0) return call.put(y);
  const Tensor inside =
      pooled(call, call.number(1, DType::f32).broadcast_to({1, 1, 1, x.shape()[3]}), kernel, stride, padding);
  // A window outside has the sum 0, and so does its average.
  call.put(div(y, maximum(inside, call.number(1e-9, DType::f32), call.options()), call.options()));
}

bool is_col2im(const Node& node) {
  const Node& x = *node.src[0];
  return is_real(&node) && is_type(&x, {node.type}) && x.ne[2] == 1 && x.ne[3] == 1 && is_contiguous(x);
}

/// Adds column t's kernel element k to position t · stride + k; then crops.
void col2im_1d(const Call& call) {
  const std::int64_t stride = integer(call.node(), 0), channels = integer(call.node(), 1);
  const Node& columns = *call.node().src[0];
  const std::int64_t steps = columns.ne[1], kernel = columns.ne[0] / channels,
                     width = (steps - 1) * stride + kernel;
  const Tensor x = call.f32(0).reshape({steps, channels, kernel}),
               wide = call.zeros({channels, width}, DType::f32);
  for (std::int64_t k = 0; k < kernel; ++k) {
    const Tensor part = wide.with_layout({{channels, steps}, {width, stride}, k});
    copy_into(part, add(part, x.narrow(2, k, 1).squeeze(2).transpose(0, 1), call.options()), call.stream());
  }
  call.put(wide.narrow(1, integer(call.node(), 2), call.node().ne[0]));
}

bool is_windows(const Node& node) {
  return is_f32(&node) && is_f32(node.src[0]) && is_contiguous(*node.src[0]) && is_contiguous(node);
}

/// Windows [down · across, w, w, channels] of an image [down · w, across · w, channels], as a view in the order (down, across).
Tensor windows_view(const Tensor& image, std::int64_t down, std::int64_t across, std::int64_t w) {
  return image.reshape({down, w, across, w, image.shape()[2]}).transpose(1, 2);
}

/// The image [height, width, channels], with zeros after its ends, in windows.
void win_part(const Call& call) {
  const std::int64_t across = integer(call.node(), 0), down = integer(call.node(), 1),
                     w = integer(call.node(), 2);
  const Tensor x = call.source(0).squeeze(0);
  const std::int64_t before[] = {0, 0, 0}, after[] = {down * w - x.shape()[0], across * w - x.shape()[1], 0};
  call.put(windows_view(pad(x, before, after, 0, call.options()), down, across, w));
}

void win_unpart(const Call& call) {
  const Shape shape = call.destination().squeeze(0).shape();
  const std::int64_t w = integer(call.node(), 0), down = (shape[0] + w - 1) / w,
                     across = (shape[1] + w - 1) / w;
  const Tensor image = call.empty({down * w, across * w, shape[2]}, DType::f32),
               windows = call.source(0).reshape({down, across, w, w, shape[2]});
  copy_into(windows_view(image, down, across, w), windows, call.stream());
  call.put(image.narrow(0, 0, shape[0]).narrow(1, 0, shape[1]));
}

constexpr Operation operations[] = {
    {"WIN_PART", is_windows, win_part},
    {"WIN_UNPART", is_windows, win_unpart},
    {"IM2COL", is_im2col, im2col},
    {"IM2COL_3D", is_im2col_3d, im2col_3d},
    {"CONV_2D", is_conv_2d, conv_2d},
    {"CONV_2D_DW", is_conv_2d, conv_2d_dw},
    {"CONV_3D", is_conv_3d, conv_3d},
    {"CONV_TRANSPOSE_1D", is_conv_transpose_1d, conv_transpose_1d_of},
    {"CONV_TRANSPOSE_2D", is_conv, conv_transpose_2d_of},
    {"POOL_1D", is_pool, pool_1d},
    {"POOL_2D", is_pool, pool_2d},
    {"COL2IM_1D", is_col2im, col2im_1d},
};

}  // namespace

Operations image_operations() { return operations; }

}  // namespace kernelgen::ggml
