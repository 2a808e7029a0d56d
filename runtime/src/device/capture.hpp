#pragma once
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "device/device_state.hpp"
#include "device/graph_memory.hpp"
#include "device/storage_uses.hpp"

namespace kernelgen {

/// A graph this thread captures, from begin() to end() or cancel(); at most one at a time.
class Capture {
 public:
  static Capture* of_this_thread() noexcept;

  /// Throws Error(invalid_argument) if the thread already captures, or if the stream is being captured
  /// through the driver's own functions; also the errors of Driver::begin_capture.
  static void begin(std::shared_ptr<DeviceState> state, const Stream& stream);
  /// Returns the capture with the driver's graph. Throws Error(device) and discards the capture.
  static std::unique_ptr<Capture> end(const DeviceState& state);
  static void cancel() noexcept;
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  const std::shared_ptr<DeviceState>& state() const { return state_; }
  const Stream& stream() const { return stream_; }
  GraphMemory& memory() const { return *memory_; }
  /// The bad-index state of the graph's launches.
  const std::shared_ptr<FaultQueue>& faults() const { return faults_; }
  /// Keeps memory this thread releases during the capture until the graph is destroyed.
  void keep(ReleasedMemory memory);
  /// Keeps another object the graph's work needs, such as another graph.
  void keep(std::shared_ptr<void> needed) { needed_.push_back(std::move(needed)); }
  /// Called at each launch of the graph.
  void keep_call(std::unique_ptr<std::function<void()>> work) { calls_.push_back(std::move(work)); }
  /// Records that the graph's work uses that memory, allocated before or by the graph. `always` tracks memory
  /// that is not freed in stream order, even if the program disabled tracking.
  void note(const std::shared_ptr<StorageUses>& memory, Access access, bool always = false);
  /// Makes a launch in that stream wait for the work of other streams on the memory it uses.
  void order_launch(const Stream& stream) const;

  /// Instantiates the driver's graph, or updates an existing executable.
  ExecutableGraph make_executable();
  std::string update(ExecutableGraph& executable);
  /// Defers freeing the graph's resources until the work in that stream is done; waits for host calls.
  void free_after(const Stream& stream) noexcept;

 private:
  Capture(std::shared_ptr<DeviceState> state, const Stream& stream);
  void mark_stream(bool is_captured);

  const std::shared_ptr<DeviceState> state_;
  const Stream stream_;
  const std::shared_ptr<FaultQueue> faults_;
  const std::shared_ptr<GraphMemory> memory_;
  struct Use {
    std::weak_ptr<StorageUses> memory;
    Access access;
  };

  std::vector<ReleasedMemory> kept_;
  std::vector<std::shared_ptr<void>> needed_;
  std::vector<std::unique_ptr<std::function<void()>>> calls_;
  using Uses = std::unordered_map<const StorageUses*, Use>;
  Uses uses_, always_followed_;
  void* graph_ = nullptr;  ///< the driver's
};

}  // namespace kernelgen
