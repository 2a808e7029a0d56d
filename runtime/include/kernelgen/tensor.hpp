#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "kernelgen/device.hpp"
#include "kernelgen/dtype.hpp"
#include "kernelgen/layout.hpp"

namespace kernelgen {

class StorageUses;

/// Device memory. Released with the last tensor that uses it, after the work of all streams that use it
/// (Device::follow_streams). Borrowed memory is released by its owner's deleter, in the order of the default
/// queue.
class Storage : public std::enable_shared_from_this<Storage> {
 public:
  /// Uninitialised memory. Throws Error(out_of_memory).
  static std::shared_ptr<Storage> allocate(const Device& device, std::size_t bytes,
                                           const Stream& stream = {});
  /// Wraps memory owned elsewhere; `owner` is released with the storage. `data` must be aligned for the
  /// tensors over it, which Tensor checks. Operations refuse to write to memory borrowed with Access::read.
  static std::shared_ptr<Storage> borrow(const Device& device, void* data, std::size_t bytes,
                                         std::shared_ptr<void> owner, Access access = Access::write);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  const Device& device() const { return device_; }
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  bool is_read_only() const { return access_ == Access::read; }

  /// Call before enqueuing work that uses the memory in the stream: see Device::follow_streams. Operations
  /// call it themselves. Throws Error(invalid_argument) for a stream of another device, and for writing to
  /// read-only memory; Error(device).
  void use(const Stream& stream, Access access);
  /// Number of tracked streams that have read the memory since its last write, without the stream that wrote
  /// or allocated it.
  std::size_t readers() const;

 private:
  friend class Tensor;
  StorageUses& uses();
  Storage(Device device, void* data, std::size_t bytes, std::shared_ptr<void> owner, Stream stream,
          Access access);
  Device device_;
  void* data_;
  std::size_t bytes_;
  std::shared_ptr<void> owner_;
  Stream stream_;
  std::atomic<StorageUses*> uses_{nullptr};  ///< null until a use is tracked
  Access access_;
};

/// A typed view of a storage. Copies share the storage; views move no data.
class Tensor {
 public:
  Tensor() = default;
  /// Throws Error(invalid_argument) if the layout reaches outside the storage or has more than 2^63 - 1
  /// elements. If the strides of extent-1 dims, or the strides and offset of an empty view, point outside the
  /// storage, they are set to 0.
  Tensor(std::shared_ptr<Storage> storage, DType dtype, Layout layout);

  /// A contiguous, uninitialised tensor. Throws Error(invalid_argument) for a stream of another device, as
  /// does every function that takes a stream.
  static Tensor empty(const Device& device, const Shape& shape, DType dtype, const Stream& stream = {});
  static Tensor zeros(const Device& device, const Shape& shape, DType dtype, const Stream& stream = {});
  /// Copies `bytes`, row-major elements of that shape, to the device. Throws Error(invalid_argument) if the
  /// size does not match.
  static Tensor from_host(const Device& device, std::span<const std::byte> bytes, const Shape& shape,
                          DType dtype, const Stream& stream = {});

  /// The elements in row-major order, after all work in `stream` is done. Throws as Stream::synchronize does
  /// for that stream or the default queue; Error(out_of_memory) for more bytes than the host can hold.
  std::vector<std::byte> to_host(const Stream& stream = {}) const;
  /// As to_host(), into `bytes`. Throws Error(invalid_argument) if the size does not match.
  void to_host(std::span<std::byte> bytes, const Stream& stream = {}) const;

  /// Copies row-major elements to the device, with the dtype of T (see dtype_of): from_vector<float>(device, {1, 2},
  /// {2}). Throws as from_host.
  template <class T>
  static Tensor from_vector(const Device& device, const std::vector<T>& values, const Shape& shape,
                            const Stream& stream = {}) {
    return from_host(device, std::as_bytes(std::span(values)), shape, dtype_of<T>, stream);
  }
  /// The elements in row-major order. Throws as to_host; Error(invalid_argument) unless T is the dtype's C++ type.
  template <class T>
  std::vector<T> to_vector(const Stream& stream = {}) const {
    std::vector<T> values(count_of(dtype_of<T>));
    to_host(std::as_writable_bytes(std::span(values)), stream);
    return values;
  }

  explicit operator bool() const { return storage_ != nullptr; }
  const std::shared_ptr<Storage>& storage() const { return storage_; }
  const Device& device() const { return storage_->device(); }
  DType dtype() const { return dtype_; }
  const Layout& layout() const { return layout_; }
  const Shape& shape() const { return layout_.shape; }
  std::int64_t elements() const { return layout_.elements(); }
  /// Call before enqueuing work that reads or writes the elements by other means than this library's
  /// operations, for instance Device::launch: see Device::follow_streams. Throws as Storage::use.
  void use(const Stream& stream = {}, Access access = Access::write) const { storage_->use(stream, access); }
  /// Address of the element at index (0, 0, …).
  void* data() const;

  Tensor with_layout(Layout layout) const { return Tensor(storage_, dtype_, layout); }
  Tensor transpose(std::int64_t d0, std::int64_t d1) const { return with_layout(layout_.transpose(d0, d1)); }
  Tensor permute(std::span<const std::int64_t> order) const { return with_layout(layout_.permute(order)); }
  Tensor narrow(std::int64_t dim, std::int64_t start, std::int64_t length) const {
    return with_layout(layout_.narrow(dim, start, length));
  }
  Tensor broadcast_to(const Shape& shape) const { return with_layout(layout_.broadcast_to(shape)); }
  Tensor reshape(const Shape& shape) const { return with_layout(layout_.reshape(shape)); }
  Tensor squeeze(std::int64_t dim) const { return with_layout(layout_.squeeze(dim)); }
  Tensor unsqueeze(std::int64_t dim) const { return with_layout(layout_.unsqueeze(dim)); }

 private:
  /// Number of elements. Throws Error(invalid_argument) if the dtype differs from `wanted`.
  std::size_t count_of(DType wanted) const;

  std::shared_ptr<Storage> storage_;
  DType dtype_ = DType::f32;
  Layout layout_;
};

}  // namespace kernelgen
