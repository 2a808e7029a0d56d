#include "driver/cpu_driver.hpp"

#include <unistd.h>
#include "common/format.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "common/quotient.hpp"
#include "driver/cpu_devices.hpp"
#include "driver/host_architecture.hpp"
#include "driver/shared_object.hpp"
#include "kernelgen/error.hpp"
#include "plan/launched_block.hpp"

namespace kernelgen {
namespace {

using Clock = std::chrono::steady_clock;

using Kernel = void (*)(const void* arguments, const kg::Block* block);

/// Copies and fills of at least this size justify waking other threads.
constexpr std::size_t parallel_bytes = std::size_t{1} << 20;
constexpr std::size_t chunk_bytes = std::size_t{256} << 10;

struct Launch {
  Kernel kernel;
  const void* arguments;
  LaunchShape shape;
};

void run_blocks(const void* context, std::uint64_t begin, std::uint64_t end) {
  const auto& launch = *static_cast<const Launch*>(context);
  const std::uint32_t *const grid = launch.shape.grid, *const threads = launch.shape.block;
  const std::uint64_t x = grid[0], y = grid[1];
  kg::LaunchedBlock block{{{static_cast<std::uint32_t>(begin % x), static_cast<std::uint32_t>(begin / x % y),
                            static_cast<std::uint32_t>(begin / x / y)},
                           {grid[0], grid[1], grid[2]}},
                          {threads[0], threads[1], threads[2]}};
  for (std::uint64_t i = begin; i < end; ++i) {
    launch.kernel(launch.arguments, &block);
    if (++block.index[0] < grid[0]) continue;
    block.index[0] = 0;
    if (++block.index[1] < grid[1]) continue;
    block.index[1] = 0;
    ++block.index[2];
  }
}

/// Calls work(first, bytes) for pieces of [0, bytes), on all threads if that pays off.
template <class Work>
void in_chunks(ThreadPool& pool, std::size_t bytes, const Work& work) {
  if (bytes < parallel_bytes) {
    if (bytes != 0) work(0, bytes);
    return;
  }
  struct Range {
    const Work& work;
    std::size_t bytes;
  } const range{work, bytes};
  const auto body = [](const void* context, std::uint64_t begin, std::uint64_t end) {
    const auto& whole = *static_cast<const Range*>(context);
    const std::size_t first = begin * chunk_bytes;
    whole.work(first, std::min<std::size_t>(end * chunk_bytes, whole.bytes) - first);
  };
  pool.run(quotient_up(bytes, chunk_bytes), body, &range);
}

/// Bytes after `key` ("MemAvailable:") in /proc/meminfo; 0 if the file cannot be read.
std::size_t meminfo(const std::string& key) {
  std::ifstream file("/proc/meminfo");
  std::string word;
  while (file >> word)
    if (std::size_t kilobytes = 0; word == key && file >> kilobytes) return kilobytes << 10;
  return 0;
}

std::size_t physical_memory() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const std::size_t colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "x86-64 processor";
}

}  // namespace

template <class Work, class... Parameters>
bool CpuDriver::record(const Parameters&... parameters) {
  if (capture_memory() == nullptr) return false;
  recorded_->nodes.emplace_back(std::in_place_type<Work>, Work{parameters...});
  return true;
}

CpuDriver::CpuDriver(int threads)
    : memory_(physical_memory() / 8),
      pool_(threads > 0 ? threads : std::max(1, usable_cores() / cpu_devices())) {
  info_ = {processor_name(), std::string(host_architecture()), physical_memory(), 1, pool_.threads()};
}

std::size_t CpuDriver::free_memory() { return meminfo("MemAvailable:") + memory_.cached(); }

void CpuDriver::copy(void* to, const void* from, std::size_t bytes) {
  in_chunks(pool_, bytes, [&](std::size_t first, std::size_t size) {
    std::memcpy(static_cast<std::byte*>(to) + first, static_cast<const std::byte*>(from) + first, size);
  });
}

void CpuDriver::copy_to_device(void* to, const void* from, std::size_t bytes, void*) {
  if (!record<CpuGraph::Copy>(to, from, bytes)) copy(to, from, bytes);
}

void CpuDriver::copy_to_host(void* to, const void* from, std::size_t bytes, void*) {
  if (!record<CpuGraph::Copy>(to, from, bytes)) copy(to, from, bytes);
}

bool CpuDriver::copy_to_peer(Driver& peer, void* to, const void* from, std::size_t bytes, void*) {
  if (dynamic_cast<CpuDriver*>(&peer) == nullptr) return false;
  copy(to, from, bytes);
  return true;
}

