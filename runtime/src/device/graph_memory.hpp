#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "device/device_state.hpp"

namespace kernelgen {

/// Device memory of one captured graph: what was allocated while it was captured. It is there as long as the graph, or a
/// tensor that was made then. Blocks that are given back serve what the same capture asks for later, as its work is done
/// in order. Thread-safe.
class GraphMemory final : public GraphMemorySource, public std::enable_shared_from_this<GraphMemory> {
 public:
  /// What is freed in the end is freed behind the work of `stream`.
  GraphMemory(std::shared_ptr<DeviceState> state, Stream stream)
      : state_(std::move(state)), stream_(std::move(stream)) {}
  ~GraphMemory() override;
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;

  std::shared_ptr<void> take(std::size_t bytes) override;

  bool owns(const void* data) const;
  std::size_t bytes() const;

 private:
  struct Block {
    void* data;
    std::size_t bytes;
    bool is_taken;
  };

  void* find_block(std::size_t bytes);
  void give_back(const void* data) noexcept;

  const std::shared_ptr<DeviceState> state_;
  const Stream stream_;
  mutable std::mutex mutex_;
  std::vector<Block> blocks_;
  void* queue_ = nullptr;  ///< that memory is allocated in, as the captured one does nothing
};

}  // namespace kernelgen
