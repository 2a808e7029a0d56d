#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "kernelgen/ops.hpp"
#include "kernelgen/quantized_columns.hpp"
#include "node.hpp"

namespace kernelgen::ggml {

/// Rotary tables of positions that several operations of a graph share.
struct Angles {
  Tensor cos, sin;
};

/// Whether elements of both have memory in common.
bool do_overlap(const Node& a, const Node& b);

/// Operands as several nodes of a graph read them: contiguous, of one dtype, quantized for products.
class SharedOperands {
 public:
  /// The node's elements in that dtype: made by `make()` unless one of the last nodes read them. Valid until the next call.
  template <class Make>
  QuantizedColumns& of(const Node& node, DType dtype, Make make) {
    for (Entry& entry : entries_)
      if (entry.operand.x.dtype() == dtype && is_same_view(entry.node, node)) return entry.operand;
    if (entries_.size() == most_entries) entries_.erase(entries_.begin());
    return entries_.emplace_back(node, QuantizedColumns{make()}).operand;
  }
  /// Forgets what was made of memory that `node` has written.
  void forget(const Node& node) {
    std::erase_if(entries_, [&](const Entry& entry) { return do_overlap(entry.node, node); });
  }
  void clear() { entries_.clear(); }

 private:
  struct Entry {
    Node node;
    QuantizedColumns operand;
  };
  static bool is_same_view(const Node& a, const Node& b);

  /// Bounds the memory of copies where no result's memory is written again, so that forget() drops none.
  static constexpr std::size_t most_entries = 4;
  std::vector<Entry> entries_;
};

/// What the operations of one stream share.
struct Workspace {
  Device device;
  Stream stream;
  std::map<std::vector<std::int32_t>, Tensor> constants = {};  ///< what the host computed, by its parameters
  /// Rotary tables by positions, frequency factors and parameters; valid while one graph is computed.
  std::map<std::tuple<const Node*, const Node*, std::vector<std::int32_t>>, Angles> angles = {};
  SharedOperands operands = {};  ///< likewise
};

/// One node's execution: its operands as tensors, and what it writes.
class Call {
 public:
  Call(Workspace& workspace, const Node& node) : workspace_(workspace), node_(node) {}

  const Node& node() const { return node_; }
  Workspace& workspace() const { return workspace_; }
  const Device& device() const { return workspace_.device; }
  const Stream& stream() const { return workspace_.stream; }
  CallOptions options() const { return {.stream = workspace_.stream}; }

  bool has(std::size_t i) const { return node_.src[i] != nullptr; }
  /// The operand's elements, where they are.
  Tensor source(std::size_t i) const { return view(*node_.src[i]); }
  /// The operand as f32: itself, or converted.
  Tensor f32(std::size_t i) const { return as(source(i), DType::f32); }
  Tensor destination() const { return view(node_); }
  Tensor view(const Node& node) const;

  /// Converted from any dtype, quantized ones too, if it is another one.
  Tensor as(const Tensor& x, DType dtype) const;
  Tensor contiguous(const Tensor& x) const;
  /// The operand, contiguous and of that dtype, which other nodes share.
  QuantizedColumns& shared(std::size_t i, DType dtype) const;
  Tensor empty(const Shape& shape, DType dtype) const {
    return Tensor::empty(device(), shape, dtype, stream());
  }
  Tensor zeros(const Shape& shape, DType dtype) const {
    return Tensor::zeros(device(), shape, dtype, stream());
  }
  /// One number, of rank 0 dims to broadcast from.
  Tensor number(double value, DType dtype) const;
  /// f32: first, first + step, …
  Tensor range(std::int64_t n, double first, double step) const;

  /// A vector that the host computes once for that key, by `make`. Keys start with a letter of the operation.
  template <class Make>
  Tensor constant(const std::vector<std::int32_t>& key, DType dtype, Make make) const {
    Tensor& kept = workspace_.constants[key];
    if (!kept) {
      const auto values = make();
      kept = Tensor::from_host(device(), std::as_bytes(std::span(values)),
                               {static_cast<std::int64_t>(values.size())}, dtype, stream());
    }
    return kept;
  }

  /// Writes the destination from a result of as many elements, in its order and any dtype.
  void put(const Tensor& result) const;

  /// Writes the destination by `compute(options)`, which must return the result in the destination's shape and dtype and
  /// write `options.out` if that is set. Element i of the result may only depend on elements i of operands that share the
  /// destination's memory, as in element-wise operations and norms of rows.
  template <class Compute>
  void write(Compute compute) const {
    write_to(std::function<Tensor(const CallOptions&)>(std::move(compute)), true);
  }
  /// The same for a result of that shape, of the destination's elements in order, which must not overlap an operand.
  template <class Compute>
  void write_as(const Shape& shape, Compute compute) const {
    write_apart([&](const CallOptions& options) {
      if (options.out == nullptr) return compute(options).reshape(destination().shape());
      const Tensor out = options.out->reshape(shape);
      return compute({.stream = options.stream, .out = &out});
    });
  }
  /// The same for operations whose result must not overlap an operand.
  template <class Compute>
  void write_apart(Compute compute) const {
    write_to(std::function<Tensor(const CallOptions&)>(std::move(compute)), false);
  }

 private:
  void write_to(const std::function<Tensor(const CallOptions&)>& compute, bool may_share) const;
  bool may_write_directly(bool may_share) const;

  Workspace& workspace_;
  const Node& node_;
};

/// Splits dims so that a tensor of extents that divide others' is broadcast over them by strides of 0: ggml repeats a
/// smaller operand as often as it fits.
class Tiling {
 public:
  Tiling(const Shape& whole, const Shape& part);
  static bool fits(const Node& whole, const Node& part);

  const Shape& shape() const { return shape_; }
  const Shape& whole() const { return whole_; }
  /// A tensor of the whole shape, viewed in the split one.
  Tensor split(const Tensor& whole) const;
  /// A tensor of the part's shape, repeated over the split one.
  Tensor repeat(const Tensor& part) const;

 private:
  Shape whole_, part_, shape_;
};

}  // namespace kernelgen::ggml
