#include "amdgpu/hip/gpu.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <sstream>
#include <string_view>
#include <utility>

namespace kernelgen::amdgpu::hip {
namespace {

/// What hipDeviceProp_t::multiProcessorCount says of the largest card with that processor; on RDNA, work-group
/// processors. Programs choose their grids by it.
int compute_units_of(std::string_view target) {
  constexpr std::pair<std::string_view, int> known[] = {
      {"gfx900", 64},  {"gfx906", 60},  {"gfx908", 120}, {"gfx90a", 104}, {"gfx942", 304},
      {"gfx950", 256}, {"gfx1010", 20}, {"gfx1030", 40}, {"gfx1100", 48}, {"gfx1101", 30},
      {"gfx1151", 20}, {"gfx1200", 16}, {"gfx1201", 32},
  };
  const auto* const found = std::ranges::find(known, target, &std::pair<std::string_view, int>::first);
  return found == std::end(known) ? 32 : found->second;
}

/// Half of this machine's memory, so that a program that fills the device leaves the host some.
std::uint64_t memory_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE)) / 2;
}

/// `1`, or options with commas between: `seed=N`, `natural-alignment`. Nothing: launches are not checked.
Simulator::Options wanted_options() {
  Simulator::Options options;
  const char* const named = std::getenv("KERNELGEN_SIMULATED_CHECK");
  const std::string_view text = named == nullptr ? "" : named;
  if (text.empty() || text == "0") return options;
  CheckOptions checks;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word == "natural-alignment") {
      checks.natural_alignment = true;
    } else if (word.starts_with("seed=")) {
      checks.seed = std::strtoull(std::string(word.substr(5)).c_str(), nullptr, 10);
    } else if (word != "1") {
      throw Fault(Fault::Kind::arguments,
                  "KERNELGEN_SIMULATED_CHECK: '" + std::string(word) +
                      "' is not known; give 1, or seed=N and natural-alignment with a comma between");
    }
  }
  options.checks = checks;
  options.most_instructions = 500'000'000;
  return options;
}

void report(const Fault& fault) {
  const char* const file = std::getenv("KERNELGEN_SIMULATED_REPORT");
  std::FILE* const out = file == nullptr || *file == '\0' ? nullptr : std::fopen(file, "a");
  if (out == nullptr) {
    std::fprintf(stderr, "%s\n", fault.what());
    return;
  }
  std::fprintf(out, "%s\n", to_json(fault).c_str());
  std::fclose(out);
}

/// Never destroyed: what a program frees at its exit finds them.
struct Gpus {
  std::mutex mutex;
  std::vector<std::unique_ptr<Gpu>> all;

  Gpus() {
    const char* const named = std::getenv("KERNELGEN_SIMULATED_GPU");
    std::istringstream list(named == nullptr || *named == '\0' ? "gfx90a" : named);
    for (std::string processor; std::getline(list, processor, ',');)
      all.push_back(std::make_unique<Gpu>(processor));
  }
};
Gpus& gpus() {
  static Gpus& instance = *new Gpus;
  return instance;
}

thread_local int current = 0;
thread_local int status_since = hipSuccess;

int status_of(const Fault& fault) {
  switch (fault.kind()) {
    case Fault::Kind::code_object:
      return hipErrorInvalidImage;
    case Fault::Kind::arguments:
      return hipErrorInvalidValue;
    default:
      return hipErrorLaunchFailure;
  }
}

}  // namespace

Gpu::Gpu(const std::string& processor)
    : simulator(processor, wanted_options()),
      name("simulated " + processor),
      total_bytes(memory_bytes()),
      compute_units(compute_units_of(processor)) {}

int gpu_count() {
  Gpus& known = gpus();
  const std::lock_guard lock(known.mutex);
  return static_cast<int>(known.all.size());
}

Gpu& gpu_at(int ordinal) {
  Gpus& known = gpus();
  const std::lock_guard lock(known.mutex);
  if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= known.all.size())
    throw Fault(Fault::Kind::arguments,
                fmt::format("no simulated device {}: there are {}", ordinal, known.all.size()));
  return *known.all[static_cast<std::size_t>(ordinal)];
}

int gpu_of(const std::string& processor) {
  Gpus& known = gpus();
  const std::lock_guard lock(known.mutex);
  const auto found = std::ranges::find(known.all, processor, [](const auto& gpu) -> const std::string& {
    return gpu->simulator.isa().processor;
  });
  const auto ordinal = static_cast<int>(found - known.all.begin());
  if (found == known.all.end()) known.all.push_back(std::make_unique<Gpu>(processor));
  return ordinal;
}

int& current_ordinal() { return current; }

int ordinal_of(const Gpu& gpu) {
  Gpus& known = gpus();
  const std::lock_guard lock(known.mutex);
  return static_cast<int>(std::ranges::find(known.all, &gpu, &std::unique_ptr<Gpu>::get) - known.all.begin());
}

Gpu* owner_of(const void* address) {
  Gpus& known = gpus();
  const std::lock_guard lock(known.mutex);
  for (const auto& gpu : known.all)
    if (gpu->simulator.memory().find(reinterpret_cast<std::uint64_t>(address), 1).bytes != 0)
      return gpu.get();
  return nullptr;
}

Stream& stream_of(void* handle) {
  static Stream default_stream;
  return reinterpret_cast<std::uintptr_t>(handle) <= 2 ? default_stream : *static_cast<Stream*>(handle);
}

int last_error(bool clear) { return clear ? std::exchange(status_since, hipSuccess) : status_since; }

int with_gpu(const std::function<int(Gpu&)>& call) { return with_gpu(current, call); }

int with_gpu(int ordinal, const std::function<int(Gpu&)>& call) {
  const int status = [&] {
    Gpu* gpu = nullptr;
    try {
      gpu = &gpu_at(ordinal);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return static_cast<int>(hipErrorNoDevice);
    }
    try {
      return call(*gpu);
    } catch (const Fault& fault) {
      report(fault);
      return status_of(fault);
    } catch (const std::bad_alloc&) {
      return static_cast<int>(hipErrorOutOfMemory);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return static_cast<int>(hipErrorUnknown);
    }
  }();
  if (status != hipSuccess) status_since = status;
  return status;
}

int do_in(void* stream, std::string what, const std::function<int(Gpu&)>& work) {
  const Stream& in = stream_of(stream);
  const std::shared_ptr<Graph> graph = in.capture;
  if (graph == nullptr) return with_gpu(in.ordinal < 0 ? current : in.ordinal, work);
  const std::lock_guard lock(graph->mutex);
  graph->nodes.push_back({std::move(what), work});
  return hipSuccess;
}

int refuse_in_capture(void* stream) {
  const std::shared_ptr<Graph> graph = stream_of(stream).capture;
  if (graph == nullptr) return hipSuccess;
  const std::lock_guard lock(graph->mutex);
  graph->is_spoilt = true;
  return hipErrorStreamCaptureUnsupported;
}

}  // namespace kernelgen::amdgpu::hip
