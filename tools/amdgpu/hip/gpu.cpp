#include "amdgpu/hip/gpu.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>

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

std::string wanted_target() {
  const char* const named = std::getenv("KERNELGEN_SIMULATED_GPU");
  return named == nullptr || *named == '\0' ? "gfx90a" : named;
}

/// Never destroyed: what a program frees at its exit finds it.
Gpu& the_gpu() {
  static Gpu& gpu = *new Gpu(wanted_target());
  return gpu;
}

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

Gpu::Gpu(const std::string& target)
    : simulator(target),
      name("simulated " + target),
      total_bytes(memory_bytes()),
      compute_units(compute_units_of(target)) {}

Stream& stream_of(void* handle) {
  static Stream default_stream;
  return reinterpret_cast<std::uintptr_t>(handle) <= 2 ? default_stream : *static_cast<Stream*>(handle);
}

int with_gpu(const std::function<int(Gpu&)>& call) {
  Gpu* gpu = nullptr;
  try {
    gpu = &the_gpu();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return hipErrorNoDevice;
  }
  try {
    return call(*gpu);
  } catch (const Fault& fault) {
    std::fprintf(stderr, "%s\n", fault.what());
    return status_of(fault);
  } catch (const std::bad_alloc&) {
    return hipErrorOutOfMemory;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return hipErrorUnknown;
  }
}

int do_in(void* stream, std::string what, const std::function<int(Gpu&)>& work) {
  const std::shared_ptr<Graph> graph = stream_of(stream).capture;
  if (graph == nullptr) return with_gpu(work);
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
