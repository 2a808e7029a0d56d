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

/// An operation that reads indices, for what is told of a bad one. Of static life: kernels hand its address through.
struct IndexOperation {
  const char* name;
  /// Where a call's number is not made with a dim, but with the operand whose entries are bad: those operands, and a bit
  /// for each that holds signed numbers.
  std::array<const char*, 3> operands = {};
  unsigned signed_operands = 0;
};

/// What is known of the bad indices of one queue of work: a stream, or the default queue as one thread uses it.
struct FaultQueue;

/// Bad indices that a device's kernels have met and nobody has heard of yet, each kept for those who wait for the
/// queue it was met in. Thread-safe. Device memory is taken in slabs, the first by reserve() or the first call.
class IndexFaults {
 public:
  explicit IndexFaults(Driver& driver);
  ~IndexFaults();
  IndexFaults(const IndexFaults&) = delete;
  IndexFaults& operator=(const IndexFaults&) = delete;

  std::shared_ptr<FaultQueue> add_stream(void* stream);
  /// Of a graph that is captured in the stream. Takes its memory now, as its calls cannot.
  std::shared_ptr<FaultQueue> add_graph(void* stream);
  /// Those who wait for the queue hear from now on what the graph's launches meet.
  static void launched(const std::shared_ptr<FaultQueue>& graph, FaultQueue& queue);
  /// Before the stream is destroyed. What nobody has heard of is left to synchronize().
  static void end(FaultQueue& queue);
  /// The default queue as the calling thread uses it. What nobody has heard of when the thread ends is told to the
  /// next thread that waits for the default queue.
  const std::shared_ptr<FaultQueue>& of_this_thread();

  /// Takes device memory now, so that a first call does not. Throws Error(out_of_memory).
  void reserve();

  /// One call of an operation by index, from before its launches to behind them.
  class Call {
   public:
    /// Throws Error(out_of_memory), at a queue's first call only.
    Call(IndexFaults& faults, FaultQueue& queue);

    /// What the kernels are handed.
    kg::IndexFault* record() const;
    /// Of the call, for indices into that dim; for a call with operands of its own, 0.
    std::uint64_t number(std::size_t dim) const;

   private:
    FaultQueue& queue_;
    const std::lock_guard<std::mutex> lock_;
  };

  /// A place in a queue, behind its calls so far.
  struct Point {
    std::shared_ptr<FaultQueue> queue;
    std::uint64_t last_call;
  };
  static Point point(std::shared_ptr<FaultQueue> queue);

  /// Driver::synchronize_stream, Driver::synchronize_event and Driver::synchronize, which then throw
  /// Error(index_out_of_range) where there was a bad index: in the queue, in the queue before the point, or in any.
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
  // The queue's mutex is held. `stream` is where its work was put into.
  kg::IndexFault take(FaultQueue& queue, void* stream);
  kg::IndexFault hear(FaultQueue& queue, void* stream);
  kg::IndexFault hear_graphs(FaultQueue& queue);
  void retire(FaultQueue& queue);

  Driver& driver_;
  const std::uint64_t id_;
  std::atomic<std::uint64_t> calls_{0};
  std::once_flag reader_created_;
  void* reader_ = nullptr;  ///< a stream that waits for no other
  std::mutex mutex_;        ///< of what follows; taken behind a queue's
  Queues queues_;
  std::vector<kg::IndexFault*> slabs_;
  std::vector<kg::IndexFault*> free_;  ///< records, all zero
};

}  // namespace kernelgen
