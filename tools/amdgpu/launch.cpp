#include "launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "checks/checks.hpp"
#include "checks/poison.hpp"
#include "program.hpp"

namespace kernelgen::amdgpu {
namespace {

template <class T>
void put(std::vector<std::byte>& bytes, std::size_t offset, T value, std::size_t size = sizeof(T)) {
  std::memcpy(bytes.data() + offset, &value, std::min(size, sizeof value));
}

/// What a hidden argument holds; pointers to what else the host would serve are null.
std::uint64_t hidden_value(std::string_view kind, Extent grid, Extent block,
                           std::uint32_t dynamic_lds_bytes) {
  if (kind == "hidden_block_count_x") return grid.x;
  if (kind == "hidden_block_count_y") return grid.y;
  if (kind == "hidden_block_count_z") return grid.z;
  if (kind == "hidden_group_size_x") return block.x;
  if (kind == "hidden_group_size_y") return block.y;
  if (kind == "hidden_group_size_z") return block.z;
  if (kind == "hidden_grid_dims") return grid.z * block.z > 1 ? 3 : grid.y * block.y > 1 ? 2 : 1;
  if (kind == "hidden_dynamic_lds_size") return dynamic_lds_bytes;
  if (kind == "hidden_private_base") return private_aperture;
  if (kind == "hidden_shared_base") return shared_aperture;
  if (kind == "hidden_hostcall_buffer" || kind == "hidden_heap_v1") return std::uint64_t{host_aperture} << 32;
  return 0;
}

constexpr std::uint32_t enable(std::uint32_t word, unsigned bit) { return word >> bit & 1; }

void set_scalar_registers(Wave& wave, const Launch& launch) {
  const Kernel& kernel = *launch.kernel;
  const Isa& isa = *launch.isa;
  unsigned at = 0;
  const auto add = [&](std::uint32_t value) { wave.write(at++, value); };
  const auto add_64 = [&](std::uint64_t value) {
    add(static_cast<std::uint32_t>(value));
    add(static_cast<std::uint32_t>(value >> 32));
  };
  const std::uint32_t properties = kernel.properties;
  if (enable(properties, 0)) {  // private segment buffer; ADD_TID_ENABLE tells it from others
    add_64(reinterpret_cast<std::uint64_t>(wave.scratch.data()));
    add(~0u);
    add(1u << 23);
  }
  if (enable(properties, 1)) add_64(launch.dispatch_packet);
  if (enable(properties, 2)) add_64(0);  // queue
  if (enable(properties, 3)) add_64(launch.kernarg);
  if (enable(properties, 4)) add_64(1);  // dispatch id
  if (enable(properties, 5)) add_64(0);  // flat scratch: lanes' private memory is found without it
  if (enable(properties, 6)) add(kernel.private_bytes);
  at = std::max(at, kernel.rsrc2 >> 1 & 0x1f);
  const Extent& id = wave.block->id;
  if (isa.work_group_ids_in_ttmp()) {
    wave.write(sgpr::ttmp0 + 9u, id.x);
    wave.write(sgpr::ttmp0 + 7u, (id.y & 0xffff) | id.z << 16);
    wave.write(sgpr::ttmp0 + 8u, wave.index << 25);
    return;
  }
  if (enable(kernel.rsrc2, 7)) add(id.x);
  if (enable(kernel.rsrc2, 8)) add(id.y);
  if (enable(kernel.rsrc2, 9)) add(id.z);
  if (enable(kernel.rsrc2, 10)) add(0);                                    // work-group information
  if (enable(kernel.rsrc2, 0) && !isa.architected_flat_scratch()) add(0);  // the wave's offset in scratch
}

void set_work_item_ids(Wave& wave, const Launch& launch) {
  const Extent& size = launch.block;
  for (unsigned lane = 0; lane < static_cast<unsigned>(wave.lanes); ++lane) {
    const std::uint32_t item = wave.index * static_cast<unsigned>(wave.lanes) + lane;
    const std::uint32_t x = item % size.x, y = item / size.x % size.y, z = item / size.x / size.y;
    if (launch.isa->packed_work_item_ids()) {
      wave.vgpr(0)[lane] = x | y << 10 | z << 20;
    } else {
      wave.vgpr(0)[lane] = x;
      wave.vgpr(1)[lane] = y;
      wave.vgpr(2)[lane] = z;
    }
  }
}

/// Executes until the wave ends, waits or has had its share.
template <bool Checked>
void run_wave(Wave& wave, std::uint64_t share, std::uint64_t& executed) {
  auto& counts = wave.block->counters.by_opcode;
  wave.state = Wave::State::running;
  std::uint64_t left = share;
  while (left > 0) {
    const Instruction& in = *wave.next;
    wave.current = &in;
    wave.next = &in + 1;
    ++counts[in.opcode];
    --left;
    if (Checked) wave.block->checks->before(wave, in);
    in.execute(wave, in);
    if (Checked) wave.block->checks->after(wave, in);
    if (wave.state != Wave::State::running) break;
  }
  if (wave.state == Wave::State::running) wave.state = Wave::State::yielded;
  executed += share - left;
}

void fill_poison(std::vector<std::byte>& bytes) {
  for (std::size_t at = 0; at + sizeof poison <= bytes.size(); at += sizeof poison)
    std::memcpy(bytes.data() + at, &poison, sizeof poison);
}

/// Of the kernarg segment, which is aligned to 16 bytes: compilers load whole 16 bytes of it.
std::size_t segment_bytes(const Kernel& kernel) {
  return (std::max<std::size_t>(kernel.kernarg_bytes, 1) + 15) / 16 * 16;
}

bool is_host_service(std::string_view kind) {
  return kind == "hidden_none" || kind == "hidden_printf_buffer" || kind == "hidden_hostcall_buffer" ||
         kind == "hidden_multigrid_sync_arg" || kind == "hidden_heap_v1" || kind == "hidden_default_queue" ||
         kind == "hidden_completion_action" || kind == "hidden_queue_ptr";
}

}  // namespace

std::vector<std::uint8_t> kernarg_given(const Kernel& kernel, std::size_t argument_bytes) {
  std::vector<std::uint8_t> given(segment_bytes(kernel));
  std::fill_n(given.begin(), argument_bytes, 1);
  for (const Argument& argument : kernel.arguments)
    if (argument.is_hidden() && !is_host_service(argument.kind))
      std::fill_n(given.begin() + argument.offset, argument.bytes, 1);
  return given;
}

std::vector<std::byte> kernarg_segment(const Kernel& kernel, std::span<const std::byte> arguments,
                                       Extent grid, Extent block, std::uint32_t dynamic_lds_bytes) {
  if (arguments.size() > kernel.kernarg_bytes || arguments.size() < kernel.explicit_bytes)
    throw Fault(Fault::Kind::arguments,
                fmt::format("simulated kernel '{}': {} bytes of arguments were given, it takes {}",
                            kernel.name, arguments.size(), kernel.explicit_bytes));
  std::vector<std::byte> segment(segment_bytes(kernel));
  std::ranges::copy(arguments, segment.begin());
  for (const Argument& argument : kernel.arguments)
    if (argument.is_hidden())
      put(segment, argument.offset, hidden_value(argument.kind, grid, block, dynamic_lds_bytes),
          argument.bytes);
  return segment;
}

std::vector<std::byte> dispatch_packet(const Launch& launch) {
  std::vector<std::byte> packet(64);
  put<std::uint16_t>(packet, 2, launch.grid.z * launch.block.z > 1 ? 3 : 2);
  put(packet, 4, static_cast<std::uint16_t>(launch.block.x));
  put(packet, 6, static_cast<std::uint16_t>(launch.block.y));
  put(packet, 8, static_cast<std::uint16_t>(launch.block.z));
  put(packet, 12, launch.grid.x * launch.block.x);
  put(packet, 16, launch.grid.y * launch.block.y);
  put(packet, 20, launch.grid.z * launch.block.z);
  put(packet, 24, launch.kernel->private_bytes);
  put(packet, 28, launch.lds_bytes);
  put(packet, 40, launch.kernarg);
  return packet;
}

void start_block(Block& block, const Instruction* entry) {
  const Launch& launch = *block.launch;
  const Kernel& kernel = *launch.kernel;
  const std::uint32_t items = launch.block.x * launch.block.y * launch.block.z;
  block.waves.resize((items + kernel.wave_size - 1) / kernel.wave_size);
  block.lds.assign(launch.lds_bytes, std::byte{0xff});
  const std::size_t private_bytes =
      (kernel.private_bytes + 15) / 16 * 16 + (kernel.dynamic_stack ? 16384 : 0);
  for (unsigned i = 0; i < block.waves.size(); ++i) {
    Wave& wave = block.waves[i];
    wave.block = &block;
    wave.index = i;
    wave.lanes = static_cast<int>(kernel.wave_size);
    wave.vgprs.resize(vgpr::count);
    wave.scratch.resize(private_bytes * kernel.wave_size);
    wave.sgprs = {};
    if (block.checks != nullptr) {
      for (Wave::Lanes& lanes : wave.vgprs) lanes.fill(poison);
      wave.sgprs.fill(poison);
      fill_poison(wave.scratch);
    }
    wave.scc = false;
    wave.flat_scratch = 0;
    wave.current = wave.next = entry;
    wave.state = Wave::State::running;
    const std::uint32_t live = std::min(kernel.wave_size, items - i * kernel.wave_size);
    wave.set_exec(live == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << live) - 1);
    wave.set_mode((kernel.rsrc1 >> 12 & 0xff) | enable(kernel.rsrc1, 21) << 8 |
                  enable(kernel.rsrc1, 23) << 9);
    set_scalar_registers(wave, launch);
    set_work_item_ids(wave, launch);
  }
  block.counters.waves += block.waves.size();
  ++block.counters.blocks;
  if (block.checks == nullptr) return;
  fill_poison(block.lds);
  block.checks->start(block);
}

