#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "driver/driver.hpp"

namespace kg {
struct IndexFault;
}

namespace kernelgen {

/// An index operation, as described in bad-index errors. Static lifetime: kernels pass its address through.
struct IndexOperation {
  const char* name;
  /// If call numbers encode an operand instead of a dim: the operands that can hold bad entries, and a bit
  /// per operand with signed numbers.
  std::array<const char*, 4> operands = {};
  unsigned signed_operands = 0;
  /// A manifest's, by coordinates: call numbers encode the tensor that was indexed. The result is the last operand.
  bool is_by_coordinates = false;
  std::size_t result = 0;  ///< among operands
};

/// The bad-index state of one queue: a stream, or one thread's use of the default queue.
struct FaultQueue;

/// Bad indices met by a device's kernels and not reported yet, kept for waiters of the queue that met them.
/// Thread-safe. Device memory is allocated in slabs, the first by reserve() or the first call.
class IndexFaults {
 public:
  explicit IndexFaults(Driver& driver);
  ~IndexFaults();
  IndexFaults(const IndexFaults&) = delete;
  IndexFaults& operator=(const IndexFaults&) = delete;

  std::shared_ptr<FaultQueue> add_stream(void* stream);
  /// State of a graph captured in the stream. Allocates now, because the graph's calls cannot.
  std::shared_ptr<FaultQueue> add_graph(void* stream);
  /// Reports faults of the graph's launches to waiters of the queue from now on.
  static void launched(const std::shared_ptr<FaultQueue>& graph, FaultQueue& queue);
  /// Call before the stream is destroyed. Unreported faults are left to synchronize().
  static void end(FaultQueue& queue);
  /// The default queue as used by the calling thread. Faults unreported when the thread ends go to the next
  /// thread that waits for the default queue.
  const std::shared_ptr<FaultQueue>& of_this_thread();

  /// Allocates device memory in advance of the first call. Throws Error(out_of_memory).
  void reserve();

  /// One call of an index operation; spans its launches.
  class Call {
   public:
    /// Throws Error(out_of_memory), only at a queue's first call.
    Call(IndexFaults& faults, FaultQueue& queue);

    /// The pointer passed to kernels.
    kg::IndexFault* record() const;
    /// The call's number for indices into that dim; 0 for a call that names operands.
    std::uint64_t number(std::size_t dim) const;

   private:
    FaultQueue& queue_;
    const std::lock_guard<std::mutex> lock_;
  };

  /// A position in a queue, after its calls so far.
  struct Point {
    std::shared_ptr<FaultQueue> queue;
    std::uint64_t last_call;
  };
  static Point point(std::shared_ptr<FaultQueue> queue);

  /// As Driver::synchronize_stream, synchronize_event and synchronize; also throw Error(index_out_of_range)
  /// for a bad index in the queue, in the queue before the point, or in any queue.
  void synchronize_stream(FaultQueue& queue);
  void synchronize_event(void* event, const Point& point);
  void synchronize();

 private:
  using Queues = std::vector<std::shared_ptr<FaultQueue>>;

  Queues all_queues();
  Queues ended_queues();
  kg::IndexFault* take_record();
  void add_slab();
  void* reader();
  kg::IndexFault read(const kg::IndexFault* record, void* stream);
  // Requires the queue's mutex. `stream` is where its work was enqueued.
  kg::IndexFault take(FaultQueue& queue, void* stream);
  kg::IndexFault hear(FaultQueue& queue, void* stream);
  kg::IndexFault hear_graphs(FaultQueue& queue);
  void retire(FaultQueue& queue);

  Driver& driver_;
  const std::uint64_t id_;
  std::atomic<std::uint64_t> calls_{0};
  std::once_flag reader_created_;
  void* reader_ = nullptr;  ///< a stream that waits for no other
  std::mutex mutex_;        ///< guards the members below; locked after a queue's mutex
  Queues queues_;
  std::vector<kg::IndexFault*> slabs_;
  std::vector<kg::IndexFault*> free_;  ///< records, all zero
};

}  // namespace kernelgen
