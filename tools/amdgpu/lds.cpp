#include <bit>

#include "lane_memory.hpp"

// ds_ loads, stores and exchanges of lanes.
namespace kernelgen::amdgpu {
namespace {

void load(Wave& wave, const Instruction& in) {  // vdst, addr
  load_lanes(wave, in, Space::lds, lds_addresses(wave, in.source[1], in.offset), in.source[0].index,
             wave.exec);
}
void store(Wave& wave, const Instruction& in) {  // addr, data
  store_lanes(wave, in, Space::lds, lds_addresses(wave, in.source[0], in.offset), in.source[1].index,
              wave.exec);
}

/// Two words whose offsets count words, or 64 words.
template <unsigned Scale>
void load_two(Wave& wave, const Instruction& in) {
  const unsigned bytes = in.access.bytes, words = bytes / 4;
  const Addresses first = lds_addresses(wave, in.source[1], in.offset * bytes * Scale);
  const Addresses second = lds_addresses(wave, in.source[1], in.offset1 * bytes * Scale);
  load_lanes(wave, in, Space::lds, first, in.source[0].index, wave.exec);
  load_lanes(wave, in, Space::lds, second, in.source[0].index + words, wave.exec);
}
template <unsigned Scale>
void store_two(Wave& wave, const Instruction& in) {
  const unsigned bytes = in.access.bytes;
  store_lanes(wave, in, Space::lds, lds_addresses(wave, in.source[0], in.offset * bytes * Scale),
              in.source[1].index, wave.exec);
  store_lanes(wave, in, Space::lds, lds_addresses(wave, in.source[0], in.offset1 * bytes * Scale),
              in.source[2].index, wave.exec);
}

/// The first lane that a lane can exchange with: all of the wave, but in waves of 64 of gfx10 and later 32 of them.
int exchange_width(const Wave& wave) { return wave.isa().major >= 10 ? 32 : wave.lanes; }

void backward_permute(Wave& wave, const Instruction& in) {  // vdst, addr, data: each lane reads another's
  const int width = exchange_width(wave);
  const Words data = wave.vgprs[in.source[2].index];
  Words result{};
  for (int lane = 0; lane < wave.lanes; ++lane) {
    const auto at = static_cast<std::size_t>(lane);
    const std::uint32_t address = wave.vgpr(in.source[1].index)[lane] + static_cast<std::uint32_t>(in.offset);
    const auto from =
        (at & ~static_cast<std::size_t>(width - 1)) + (address / 4 & static_cast<unsigned>(width - 1));
    result[at] = (wave.exec >> from & 1) != 0 ? data[from] : 0;
  }
  write_word(wave, in.source[0].index, result);
}
void forward_permute(Wave& wave,
                     const Instruction& in) {  // each lane writes to another's; the highest one wins
  const int width = exchange_width(wave);
  const Words data = wave.vgprs[in.source[2].index];
  Words result{};
  for_lanes(wave.exec, [&](int lane) {
    const auto at = static_cast<std::size_t>(lane);
    const std::uint32_t address = wave.vgpr(in.source[1].index)[lane] + static_cast<std::uint32_t>(in.offset);
    result[(at & ~static_cast<std::size_t>(width - 1)) + (address / 4 & static_cast<unsigned>(width - 1))] =
        data[at];
  });
  write_word(wave, in.source[0].index, result);
}

/// ds_swizzle_b32: by quads, or in 32 lanes by masks (and, or, xor), or (gfx9 and later) rotated.
void swizzle(Wave& wave, const Instruction& in) {  // vdst, data
  const auto offset = static_cast<unsigned>(in.offset);
  const Words data = wave.vgprs[in.source[1].index];
  Words result{};
  for (unsigned lane = 0; lane < static_cast<unsigned>(wave.lanes); ++lane) {
    unsigned from = 0;
    if (offset >= 0xc000) {
      const unsigned by = offset >> 5 & 31, keep = offset & 31;
      const unsigned moved = (lane & 31) + ((offset >> 10 & 1) != 0 ? 32 - by : by);
      from = (lane & ~31u) | (lane & keep) | (moved & 31 & ~keep);
    } else if (offset >= 0x8000) {
      from = (lane & ~3u) | (offset >> (2 * (lane & 3)) & 3);
    } else {
      from = (lane & ~31u) | (((lane & 31 & (offset & 31)) | (offset >> 5 & 31)) ^ (offset >> 10 & 31));
    }
    result[lane] = (wave.exec >> from & 1) != 0 ? data[from] : 0;
  }
  write_word(wave, in.source[0].index, result);
}

}  // namespace

void add_lds(Opcodes& t) {
  const auto with = [](Execute execute, const Access& access) {
    Opcode opcode = raw(execute, Pipe::lds);
    opcode.access = access;
    return opcode;
  };
  for (const NamedAccess& named : load_accesses)
    for (const std::string_view prefix : {"ds_read_", "ds_load_"})
      t[kept_name(prefix, named.name)] = with(load, named.access);
  for (const NamedAccess& named : store_accesses)
    for (const std::string_view prefix : {"ds_write_", "ds_store_"})
      t[kept_name(prefix, named.name)] = with(store, named.access);
  for (const auto& [width, bytes] : {std::pair<std::string_view, std::uint8_t>{"b32", 4}, {"b64", 8}}) {
    t[kept_name("ds_read2_", width)] = t[kept_name("ds_load_2addr_", width)] = with(load_two<1>, {bytes});
    t[kept_name("ds_write2_", width)] = t[kept_name("ds_store_2addr_", width)] = with(store_two<1>, {bytes});
    t[kept_name("ds_read2st64_", width)] = t[kept_name("ds_load_2addr_stride64_", width)] =
        with(load_two<64>, {bytes});
    t[kept_name("ds_write2st64_", width)] = t[kept_name("ds_store_2addr_stride64_", width)] =
        with(store_two<64>, {bytes});
  }
  t["ds_bpermute_b32"] = raw(backward_permute, Pipe::lds);
  t["ds_permute_b32"] = raw(forward_permute, Pipe::lds);
  t["ds_swizzle_b32"] = raw(swizzle, Pipe::lds);
  t["ds_nop"] = raw([](Wave&, const Instruction&) {}, Pipe::lds);
}

}  // namespace kernelgen::amdgpu
