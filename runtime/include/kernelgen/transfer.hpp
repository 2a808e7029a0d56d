#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "kernelgen/tensor.hpp"

/// Asynchronous copies between a device and pinned host memory, and between devices.
namespace kernelgen {

/// Page-locked host memory, which a device copies from and to while the host and other streams work. Copies
/// of this object share it. It is released with the last of them, after the copies in flight, and cached,
/// because allocating it is slow. The program must order the host's accesses to it, by a wait for the stream
/// or an event.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  /// Uninitialised. Throws Error(out_of_memory).
  PinnedMemory(const Device& device, std::size_t bytes);
  std::span<std::byte> bytes() const;
  explicit operator bool() const { return impl_ != nullptr; }

 private:
  friend struct PinnedAccess;  // gives the library access to the state
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

/// Enqueues a copy in the stream, of the bytes from `offset` (in bytes) on to the tensor's elements in
/// row-major order. In a graph, each launch copies the contents at that time, and the graph keeps the memory.
/// Throws Error(invalid_argument) for a tensor that is not contiguous, is on another device, or is larger
/// than the remaining memory; Error(device).
void upload(const Tensor& destination, const PinnedMemory& source, std::size_t offset = 0,
            const Stream& stream = {});
/// Copies in the other direction, from a tensor of any layout. Throws as upload.
void download(const PinnedMemory& destination, const Tensor& source, std::size_t offset = 0,
              const Stream& stream = {});

/// Streams of a copy between devices.
struct PeerOptions {
  Stream from = {};  ///< on the tensor's device; the copy starts after its work
  Stream to = {};    ///< on the other device; allocates the result, and its later work waits for the copy
};

/// Copies the elements to another device; the result is contiguous. Between GPUs of one kind the host does
/// not wait, and the copy is direct if the GPUs can access each other. Otherwise it goes through the host,
/// which waits for it. On the same device it is copy(). Throws Error(invalid_argument) for streams of other
/// devices, and while the thread captures a graph; Error(out_of_memory), Error(device).
Tensor to_device(const Tensor& x, const Device& device, const PeerOptions& options = {});

}  // namespace kernelgen
