#include "wave.hpp"

#include <fmt/format.h>

#include "checks/checks.hpp"
#include "program.hpp"

namespace kernelgen::amdgpu {

std::uint32_t Wave::read_special(unsigned index) const {
  switch (index) {
    case sgpr::exec:
      return static_cast<std::uint32_t>(exec);
    case sgpr::exec + 1:
      return static_cast<std::uint32_t>(exec >> 32);
    case sgpr::scc:
      return scc;
    case sgpr::vccz:
      return read_mask(sgpr::vcc) == 0;
    case sgpr::execz:
      return exec == 0;
    case sgpr::shared_base + 1:
      return shared_aperture;
    case sgpr::private_base + 1:
      return private_aperture;
    case sgpr::shared_limit:
    case sgpr::private_limit:
      return ~0u;
    case sgpr::shared_limit + 1:
      return shared_aperture;
    case sgpr::private_limit + 1:
      return private_aperture;
    case sgpr::flat_scratch:
      return static_cast<std::uint32_t>(flat_scratch);
    case sgpr::flat_scratch + 1:
      return static_cast<std::uint32_t>(flat_scratch >> 32);
    default:
      return 0;
  }
}

void Wave::write(unsigned index, std::uint32_t value) {
  if (index < sgpr::null) {
    sgprs[index] = value;
  } else if (index == sgpr::exec) {
    set_exec((exec & ~std::uint64_t{0xffffffff}) | value);
  } else if (index == sgpr::exec + 1) {
    set_exec((exec & 0xffffffff) | std::uint64_t{value} << 32);
  } else if (index == sgpr::flat_scratch) {
    flat_scratch = (flat_scratch & ~std::uint64_t{0xffffffff}) | value;
  } else if (index == sgpr::flat_scratch + 1) {
    flat_scratch = (flat_scratch & 0xffffffff) | std::uint64_t{value} << 32;
  }
}

void Wave::fault(Fault::Kind kind, const std::string& what, int lane) const {
  throw Fault(kind, FaultSite{isa().processor,
                              block->launch->kernel->name,
                              {block->id.x, block->id.y, block->id.z},
                              index,
                              lane,
                              current->pc,
                              current->text,
                              block->launch->program->object().source_line(current->pc),
                              what});
}

void* Wave::memory(std::uint64_t address, std::uint64_t size, int lane) {
  Block& b = *block;
  const Memory& device = *b.launch->memory;
  if (b.recent_generation != device.generation()) {
    b.recent = {};
    b.recent_generation = device.generation();
  }
  for (const Allocation& allocation : b.recent) {
    if (!allocation.holds(address, size)) continue;
    if (b.checks != nullptr) b.checks->touch_global(*this, allocation, address, size, lane);
    return reinterpret_cast<void*>(address);
  }
  const Allocation found = device.find(address, size);
  if (address >> 32 == host_aperture)
    fault(Fault::Kind::unsupported,
          "the kernel calls the host, as printf, assert and malloc do, which is not simulated", lane);
  if (found.bytes == 0) fault(Fault::Kind::memory, device.describe(address, size), lane);
  b.recent[b.next_recent++ % b.recent.size()] = found;
  if (b.checks != nullptr) b.checks->touch_global(*this, found, address, size, lane);
  return reinterpret_cast<void*>(address);
}

void* Wave::lds(std::uint64_t address, std::uint64_t size, int lane) {
  auto& bytes = block->lds;
  if (address > bytes.size() || size > bytes.size() - address)
    fault(Fault::Kind::memory,
          fmt::format("{} bytes at {} of LDS: out of bounds: the block has {}", size, address, bytes.size()),
          lane);
  if (block->checks != nullptr) block->checks->touch_lds(*this, address, size, lane);
  return bytes.data() + address;
}

void* Wave::private_memory(std::uint64_t address, std::uint64_t size, int lane) {
  // Each lane's words are beside the other lanes' (AMDGPUUsage, "Private Segment").
  const std::uint64_t at =
      (address / 4 * static_cast<unsigned>(lanes) + static_cast<unsigned>(lane)) * 4 + address % 4;
  if (address > scratch.size() || at + size > scratch.size())
    fault(Fault::Kind::memory,
          fmt::format("{} bytes at {} of a lane's private segment: out of bounds: it has {} bytes", size,
                      address, scratch.size() / static_cast<unsigned>(lanes)),
          lane);
  return scratch.data() + at;
}

}  // namespace kernelgen::amdgpu