void run_block(Block& block, std::uint64_t most_instructions) {
  constexpr std::uint64_t share = 1 << 16;
  std::uint64_t executed = 0;
  Checks* const checks = block.checks;
  for (;;) {
    std::size_t ended = 0, waiting = 0;
    const auto run = [&](Wave& wave) {
      if (wave.state == Wave::State::ended || wave.state == Wave::State::at_barrier) return;
      if (checks == nullptr)
        run_wave<false>(wave, share, executed);
      else
        run_wave<true>(wave, checks->turn(), executed);
    };
    if (checks == nullptr)
      for (Wave& wave : block.waves) run(wave);
    else
      for (const unsigned i : checks->shuffled_waves(block.waves.size())) run(block.waves[i]);
    for (const Wave& wave : block.waves) {
      ended += wave.state == Wave::State::ended ? 1 : 0;
      waiting += wave.state == Wave::State::at_barrier ? 1 : 0;
    }
    if (ended == block.waves.size()) {
      if (checks != nullptr) checks->end(block);
      return;
    }
    // Waves that ended count as arrived.
    if (ended + waiting == block.waves.size()) {
      if (checks != nullptr) checks->release_barrier(block);
      for (Wave& wave : block.waves)
        if (wave.state == Wave::State::at_barrier) wave.state = Wave::State::running;
    }
    if (executed > most_instructions)
      block.waves.front().fault(Fault::Kind::endless,
                                fmt::format("the block is not done after {} instructions", executed));
  }
}

}  // namespace kernelgen::amdgpu