void CpuDriver::copy_on_device(void* to, const void* from, std::size_t bytes, void*) {
  if (!record<CpuGraph::Copy>(to, from, bytes)) copy(to, from, bytes);
}

void CpuDriver::fill(void* to, std::uint8_t value, std::size_t bytes, void*) {
  if (record<CpuGraph::Fill>(to, value, bytes)) return;
  in_chunks(pool_, bytes, [&](std::size_t first, std::size_t size) {
    std::memset(static_cast<std::byte*>(to) + first, value, size);
  });
}

void* CpuDriver::record_event(void*) { return new Clock::time_point(Clock::now()); }

void CpuDriver::destroy_event(void* event) noexcept { delete static_cast<Clock::time_point*>(event); }

void CpuDriver::call_host(void*, void (*function)(void* data), void* data) {
  if (!record<CpuGraph::HostCall>(function, data)) function(data);
}

double CpuDriver::milliseconds_between(void* start, void* end) {
  const auto elapsed = *static_cast<Clock::time_point*>(end) - *static_cast<Clock::time_point*>(start);
  return std::chrono::duration<double, std::milli>(elapsed).count();
}

void* CpuDriver::load_module(std::span<const std::byte> code, std::string_view name) {
  return new SharedObject(code, name);
}

void CpuDriver::unload_module(void* module) noexcept { delete static_cast<SharedObject*>(module); }

void* CpuDriver::find_function(void* module, std::string_view kernel) {
  return static_cast<SharedObject*>(module)->symbol(std::string(kernel));
}

std::optional<std::vector<KernelArgument>> CpuDriver::arguments(void* module, void*,
                                                                std::string_view kernel) {
  // kg::ArgumentTable of kernels/device/cpu.hpp: the count, the total bytes, then each argument.
  const auto* table = static_cast<const std::uint32_t*>(
      static_cast<SharedObject*>(module)->symbol(std::string(kernel) + "_args"));
  if (table == nullptr) return std::nullopt;
  std::vector<KernelArgument> all(table[0]);
  std::memcpy(all.data(), table + 2, all.size() * sizeof all[0]);
  return all;
}

void CpuDriver::launch(void* function, const LaunchShape& shape, std::span<const std::byte> arguments,
                       void*) {
  if (record<CpuGraph::Launch>(function, shape, arguments)) return;
  // Kernels read their arguments in place, as structs; GPU drivers copy them.
  std::vector<std::uint64_t> aligned;
  const void* block_arguments = arguments.data();
  if (reinterpret_cast<std::uintptr_t>(block_arguments) % 16 != 0) {
    aligned.resize((arguments.size() + 7) / 8);
    std::memcpy(aligned.data(), arguments.data(), arguments.size());
    block_arguments = aligned.data();
  }
  const Launch launch{reinterpret_cast<Kernel>(function), block_arguments, shape};
  std::uint64_t blocks = std::uint64_t{shape.grid[0]} * shape.grid[1];
  if (__builtin_mul_overflow(blocks, shape.grid[2], &blocks))
    throw Error(Code::invalid_argument, formatted("a grid of {} x {} x {} blocks is more than can be counted",
                                                  shape.grid[0], shape.grid[1], shape.grid[2]));
  pool_.run(blocks, run_blocks, &launch);
}

void CpuDriver::start_capture(void*) { recorded_ = std::make_unique<CpuGraph>(); }

void* CpuDriver::finish_capture(void*) { return recorded_.release(); }

ExecutableGraph CpuDriver::make_executable(void* graph) {
  return {graph, static_cast<CpuGraph*>(graph)->nodes.size()};
}

std::string CpuDriver::update_executable(ExecutableGraph& executable, void* graph) {
  discard_graph(executable.handle);
  executable = make_executable(graph);
  return {};
}

void CpuDriver::launch_executable(const ExecutableGraph& executable, void* stream) {
  struct Replay {
    CpuDriver& driver;
    void* stream;
    void operator()(const CpuGraph::Launch& l) const {
      driver.launch(l.function, l.shape, l.block(), stream);
    }
    void operator()(const CpuGraph::Copy& c) const { driver.copy(c.to, c.from, c.bytes); }
    void operator()(const CpuGraph::Fill& f) const { driver.fill(f.to, f.value, f.bytes, stream); }
    void operator()(const CpuGraph::HostCall& c) const { c.function(c.data); }
  };
  for (const auto& node : static_cast<const CpuGraph*>(executable.handle)->nodes)
    std::visit(Replay{*this, stream}, node);
}

void CpuDriver::destroy_executable(const ExecutableGraph& executable, void*) noexcept {
  discard_graph(executable.handle);
}

}  // namespace kernelgen
