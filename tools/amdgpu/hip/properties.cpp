/// What a device is like: its name, its properties and its attributes.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "amdgpu/hip/occupancy.hpp"

namespace kernelgen::amdgpu::hip {
namespace {

/// hipDeviceProp_t as hipGetDevicePropertiesR0600 fills it (HIP 6 and later); what is not named stays zero.
struct Properties6 {
  char name[256];
  char unused_1[32];
  std::size_t total_bytes, block_lds_bytes;
  int registers, wave_size;
  std::size_t pitch;
  int block_items, block_extent[3], grid_extent[3], clock_khz;
  std::size_t constant_bytes;
  int major, minor;
  char unused_2[20];
  int compute_units;
  char unused_3[8];
  int maps_host_memory;
  char unused_4[172];
  int concurrent_kernels;
  char unused_5[24];
  int unified_addresses, memory_clock_khz, memory_bus_bits, l2_bytes, unused_6, threads;
  char unused_7[8];
  std::size_t lds_bytes;
  int threads_registers, managed_memory;
  char unused_8[40];
  std::size_t block_lds_bytes_most;
  char unused_9[24];
  int registers_host_memory;
  char unused_10[12];
  int pools;
  char unused_11[412];
  char architecture[256];
  std::size_t lds_bytes_2;
  char unused_12[48];
};
static_assert(offsetof(Properties6, total_bytes) == 288 && offsetof(Properties6, compute_units) == 388);
static_assert(offsetof(Properties6, maps_host_memory) == 400 &&
              offsetof(Properties6, concurrent_kernels) == 576);
static_assert(offsetof(Properties6, unified_addresses) == 604 && offsetof(Properties6, lds_bytes) == 640);
static_assert(offsetof(Properties6, block_lds_bytes_most) == 696 && offsetof(Properties6, pools) == 744);
static_assert(offsetof(Properties6, registers_host_memory) == 728);
static_assert(offsetof(Properties6, architecture) == 1160 && sizeof(Properties6) == 1472);

/// hipDeviceProp_t up to HIP 5, as hipGetDeviceProperties still fills it.
struct Properties5 {
  char name[256];
  std::size_t total_bytes, block_lds_bytes;
  int registers, wave_size, block_items, block_extent[3], grid_extent[3], clock_khz, memory_clock_khz,
      memory_bus_bits;
  std::size_t constant_bytes;
  int major, minor, compute_units, l2_bytes, threads, compute_mode, unused_1, features, concurrent_kernels,
      pci[3];
  std::size_t lds_bytes;
  int is_multi_gpu, maps_host_memory, gcn;
  char architecture[256];
  char unused_2[140];
};
static_assert(offsetof(Properties5, compute_units) == 336 && offsetof(Properties5, lds_bytes) == 376);
static_assert(offsetof(Properties5, architecture) == 396 && sizeof(Properties5) == 792);

constexpr int block_items = 1024;
constexpr int clock_khz = 2'000'000, memory_clock_khz = 1'000'000, memory_bus_bits = 4096;
constexpr int l2_bytes = 4 << 20;

template <class Properties>
int fill(void* properties, Gpu& gpu) {
  const Isa& isa = gpu.simulator.isa();
  const Multiprocessor multiprocessor = multiprocessor_of(isa);
  Properties values{};
  gpu.name.copy(values.name, sizeof values.name - 1);
  values.total_bytes = gpu.total_bytes;
  values.block_lds_bytes = gpu.block_lds_bytes();
  values.registers = 65536;
  values.wave_size = gpu.wave_size();
  values.block_items = block_items;
  std::ranges::fill(values.block_extent, block_items);
  values.grid_extent[0] = 0x7fffffff;
  values.grid_extent[1] = values.grid_extent[2] = 65536;
  values.clock_khz = clock_khz;
  values.memory_clock_khz = memory_clock_khz;
  values.memory_bus_bits = memory_bus_bits;
  values.constant_bytes = 0x7fffffff;
  values.major = static_cast<int>(isa.major);
  values.minor = static_cast<int>(isa.minor);
  values.compute_units = gpu.compute_units;
  values.l2_bytes = l2_bytes;
  values.threads = static_cast<int>(multiprocessor.threads(static_cast<unsigned>(gpu.wave_size())));
  values.lds_bytes = multiprocessor.lds_bytes;
  values.concurrent_kernels = values.maps_host_memory = 1;
  isa.processor.copy(values.architecture, sizeof values.architecture - 1);
  if constexpr (std::is_same_v<Properties, Properties6>) {
    values.pitch = 0x7fffffff;
    values.unified_addresses = values.managed_memory = values.registers_host_memory = values.pools = 1;
    values.threads_registers = 65536;
    values.block_lds_bytes_most = gpu.block_lds_bytes();
    values.lds_bytes_2 = multiprocessor.lds_bytes;
  }
  std::memcpy(properties, &values, sizeof values);
  return hipSuccess;
}

/// A member of hipDeviceProp_t that hipDeviceGetAttribute gives too.
struct Attribute {
  int number;  ///< hipDeviceAttribute_t
  int (*value)(const Properties6&);
};
constexpr Attribute attributes[] = {
    {3, [](const Properties6& p) { return p.maps_host_memory; }},
    {5, [](const Properties6& p) { return p.clock_khz; }},
    {8, [](const Properties6& p) { return p.concurrent_kernels; }},
    {9, [](const Properties6&) { return 0; }},   // concurrent managed access
    {10, [](const Properties6&) { return 0; }},  // cooperative launches
    {16, [](const Properties6&) { return 0; }},  // integrated
    {19, [](const Properties6& p) { return p.l2_bytes; }},
    {23, [](const Properties6& p) { return p.major; }},
    {24, [](const Properties6& p) { return p.managed_memory; }},
    {26, [](const Properties6& p) { return p.block_extent[0]; }},
    {27, [](const Properties6& p) { return p.block_extent[1]; }},
    {28, [](const Properties6& p) { return p.block_extent[2]; }},
    {29, [](const Properties6& p) { return p.grid_extent[0]; }},
    {30, [](const Properties6& p) { return p.grid_extent[1]; }},
    {31, [](const Properties6& p) { return p.grid_extent[2]; }},
    {56, [](const Properties6& p) { return p.block_items; }},
    {57, [](const Properties6& p) { return p.threads; }},
    {59, [](const Properties6& p) { return p.memory_bus_bits; }},
    {60, [](const Properties6& p) { return p.memory_clock_khz; }},
    {61, [](const Properties6& p) { return p.minor; }},
    {63, [](const Properties6& p) { return p.compute_units; }},
    {71, [](const Properties6& p) { return p.registers; }},
    {74, [](const Properties6& p) { return static_cast<int>(p.block_lds_bytes); }},
    {75, [](const Properties6& p) { return static_cast<int>(p.block_lds_bytes_most); }},
    {85, [](const Properties6& p) { return p.unified_addresses; }},
    {87, [](const Properties6& p) { return p.wave_size; }},
    {88, [](const Properties6& p) { return p.pools; }},
    {89, [](const Properties6&) { return 0; }},  // management of virtual memory
    {90, [](const Properties6& p) { return p.registers_host_memory; }},
    {10002, [](const Properties6& p) { return static_cast<int>(p.lds_bytes); }},
    {10015, [](const Properties6& p) { return p.compute_units; }},
};

}  // namespace

KERNELGEN_HIP int hipGetDevicePropertiesR0600(void* properties, int device) {
  return with_gpu(device, [&](Gpu& gpu) { return fill<Properties6>(properties, gpu); });
}

KERNELGEN_HIP int hipGetDeviceProperties(void* properties, int device) {
  return with_gpu(device, [&](Gpu& gpu) { return fill<Properties5>(properties, gpu); });
}

KERNELGEN_HIP int hipDeviceGetAttribute(int* value, int attribute, int device) {
  const auto* const found = std::ranges::find(attributes, attribute, &Attribute::number);
  if (found == std::end(attributes)) return hipErrorInvalidValue;
  return with_gpu(device, [&](Gpu& gpu) {
    Properties6 properties;
    const int status = fill<Properties6>(&properties, gpu);
    *value = found->value(properties);
    return status;
  });
}

KERNELGEN_HIP int hipDeviceComputeCapability(int* major, int* minor, int device) {
  return with_gpu(device, [&](Gpu& gpu) {
    *major = static_cast<int>(gpu.simulator.isa().major);
    *minor = static_cast<int>(gpu.simulator.isa().minor);
    return hipSuccess;
  });
}

KERNELGEN_HIP int hipDeviceGetName(char* name, int size, int device) {
  return with_gpu(device, [&](Gpu& gpu) {
    if (size <= 0) return hipErrorInvalidValue;
    name[gpu.name.copy(name, static_cast<std::size_t>(size) - 1)] = '\0';
    return hipSuccess;
  });
}

KERNELGEN_HIP int hipDeviceGetPCIBusId(char* id, int size, int device) {
  return with_gpu(device, [&](Gpu&) {
    const int written =
        std::snprintf(id, static_cast<std::size_t>(std::max(size, 0)), "0000:%02x:00.0", device);
    return written < size ? hipSuccess : hipErrorInvalidValue;
  });
}

KERNELGEN_HIP int hipDeviceTotalMem(std::size_t* bytes, int device) {
  return with_gpu(device, [&](Gpu& gpu) {
    *bytes = gpu.total_bytes;
    return hipSuccess;
  });
}

}  // namespace kernelgen::amdgpu::hip
