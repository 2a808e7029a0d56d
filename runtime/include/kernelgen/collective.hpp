#pragma once
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernelgen/call.hpp"

/// Collectives between devices, all of which take part in each call. CUDA devices use NCCL and HIP devices
/// RCCL; the libraries are opened at run time and work in the devices' streams. CPU devices of one process
/// exchange through memory, to test such programs; a call returns when all ranks have arrived.
///
/// All devices make the same calls in the same order, each from its own thread or process, or several from
/// one thread in a group(). Tensors have the same dtype and shape on all ranks. On the CPU, a mismatch of
/// shapes, dtypes or calls, and a rank that has been destroyed, throw Error(invalid_argument) on all ranks;
/// NCCL and RCCL do not check. Tensors may have any layout; results are contiguous. Calls on GPUs may be part
/// of a graph, calls on CPUs may not.
namespace kernelgen {

/// One rank of several devices that exchange tensors. Copies share it; only one thread may use it at a time.
class Communicator {
 public:
  /// Identifies a set of ranks. One process creates it and passes it to the others by its own means.
  using Id = std::array<char, 128>;
  /// Creates an id for devices of this device's kind. Throws Error(unsupported) if the library is missing.
  static Id make_id(const Device& device);

  Communicator() = default;
  /// Joins as rank `rank` of the `ranks` that use the same id. On a GPU it returns when all have joined;
  /// within a group() the group waits for them instead. Throws Error(invalid_argument), Error(unsupported) if
  /// the library is missing, Error(device).
  Communicator(const Device& device, int ranks, int rank, const Id& id);
  /// Creates one rank for each of these devices of this process, which must be of one kind. Throws the same
  /// errors.
  static std::vector<Communicator> of(std::span<const Device> devices);

  const Device& device() const;
  int rank() const;
  int ranks() const;
  explicit operator bool() const { return impl_ != nullptr; }

 private:
  friend struct CommunicatorAccess;  // gives the library access to the state
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

/// How elements of different ranks at the same index are combined.
enum class Reduction { sum, product, min, max, mean };

/// Reduces x over all ranks, element by element; every rank gets the result. u8, u32, i32, i64, bf16, f16,
/// f32, f64; no mean of integers. On a GPU the library determines the order of summation. On the CPU it is
/// that of the ranks, with bf16 and f16 summed in f32.
Tensor all_reduce(const Communicator& communicator, const Tensor& x, Reduction reduction = Reduction::sum,
                  const CallOptions& options = {});
/// As all_reduce, but each rank gets only its part along the first dim, whose extent must be a multiple of
/// ranks().
Tensor reduce_scatter(const Communicator& communicator, const Tensor& x, Reduction reduction = Reduction::sum,
                      const CallOptions& options = {});
/// Every rank gets the x of all ranks, concatenated along the first dim in rank order. Any dtype.
Tensor all_gather(const Communicator& communicator, const Tensor& x, const CallOptions& options = {});
/// Every rank gets the x of rank `root`. Any dtype.
Tensor broadcast(const Communicator& communicator, const Tensor& x, int root,
                 const CallOptions& options = {});
/// Sends x to rank `to`, which must call receive() with this rank as `from` and a contiguous tensor of as
/// many bytes. Two ranks that send to each other must use a group().
void send(const Communicator& communicator, const Tensor& x, int to, const Stream& stream = {});
void receive(const Communicator& communicator, const Tensor& result, int from, const Stream& stream = {});

/// Starts together, when `calls` returns, the calls above that it makes: those of one thread for several
/// devices, or sends and receives that wait for each other. Throws what `calls` throws, and the errors of its
/// calls.
void group(const std::function<void()>& calls);

}  // namespace kernelgen
