#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "device/device_state.hpp"

namespace kernelgen {

/// Device memory of one captured graph, allocated during its capture. Lives as long as the graph and all
/// tensors created in the capture. Freed blocks are reused within the same capture, as its work runs in
/// order. Thread-safe.
class GraphMemory final : public GraphMemorySource, public std::enable_shared_from_this<GraphMemory> {
 public:
  /// Memory is freed after the work of `stream`.
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
  void* queue_ = nullptr;  ///< where memory is allocated, as the captured queue executes nothing
};

}  // namespace kernelgen
