#include "call.hpp"

#include <algorithm>

#include "buffer.hpp"

namespace kernelgen::ggml {
namespace {

struct Range {
  const std::byte *begin, *end;
};

Range memory_of(const Node& node) {
  const auto* const begin = static_cast<const std::byte*>(node.data);
  std::size_t last = 0;
  for (std::size_t d = 1; d < max_dims; ++d) last += static_cast<std::size_t>(node.ne[d] - 1) * node.nb[d];
  const DType dtype = *dtype_of(node.type);
  const std::size_t row = static_cast<std::size_t>(
      is_quantized(dtype) ? bytes_of(dtype, node.ne[0])
                          : (node.ne[0] - 1) * static_cast<std::int64_t>(node.nb[0]) +
                                static_cast<std::int64_t>(size_of(dtype)));
  return {begin, begin + last + row};
}

}  // namespace

bool do_overlap(const Node& a, const Node& b) {
  if (is_empty(a) || is_empty(b)) return false;
  const Range p = memory_of(a), q = memory_of(b);
  return p.begin < q.end && q.begin < p.end;
}

bool SharedOperands::is_same_view(const Node& a, const Node& b) {
  return a.data == b.data && a.type == b.type && std::ranges::equal(a.ne, b.ne) &&
         std::ranges::equal(a.nb, b.nb);
}

Tensor Call::view(const Node& node) const {
  const Range range = memory_of(node);
  auto storage = borrow(device(), node.data, static_cast<std::size_t>(range.end - range.begin));
  return Tensor(std::move(storage), *dtype_of(node.type), *layout_of(node));
}

Tensor Call::as(const Tensor& x, DType dtype) const {
  if (x.dtype() == dtype) return x;
  if (is_quantized(x.dtype())) {
    if (dtype == DType::f64) return to_dtype(dequantize(x, DType::f32, options()), dtype, options());
    return dequantize(x, dtype, options());
  }
  if (is_quantized(dtype)) return quantize(as(x, DType::f32), dtype, options());
  return to_dtype(x, dtype, options());
}

Tensor Call::contiguous(const Tensor& x) const { return x.layout().is_contiguous() ? x : copy(x, options()); }

QuantizedColumns& Call::shared(std::size_t i, DType dtype) const {
  return workspace_.operands.of(*node_.src[i], dtype, [&] { return contiguous(as(source(i), dtype)); });
}

Tensor Call::number(double value, DType dtype) const {
  const Tensor one = empty({1}, dtype);
  const_set(one, value, stream());
  return one;
}

Tensor Call::range(std::int64_t n, double first, double step) const {
  return arange(device(), first, first + (static_cast<double>(n) - 0.5) * step, step, DType::f32, options());
}

void Call::put(const Tensor& result) const {
  const Tensor out = destination();
  const Tensor shaped = result.shape() == out.shape() ? result : contiguous(result).reshape(out.shape());
  const bool is_cast =
      shaped.dtype() != out.dtype() && !is_quantized(shaped.dtype()) && !is_quantized(out.dtype());
  if (is_cast && may_write_directly(false)) {
    to_dtype(shaped, out.dtype(), {.stream = stream(), .out = &out});
    return;
  }
  copy_into(out, as(shaped, out.dtype()), stream());
}

bool Call::may_write_directly(bool may_share) const {
  if (!is_contiguous(node_)) return false;
  for (const Node* source : node_.src) {
    if (source == nullptr || !do_overlap(node_, *source)) continue;
    const bool is_same = source->data == node_.data && source->type == node_.type && is_contiguous(*source) &&
                         is_same_shape(*source, node_);
    if (!may_share || !is_same) return false;
  }
  return true;
}

void Call::write_to(const std::function<Tensor(const CallOptions&)>& compute, bool may_share) const {
  if (!may_write_directly(may_share)) return put(compute(options()));
  const Tensor out = destination();
  compute({.stream = stream(), .out = &out});
}

Tiling::Tiling(const Shape& whole, const Shape& part) : whole_(whole), part_(part) {
  for (std::size_t d = 0; d < whole.size(); ++d) {
    if (part[d] != 1 && part[d] != whole[d]) shape_.push_back(whole[d] / part[d]);
    shape_.push_back(part[d] == 1 ? whole[d] : part[d]);
  }
}

bool Tiling::fits(const Node& whole, const Node& part) {
  for (std::size_t d = 0; d < max_dims; ++d)
    if (part.ne[d] <= 0 || whole.ne[d] % part.ne[d] != 0) return false;
  return true;
}

Tensor Tiling::split(const Tensor& whole) const {
  Layout layout{shape_, {}, whole.layout().offset};
  for (std::size_t d = 0; d < whole_.size(); ++d) {
    const std::int64_t stride = whole.layout().strides[d];
    if (part_[d] != 1 && part_[d] != whole_[d]) layout.strides.push_back(stride * part_[d]);
    layout.strides.push_back(stride);
  }
  return whole.with_layout(layout);
}

Tensor Tiling::repeat(const Tensor& part) const {
  Layout layout{shape_, {}, part.layout().offset};
  for (std::size_t d = 0; d < whole_.size(); ++d) {
    if (part_[d] != 1 && part_[d] != whole_[d]) layout.strides.push_back(0);
    layout.strides.push_back(part_[d] == 1 && whole_[d] != 1 ? 0 : part.layout().strides[d]);
  }
  return part.with_layout(layout);
}

}  // namespace kernelgen::ggml
