#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "kernelgen/tensor.hpp"

/// Copies that the host does not wait for: between a device and memory of the host that it copies by itself, and between
/// devices.
namespace kernelgen {

/// Memory of the host that does not move, so that a device copies from and to it while the host and other streams work on.
/// Copies share it; it goes with the last of them, behind the copies that are under way, and is kept for those to come, as it
/// is slow to make. What the host reads and writes in it is the program's to order: behind a wait for the stream, or an event.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  /// Uninitialised. Throws Error(out_of_memory).
  PinnedMemory(const Device& device, std::size_t bytes);
  std::span<std::byte> bytes() const;
  explicit operator bool() const { return impl_ != nullptr; }

 private:
  friend struct PinnedAccess;  // the library's own way to it
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

/// Puts a copy into the stream: of the bytes from `offset` on to the tensor's elements, in row-major order. Part of a graph,
/// each launch copies what is there then, and the memory stays as long as the graph. Throws Error(invalid_argument) for a
/// tensor that is not contiguous, of another device, or that takes more bytes than there are; Error(device).
void upload(const Tensor& destination, const PinnedMemory& source, std::size_t offset = 0,
            const Stream& stream = {});
/// The other way, of a tensor of any layout. Throws as upload.
void download(const PinnedMemory& destination, const Tensor& source, std::size_t offset = 0,
              const Stream& stream = {});

/// Where a copy between devices works.
struct PeerOptions {
  Stream from = {};  ///< of the tensor's device: behind what is there, the copy begins
  Stream to =
      {};  ///< of the other device: behind what is there, its memory is there; what comes later waits for the copy
};

/// The elements on another device, contiguous. Between GPUs of one kind the host waits for nothing, and the copy goes from
/// one to the other where they reach each other; else it goes by the host, which waits for it. On the same device it is
/// copy(). Throws Error(invalid_argument) for streams of other devices, and while the thread captures a graph;
/// Error(out_of_memory), Error(device).
Tensor to_device(const Tensor& x, const Device& device, const PeerOptions& options = {});

}  // namespace kernelgen
