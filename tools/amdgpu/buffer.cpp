#include <algorithm>
#include <bit>
#include <cstring>

#include "buffer.hpp"
#include "scalar.hpp"

// buffer_ loads and stores: of scratch before gfx940 and gfx11, and of the raw and structured buffers of clang's builtins.
namespace kernelgen::amdgpu {
namespace {

/// A buffer resource ("V#" in the ISA documents).
struct Descriptor {
  std::uint64_t base = 0, records = 0;
  std::uint32_t stride = 0;
  bool is_scratch = false;  ///< ADD_TID_ENABLE: what launches put into the private segment's

  Descriptor(const Wave& wave, unsigned index)
      : base(wave.read_64(index) & 0xffffffffffff),
        records(wave.read(index + 2)),
        stride(wave.read(index + 1) >> 16 & 0x3fff),
        is_scratch((wave.read(index + 3) >> 23 & 1) != 0) {}
};

/// To LDS at M0, a lane after the other (CDNA3 ISA, "Memory Buffer Load to LDS"); outside of the buffer there are zeros.
void load_to_lds(Wave& wave, const Instruction& in) {  // vaddr, descriptor, soffset
  const BufferAccess access = buffer_access(wave, in, 0, in.access.bytes);
  const unsigned bytes = in.access.bytes, step = std::max(bytes, 4u);
  const std::uint64_t base = wave.read(sgpr::m0) + static_cast<std::uint64_t>(in.offset);
  count_access(wave, access.space, access.at, bytes, access.inside, count_load);
  for_lanes(wave.exec, [&](int lane) {
    std::array<std::uint32_t, 4> words{};
    if ((access.inside >> lane & 1) != 0)
      std::memcpy(words.data(),
                  lane_bytes(wave, access.space, access.at[static_cast<std::size_t>(lane)], bytes, lane),
                  bytes);
    std::memcpy(wave.lds(base + static_cast<unsigned>(lane) * step, step, lane), words.data(), step);
  });
}

void load(Wave& wave, const Instruction& in) {  // vdata, vaddr, descriptor, soffset
  if (in.to_lds) return load_to_lds(wave, in);
  const BufferAccess access = buffer_access(wave, in, 1, in.access.bytes);
  load_lanes(wave, in, access.space, access.at, in.source[0].index, access.inside);
  // Outside of the buffer there are zeros.
  for_lanes(wave.exec & ~access.inside, [&](int lane) {
    for (unsigned i = 0; i < (in.access.bytes + 3u) / 4; ++i) {
      std::uint32_t& word = wave.vgpr(in.source[0].index + i)[lane];
      word = !in.access.keep_other_half ? 0 : in.access.high_half ? word & 0xffff : word & 0xffff0000;
    }
  });
}

void store(Wave& wave, const Instruction& in) {
  const BufferAccess access = buffer_access(wave, in, 1, in.access.bytes);
  store_lanes(wave, in, access.space, access.at, in.source[0].index, access.inside);
}

}  // namespace

BufferAccess buffer_access(Wave& wave, const Instruction& in, std::size_t first, unsigned bytes) {
  const Operand& vector = in.source[first];
  const Descriptor buffer(wave, in.source[first + 1].index);
  const std::uint32_t scalar_offset = read_scalar<std::uint32_t>(wave, in.source[first + 2]);
  const auto word = [&](unsigned which, int lane) {
    return vector.kind == Operand::Kind::vgpr ? wave.vgpr(vector.index + which)[lane] : 0u;
  };
  BufferAccess access;
  access.space = buffer.is_scratch ? Space::scratch : Space::global;
  for_lanes(wave.exec, [&](int lane) {
    const std::uint32_t index = in.index_enable ? word(0, lane) : 0;
    const std::uint32_t offset =
        (in.off_enable ? word(in.index_enable ? 1 : 0, lane) : 0) + static_cast<std::uint32_t>(in.offset);
    std::uint64_t& address = access.at[static_cast<std::size_t>(lane)];
    if (buffer.is_scratch) {
      // The scalar offset counts bytes of the wave, the others bytes of the lane.
      address = offset + scalar_offset / static_cast<unsigned>(wave.lanes);
      access.inside |= std::uint64_t{1} << lane;
      return;
    }
    address = buffer.base + scalar_offset + offset + std::uint64_t{index} * buffer.stride;
    const bool inside = buffer.stride != 0 && in.index_enable
                            ? index < buffer.records
                            : std::uint64_t{offset} + bytes <= buffer.records;
    if (inside) access.inside |= std::uint64_t{1} << lane;
  });
  return access;
}

void add_buffer_memory(Opcodes& t) {
  for (const NamedAccess& named : load_accesses) {
    Opcode opcode = raw(load, Pipe::vector_memory);
    opcode.access = named.access;
    t[kept_name("buffer_load_", named.name)] = opcode;
  }
  for (const NamedAccess& named : store_accesses) {
    Opcode opcode = raw(store, Pipe::vector_memory);
    opcode.access = named.access;
    t[kept_name("buffer_store_", named.name)] = opcode;
  }
}

}  // namespace kernelgen::amdgpu
