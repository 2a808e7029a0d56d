#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "driver/block_cache.hpp"

#include "driver/current.hpp"
#include "driver/driver.hpp"
#include "driver/gpu_api.hpp"
#include "driver/stream_blocks.hpp"

namespace kernelgen {

/// A GPU accessed by HIP's or CUDA's driver API. The null stream is the API's default stream; streams created here
/// do not synchronise with it. A call makes the device current on its thread, and restores the previous one
/// if another library had set it.
class GpuDriver final : public Driver {
 public:
  /// Throws Error(unsupported) if the ordinal does not exist.
  GpuDriver(const GpuApi& api, std::string location, int ordinal);
  ~GpuDriver() override;

  /// For vendor libraries, which use the current device.
  Current make_current() const noexcept { return {api_, context_}; }
  /// Whether the stream is being captured and must not be waited for; true if the driver cannot tell.
  bool is_capturing(void* stream) const noexcept;

  std::size_t free_memory() override;
  std::size_t cached_memory() override;
  void trim_memory() override;
  void* allocate_pinned(std::size_t bytes) override;
  void free_pinned(void* memory, std::size_t bytes, void* stream) noexcept override;
  void copy_to_device(void* to, const void* from, std::size_t bytes, void* stream) override;
  void copy_to_host(void* to, const void* from, std::size_t bytes, void* stream) override;
  void copy_on_device(void* to, const void* from, std::size_t bytes, void* stream) override;
  bool copy_to_peer(Driver& peer, void* to, const void* from, std::size_t bytes, void* stream) override;
  void fill(void* to, std::uint8_t value, std::size_t bytes, void* stream) override;
  void* create_stream(Priority priority) override;
  void destroy_stream(void* stream) noexcept override;
  void synchronize_stream(void* stream) override;
  void synchronize() override;
  void* record_event(void* stream) override;
  void destroy_event(void* event) noexcept override;
  void synchronize_event(void* event) override;
  void wait_event(void* stream, void* event) override;
  void order(void* later, void* earlier) override;
  void call_host(void* stream, void (*function)(void* data), void* data) override;
  double milliseconds_between(void* start, void* end) override;
  void* load_module(std::span<const std::byte> code, std::string_view name) override;
  bool reads_code_later() const override { return api_.constants.reads_code_later; }
  void unload_module(void* module) noexcept override;
  void* find_function(void* module, std::string_view kernel) override;
  std::optional<std::vector<KernelArgument>> arguments(void* module, void* function,
                                                       std::string_view kernel) override;
  void launch(void* function, const LaunchShape& shape, std::span<const std::byte> arguments,
              void* stream) override;

  void discard_graph(void* graph) noexcept override;
  ExecutableGraph make_executable(void* graph) override;
  std::string update_executable(ExecutableGraph& executable, void* graph) override;
  void launch_executable(const ExecutableGraph& executable, void* stream) override;
  void destroy_executable(const ExecutableGraph& executable, void* stream) noexcept override;

 private:
  void* take_memory(std::size_t bytes, void* stream) override;
  void give_memory(void* memory, std::size_t bytes, void* stream) noexcept override;
  void start_capture(void* stream) override;
  void* finish_capture(void* stream) override;
  std::size_t count_nodes(void* graph) const;

  /// Calls the driver with the device current; throws on errors.
  template <class... Parameters, class... Arguments>
  void call(const GpuCall<Parameters...>& function, Arguments... arguments) const {
    const Current current(api_, context_);
    current.require();
    api_.invoke(function, arguments...);
  }
  /// The same without error reporting: the next call reports a device in error.
  template <class... Parameters, class... Arguments>
  void call_quietly(const GpuCall<Parameters...>& function, Arguments... arguments) const noexcept {
    if (driver_is_exiting()) return;
    // Also if the device cannot be made current: the handle identifies its device, and would leak.
    const Current current(api_, context_);
    function.function(arguments...);
  }

  class Blocks;

  void open_memory();
  void close_memory() noexcept;
  void open_pool();
  /// Whether blocks of that size are kept for their stream. A simulated GPU checks each access against the block that was
  /// asked for.
  bool keeps(std::size_t bytes) const {
    return pool_ != nullptr && !info_.is_simulated && bytes <= StreamBlocks::most_bytes;
  }
  void free_in_pool(void* memory, void* stream) noexcept {
    call_quietly(api_.calls.free_async, memory, stream);
  }
  /// Returns what is kept to the pool, except for streams that are captured, whose graph would free it. Whether there was any.
  bool trim_kept() noexcept;
  [[noreturn]] void refuse_memory(const char* call, int status, std::size_t bytes) const;
  void reach(const GpuDriver& peer);
  void* new_event(void* stream, unsigned flags);
  std::size_t pool_value(int attribute) const;

  const GpuApi& api_;
  const std::string location_;
  const int ordinal_;
  std::uintptr_t context_ = 0;
  void* pool_ = nullptr;  ///< null without stream-ordered allocation
  StreamBlocks kept_;     ///< of the pool
  std::unique_ptr<BlockSource> block_source_, pinned_source_;
  std::unique_ptr<BlockCache> blocks_;  ///< used without a pool
  std::unique_ptr<BlockCache> pinned_;
  std::mutex peers_mutex_;
  std::vector<int> peers_;  ///< ordinals of devices for which peer access was attempted
  std::mutex order_mutex_;
  void* order_event_ = nullptr;  ///< re-recorded each time: a wait refers to the state at the time of the
                                 ///< wait
};

}  // namespace kernelgen
