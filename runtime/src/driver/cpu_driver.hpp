#pragma once
#include "driver/cpu_graph.hpp"
#include "driver/driver.hpp"
#include "driver/host_memory.hpp"
#include "driver/thread_pool.hpp"

namespace kernelgen {

/// The host as a device. A module is a shared object whose kernels run one block per call; the blocks of a
/// grid are distributed over threads. Every call is synchronous: a stream is always empty, so its handle is
/// null and waiting for it returns at once. Several threads may launch concurrently.
class CpuDriver final : public Driver {
 public:
  /// `threads` per grid, including the caller; 0 for the device's share of the cores available to this
  /// process.
  explicit CpuDriver(int threads);

  std::size_t free_memory() override;
  int threads() const override { return pool_.threads(); }
  bool are_threads_awake() const override { return pool_.are_awake(); }
  std::size_t cached_memory() override { return memory_.cached(); }
  void trim_memory() override { memory_.trim(); }
  void* allocate_pinned(std::size_t bytes) override { return memory_.allocate(bytes); }
  void free_pinned(void* memory, std::size_t bytes, void*) noexcept override { memory_.free(memory, bytes); }
  void copy_to_device(void* to, const void* from, std::size_t bytes, void* stream) override;
  void copy_to_host(void* to, const void* from, std::size_t bytes, void* stream) override;
  bool copy_to_peer(Driver& peer, void* to, const void* from, std::size_t bytes, void* stream) override;
  void copy_on_device(void* to, const void* from, std::size_t bytes, void* stream) override;
  void fill(void* to, std::uint8_t value, std::size_t bytes, void* stream) override;
  void* create_stream(Priority) override { return nullptr; }
  void destroy_stream(void*) noexcept override {}
  void synchronize_stream(void*) override {}
  void synchronize() override {}
  void* record_event(void* stream) override;
  void destroy_event(void* event) noexcept override;
  void synchronize_event(void*) override {}
  void wait_event(void*, void*) override {}
  void order(void*, void*) override {}
  void call_host(void* stream, void (*function)(void* data), void* data) override;
  double milliseconds_between(void* start, void* end) override;
  void* load_module(std::span<const std::byte> code, std::string_view name) override;
  void unload_module(void* module) noexcept override;
  void* find_function(void* module, std::string_view kernel) override;
  std::optional<std::vector<KernelArgument>> arguments(void* module, void* function,
                                                       std::string_view kernel) override;
  void launch(void* function, const LaunchShape& shape, std::span<const std::byte> arguments,
              void* stream) override;

  void discard_graph(void* graph) noexcept override { delete static_cast<CpuGraph*>(graph); }
  ExecutableGraph make_executable(void* graph) override;
  std::string update_executable(ExecutableGraph& executable, void* graph) override;
  void launch_executable(const ExecutableGraph& executable, void* stream) override;
  void destroy_executable(const ExecutableGraph& executable, void* stream) noexcept override;

 private:
  void* take_memory(std::size_t bytes, void*) override { return memory_.allocate(bytes); }
  void give_memory(void* memory, std::size_t bytes, void*) noexcept override { memory_.free(memory, bytes); }
  void start_capture(void* stream) override;
  void* finish_capture(void* stream) override;
  /// Records the work if this thread captures a graph on this device.
  template <class Work, class... Parameters>
  bool record(const Parameters&... parameters);
  void copy(void* to, const void* from, std::size_t bytes);

  HostMemory memory_;
  ThreadPool pool_;
  std::unique_ptr<CpuGraph> recorded_;  ///< accessed only by the capturing thread
};

}  // namespace kernelgen
