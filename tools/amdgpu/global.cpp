#include "lane_memory.hpp"

// global_, flat_ and scratch_ loads and stores.
namespace kernelgen::amdgpu {
namespace {

template <Space S>
void load(Wave& wave, const Instruction& in) {  // vdst, vaddr, saddr
  load_lanes(wave, in, S, addresses(wave, in, in.source[1], in.source[2], S), in.source[0].index, wave.exec);
}
template <Space S>
void store(Wave& wave, const Instruction& in) {  // vaddr, vdata, saddr
  store_lanes(wave, in, S, addresses(wave, in, in.source[0], in.source[2], S), in.source[1].index, wave.exec);
}

/// global_load_lds: words go from memory to LDS at M0, a lane beside the other (CDNA3 ISA, "Memory Buffer Load to LDS").
void load_to_lds(Wave& wave, const Instruction& in) {  // vaddr, saddr
  const Addresses from = addresses(wave, in, in.source[0], in.source[1], Space::global);
  const unsigned bytes = in.access.bytes, step = std::max(bytes, 4u);
  const std::uint64_t base = wave.read(sgpr::m0) + static_cast<std::uint64_t>(in.offset);
  count_access(wave, Space::global, from, bytes, wave.exec, count_load);
  for_lanes(wave.exec, [&](int lane) {
    std::array<std::uint32_t, 4> words{};
    std::memcpy(words.data(), wave.memory(from[static_cast<std::size_t>(lane)], bytes, lane), bytes);
    std::memcpy(wave.lds(base + static_cast<unsigned>(lane) * step, step, lane), words.data(), step);
  });
}

template <Space S>
void add_space(Opcodes& t, std::string_view prefix) {
  for (const NamedAccess& named : load_accesses) {
    Opcode opcode = raw(load<S>, Pipe::vector_memory);
    opcode.access = named.access;
    t[kept_name(kept_name(prefix, "load_"), named.name)] = opcode;
  }
  for (const NamedAccess& named : store_accesses) {
    Opcode opcode = raw(store<S>, Pipe::vector_memory);
    opcode.access = named.access;
    t[kept_name(kept_name(prefix, "store_"), named.name)] = opcode;
  }
}

}  // namespace

void add_global_memory(Opcodes& t) {
  add_space<Space::global>(t, "global_");
  add_space<Space::flat>(t, "flat_");
  add_space<Space::scratch>(t, "scratch_");
  for (const NamedAccess& named : load_accesses) {
    if (named.access.keep_other_half) continue;
    Opcode opcode = raw(load_to_lds, Pipe::vector_memory);
    opcode.access = named.access;
    t[kept_name("global_load_lds_", named.name)] = opcode;
  }
}

}  // namespace kernelgen::amdgpu
