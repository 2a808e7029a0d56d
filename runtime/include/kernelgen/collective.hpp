#pragma once
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernelgen/call.hpp"

/// Exchange of tensors between devices, which all take part in each call: by NCCL between CUDA devices, by RCCL between HIP
/// devices, which are opened at run time and work in the devices' streams; between CPU devices of one process in its memory, to
/// try such programs, where a call returns when all have come.
///
/// The devices make the same calls in the same order, each by a thread or process of its own, or by one thread for several of
/// them in a group(). Tensors have one dtype and shape everywhere. On the CPU other shapes, dtypes and calls are
/// Error(invalid_argument) for all, and so is a rank that is gone; NCCL and RCCL do not look. Tensors of any layout are taken,
/// and results are contiguous. A GPU's calls may be part of a graph, a CPU's may not.
namespace kernelgen {

/// One of several devices that exchange tensors. Copies are the same one; used by one thread at a time.
class Communicator {
 public:
  /// What one of the processes makes, and tells the others by ways of its own.
  using Id = std::array<char, 128>;
  /// For devices of that one's kind. Throws Error(unsupported) where there is no library.
  static Id make_id(const Device& device);

  Communicator() = default;
  /// Rank `rank` of `ranks` that join with the same id; on a GPU it returns when all have, or in a group() at its end. Throws Error(invalid_argument),
  /// Error(unsupported) where there is no library, Error(device).
  Communicator(const Device& device, int ranks, int rank, const Id& id);
  /// One for each of this process's devices, which are of one kind. Throws the same.
  static std::vector<Communicator> of(std::span<const Device> devices);

  const Device& device() const;
  int rank() const;
  int ranks() const;
  explicit operator bool() const { return impl_ != nullptr; }

 private:
  friend struct CommunicatorAccess;  // the library's own way to it
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

/// What becomes of the elements that the ranks have at one place.
enum class Reduction { sum, product, min, max, mean };

/// Every rank gets the same: x of all ranks, element by element. u8, u32, i32, i64, bf16, f16, f32, f64; a mean not of
/// integers. On a GPU the order of a sum is the library's, on the CPU that of the ranks, in f32 for bf16 and f16.
Tensor all_reduce(const Communicator& communicator, const Tensor& x, Reduction reduction = Reduction::sum,
                  const CallOptions& options = {});
/// The same, of which each rank gets its part along the first dim, whose extent is a multiple of ranks().
Tensor reduce_scatter(const Communicator& communicator, const Tensor& x, Reduction reduction = Reduction::sum,
                      const CallOptions& options = {});
/// Every rank gets the x of all, one behind the other along the first dim. Any dtype.
Tensor all_gather(const Communicator& communicator, const Tensor& x, const CallOptions& options = {});
/// Every rank gets x of the rank `root`. Any dtype.
Tensor broadcast(const Communicator& communicator, const Tensor& x, int root,
                 const CallOptions& options = {});
/// From this rank to another, which calls receive() with a contiguous tensor of as many bytes, and this rank as `from`. Two
/// that send to each other do so in a group().
void send(const Communicator& communicator, const Tensor& x, int to, const Stream& stream = {});
void receive(const Communicator& communicator, const Tensor& result, int from, const Stream& stream = {});

/// The calls above that `calls` makes begin together, when it returns: those of one thread for several devices, or sends and
/// receives that wait for each other. Throws what `calls` does, and what its calls would have.
void group(const std::function<void()>& calls);

}  // namespace kernelgen
