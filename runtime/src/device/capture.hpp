#pragma once
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "device/device_state.hpp"
#include "device/graph_memory.hpp"
#include "device/storage_uses.hpp"

namespace kernelgen {

/// A graph that this thread captures, from begin() to end() or cancel(); at most one at a time.
class Capture {
 public:
  static Capture* of_this_thread() noexcept;

  /// Throws Error(invalid_argument) where the thread captures already, or somebody has begun to capture the stream by the
  /// driver's own functions; what Driver::begin_capture does.
  static void begin(std::shared_ptr<DeviceState> state, const Stream& stream);
  /// What was captured, with the driver's graph in it. Throws Error(device), and then there is nothing left of it.
  static std::unique_ptr<Capture> end(const DeviceState& state);
  static void cancel() noexcept;
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  const std::shared_ptr<DeviceState>& state() const { return state_; }
  const Stream& stream() const { return stream_; }
  GraphMemory& memory() const { return *memory_; }
  /// What is known of bad indices that its launches meet.
  const std::shared_ptr<FaultQueue>& faults() const { return faults_; }
  /// Memory that this thread released meanwhile stays until the graph goes, and so does another graph.
  void keep(ReleasedMemory memory);
  /// So does whatever else its work needs, another graph say.
  void keep(std::shared_ptr<void> needed) { needed_.push_back(std::move(needed)); }
  /// Launches call it.
  void keep_call(std::unique_ptr<std::function<void()>> work) { calls_.push_back(std::move(work)); }
  /// Its work uses that memory, which was there before or is the graph's own. What is not freed in the order of a stream by
  /// itself has its uses followed also where the program wants none to be.
  void note(const std::shared_ptr<StorageUses>& memory, Access access, bool always = false);
  /// Lets a launch in that stream wait for what other streams do with the memory that it uses.
  void order_launch(const Stream& stream) const;

  /// Makes the driver's graph ready to be launched, in place of an executable that is there.
  ExecutableGraph make_executable();
  std::string update(ExecutableGraph& executable);
  /// Lets all that is freed with it be freed behind what is in that stream; calls of the host are waited for.
  void free_behind(const Stream& stream) noexcept;

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
