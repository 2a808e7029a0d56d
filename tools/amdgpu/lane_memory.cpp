#include "lane_memory.hpp"

#include <algorithm>
#include <deque>
#include <string>

namespace kernelgen::amdgpu {
namespace {

/// All lanes of `mask` access memory that one check found to be there.
bool one_allocation(Wave& wave, const Addresses& at, unsigned bytes, std::uint64_t mask) {
  if (mask == 0 || wave.block->checks != nullptr) return false;  // checks see each lane
  std::uint64_t low = ~std::uint64_t{0}, high = 0;
  if (mask == ~std::uint64_t{0}) {
    for (const std::uint64_t address : at) low = std::min(low, address), high = std::max(high, address);
  } else {
    for_lanes(mask, [&](int lane) {
      const std::uint64_t address = at[static_cast<std::size_t>(lane)];
      low = std::min(low, address), high = std::max(high, address);
    });
  }
  const auto& recent = wave.block->recent;
  return wave.block->recent_generation == wave.block->launch->memory->generation() &&
         high - low < (std::uint64_t{1} << 40) &&
         std::ranges::any_of(recent, [&](const Allocation& a) { return a.holds(low, high - low + bytes); });
}

template <unsigned Bytes>
void copy_in(Wave& wave, const Addresses& from, unsigned to, std::uint64_t mask) {
  constexpr unsigned words = Bytes / 4;
  std::array<std::uint32_t*, words> registers;
  for (unsigned i = 0; i < words; ++i) registers[i] = wave.vgpr(to + i);
  for_lanes(mask, [&](int lane) {
    std::array<std::uint32_t, words> value;
    std::memcpy(value.data(), reinterpret_cast<const void*>(from[static_cast<std::size_t>(lane)]), Bytes);
    for (unsigned i = 0; i < words; ++i) registers[i][lane] = value[i];
  });
}

template <unsigned Bytes>
void copy_out(Wave& wave, const Addresses& to, unsigned from, std::uint64_t mask) {
  constexpr unsigned words = Bytes / 4;
  std::array<const std::uint32_t*, words> registers;
  for (unsigned i = 0; i < words; ++i) registers[i] = wave.vgpr(from + i);
  for_lanes(mask, [&](int lane) {
    std::array<std::uint32_t, words> value;
    for (unsigned i = 0; i < words; ++i) value[i] = registers[i][lane];
    std::memcpy(reinterpret_cast<void*>(to[static_cast<std::size_t>(lane)]), value.data(), Bytes);
  });
}

std::uint32_t extended(const Access& access, std::uint32_t value) {
  if (!access.sign_extend) return value;
  return static_cast<std::uint32_t>(access.bytes == 1 ? std::int32_t{static_cast<std::int8_t>(value)}
                                                      : std::int32_t{static_cast<std::int16_t>(value)});
}

}  // namespace

void count_access(Wave& wave, Space space, const Addresses& at, unsigned bytes, std::uint64_t mask,
                  decltype(count_load)* count) {
  Block& block = *wave.block;
  std::uint64_t global = 0, lds = 0;
  (space == Space::lds ? lds : global) = mask;
  if (space == Space::scratch) global = 0;
  if (space == Space::flat)
    for_lanes(mask, [&](int lane) {
      const std::uint64_t bit = std::uint64_t{1} << lane, aperture = at[static_cast<std::size_t>(lane)] >> 32;
      if (aperture == shared_aperture || aperture == private_aperture) global &= ~bit;
      if (aperture == shared_aperture) lds |= bit;
    });
  if (global != 0) count(block.counters, block.traffic, at, bytes, global);
  if (lds != 0) count_lds(block.counters, wave.isa().lds_banks(), at, bytes, lds);
  block.counters.scratch_bytes += static_cast<std::uint64_t>(std::popcount(mask & ~global & ~lds)) * bytes;
}

Addresses addresses(Wave& wave, const Instruction& in, const Operand& vector, const Operand& scalar,
                    Space space) {
  Addresses at;
  const auto offset = static_cast<std::uint64_t>(in.offset);
  const bool has_scalar = scalar.kind == Operand::Kind::sgpr && scalar.index != sgpr::null;
  if (space == Space::scratch) {
    const std::uint32_t base =
        (has_scalar ? wave.read(scalar.index) : 0) + static_cast<std::uint32_t>(offset);
    for (std::size_t lane = 0; lane < at.size(); ++lane)
      at[lane] = base + (vector.kind == Operand::Kind::vgpr ? wave.vgpr(vector.index)[lane] : 0);
    return at;
  }
  if (vector.kind != Operand::Kind::vgpr) {
    at.fill((has_scalar ? wave.read_64(scalar.index) : 0) + offset);
    return at;
  }
  const std::uint32_t* const low = wave.vgpr(vector.index);
  if (has_scalar) {
    const std::uint64_t base = wave.read_64(scalar.index) + offset;
    for (std::size_t lane = 0; lane < at.size(); ++lane) at[lane] = base + low[lane];
  } else {
    const std::uint32_t* const high = wave.vgpr(vector.index + 1u);
    for (std::size_t lane = 0; lane < at.size(); ++lane)
      at[lane] = (low[lane] | std::uint64_t{high[lane]} << 32) + offset;
  }
  return at;
}

Addresses lds_addresses(Wave& wave, const Operand& vector, std::int64_t offset) {
  Addresses at;
  const std::uint32_t* const base = wave.vgpr(vector.index);
  for (std::size_t lane = 0; lane < at.size(); ++lane)
    at[lane] = base[lane] + static_cast<std::uint32_t>(offset);  // 32 bits: a base may be negative
  return at;
}

void load_lanes(Wave& wave, const Instruction& in, Space space, const Addresses& from, unsigned to,
                std::uint64_t mask) {
  const Access& access = in.access;
  const unsigned bytes = access.bytes;
  count_access(wave, space, from, bytes, mask, count_load);
  if (space == Space::global && bytes >= 4 && one_allocation(wave, from, bytes, mask)) {
    if (bytes == 4) return copy_in<4>(wave, from, to, mask);
    if (bytes == 8) return copy_in<8>(wave, from, to, mask);
    if (bytes == 12) return copy_in<12>(wave, from, to, mask);
    return copy_in<16>(wave, from, to, mask);
  }
  for_lanes(mask, [&](int lane) {
    const std::uint64_t address = from[static_cast<std::size_t>(lane)];
    std::array<std::uint32_t, 4> words{};
    if (bytes > 4 && is_private(space, address)) {
      for (unsigned i = 0; i < bytes / 4; ++i)
        std::memcpy(&words[i], lane_bytes(wave, space, address + 4 * i, 4, lane), 4);
    } else {
      std::memcpy(words.data(), lane_bytes(wave, space, address, bytes, lane), bytes);
    }
    if (bytes < 4) words[0] = extended(access, words[0]);
    if (access.keep_other_half) {
      const std::uint32_t before = wave.vgpr(to)[lane];
      words[0] =
          access.high_half ? words[0] << 16 | (before & 0xffff) : (words[0] & 0xffff) | (before & 0xffff0000);
    }
    for (unsigned i = 0; i < (bytes + 3) / 4; ++i) wave.vgpr(to + i)[lane] = words[i];
  });
}

void store_lanes(Wave& wave, const Instruction& in, Space space, const Addresses& to, unsigned from,
                 std::uint64_t mask) {
  const unsigned bytes = in.access.bytes;
  count_access(wave, space, to, bytes, mask, count_store);
  if (space == Space::global && bytes >= 4 && one_allocation(wave, to, bytes, mask)) {
    if (bytes == 4) return copy_out<4>(wave, to, from, mask);
    if (bytes == 8) return copy_out<8>(wave, to, from, mask);
    if (bytes == 12) return copy_out<12>(wave, to, from, mask);
    return copy_out<16>(wave, to, from, mask);
  }
  for_lanes(mask, [&](int lane) {
    const std::uint64_t address = to[static_cast<std::size_t>(lane)];
    std::array<std::uint32_t, 4> words{};
    for (unsigned i = 0; i < (bytes + 3) / 4; ++i) words[i] = wave.vgpr(from + i)[lane];
    if (in.access.high_half) words[0] >>= 16;
    if (bytes > 4 && is_private(space, address)) {
      for (unsigned i = 0; i < bytes / 4; ++i)
        std::memcpy(lane_bytes(wave, space, address + 4 * i, 4, lane), &words[i], 4);
    } else {
      std::memcpy(lane_bytes(wave, space, address, bytes, lane), words.data(), bytes);
    }
  });
}

std::string_view kept_name(std::string_view prefix, std::string_view suffix) {
  static std::deque<std::string> names;
  return names.emplace_back(std::string(prefix) + std::string(suffix));
}

}  // namespace kernelgen::amdgpu
