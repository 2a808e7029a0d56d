#include "twin.hpp"

#include <bit>
#include <cstring>

#include "poison.hpp"

namespace kernelgen::amdgpu {
namespace {

/// Bits of a word whose bytes are marked, from the byte `first` on.
std::uint32_t bits_of_bytes(std::uint64_t marked, unsigned first) {
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < 4 && first + i < 64; ++i)
    if ((marked >> (first + i) & 1) != 0) bits |= 0xffu << (8 * i);
  return bits;
}

}  // namespace

std::uint32_t Twin::other_value() { return twin_poison(seed_, next_++); }

void Twin::start(const Block& block, std::uint64_t seed) {
  seed_ = seed;
  next_ = (std::uint64_t{block.id.z} << 40) + (std::uint64_t{block.id.y} << 20) + block.id.x;
  next_ <<= 24;
  const auto replace = [&](std::uint32_t& word) {
    if (word == poison) word = other_value();
  };
  const auto replace_bytes = [&](std::vector<std::byte>& bytes) {
    for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
      const std::uint32_t word = other_value();
      std::memcpy(bytes.data() + at, &word, 4);
    }
  };
  block_ = block;
  block_.checks = nullptr;
  replace_bytes(block_.lds);
  for (Wave& wave : block_.waves) {
    wave.block = &block_;
    for (Wave::Lanes& lanes : wave.vgprs)
      for (std::uint32_t& word : lanes) replace(word);
    for (std::uint32_t& word : wave.sgprs) replace(word);
    wave.scc = !wave.scc;
    replace_bytes(wave.scratch);
  }
}

std::optional<Twin::Difference> Twin::compare(const Wave& wave, std::span<const Registers> registers,
                                              std::uint64_t lanes, std::uint32_t bits) const {
  const Wave& other = of(wave);
  for (const Registers& some : registers)
    for (std::uint16_t i = 0; i < some.count; ++i) {
      const auto index = static_cast<std::uint16_t>(some.first + i);
      const Registers one{index, 1, some.scalar};
      if (some.scalar) {
        if (wave.read(index) != other.read(index)) return Difference{one, -1};
        continue;
      }
      const Wave::Lanes &a = wave.vgprs[index], &b = other.vgprs[index];
      for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
        const int lane = std::countr_zero(left);
        const auto at = static_cast<std::size_t>(lane);
        if (((a[at] ^ b[at]) & bits) != 0) return Difference{one, lane};
      }
    }
  return std::nullopt;
}

void Twin::execute(const Wave& wave, const Instruction& in, std::uint64_t lanes) {
  Wave& other = of(wave);
  other.current = &in;
  other.next = &in + 1;
  if (lanes == other.exec) return in.execute(other, in);
  const std::uint64_t exec = other.exec;
  other.set_exec(lanes);
  in.execute(other, in);
  other.set_exec(exec);
}

void Twin::load(const Wave& wave, const Instruction& in, std::span<const Loaded> lanes) {
  const Registers& to = in.footprint->loaded;
  Wave& other = of(wave);
  if (to.scalar) {
    const std::uint64_t uninitialized = lanes.empty() ? 0 : lanes.front().uninitialized;
    for (unsigned i = 0; i < to.count; ++i) {
      const std::uint32_t bits = bits_of_bytes(uninitialized, 4 * i);
      other.write(to.first + i, (wave.read(to.first + i) & ~bits) | (bits == 0 ? 0 : other_value() & bits));
    }
    return;
  }
  const Access& access = in.access;
  const bool is_part = access.bytes < 4 && in.footprint->use == Footprint::Use::load;
  for (const Loaded& loaded : lanes) {
    const auto lane = static_cast<std::size_t>(loaded.lane);
    for (unsigned i = 0; i < to.count; ++i) {
      std::uint32_t& word = other.vgprs[to.first + i][lane];
      const std::uint32_t value = wave.vgprs[to.first + i][lane];
      std::uint32_t written = ~0u, bits = bits_of_bytes(loaded.uninitialized, 4 * i);
      if (is_part && access.keep_other_half) written = access.high_half ? 0xffff0000 : 0xffff;
      if (is_part && bits != 0) bits = written;
      word = (word & ~written) | (value & written & ~bits) | (bits == 0 ? 0 : other_value() & bits);
    }
  }
}

void Twin::copy_lds(const Block& block, std::uint64_t address, std::uint64_t bytes) {
  std::memcpy(block_.lds.data() + address, block.lds.data() + address, bytes);
}

}  // namespace kernelgen::amdgpu
