#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "lanes.hpp"

// Addresses of lanes in one of the memories, and words that go between them and registers.
namespace kernelgen::amdgpu {

enum class Space : std::uint8_t { global, flat, scratch, lds };

using Addresses = std::array<std::uint64_t, Wave::most_lanes>;

/// Calls `each(lane)` for the lanes of a mask.
template <class F>
void for_lanes(std::uint64_t mask, F each) {
  for (; mask != 0; mask &= mask - 1) each(std::countr_zero(mask));
}

/// Of global_, flat_ and scratch_ instructions: base registers (both, one or none) plus the offset.
Addresses addresses(Wave& wave, const Instruction& in, const Operand& vector, const Operand& scalar,
                    Space space);
/// Of ds_ instructions.
Addresses lds_addresses(Wave& wave, const Operand& vector, std::int64_t offset);

/// A lane's bytes. Those of scratch must not cross a word.
inline void* lane_bytes(Wave& wave, Space space, std::uint64_t address, std::uint64_t size, int lane) {
  if (space == Space::global) return wave.memory(address, size, lane);
  if (space == Space::lds) return wave.lds(address, size, lane);
  if (space == Space::scratch) return wave.private_memory(static_cast<std::uint32_t>(address), size, lane);
  const auto aperture = static_cast<std::uint32_t>(address >> 32);
  if (aperture == shared_aperture) return wave.lds(static_cast<std::uint32_t>(address), size, lane);
  if (aperture == private_aperture)
    return wave.private_memory(static_cast<std::uint32_t>(address), size, lane);
  return wave.memory(address, size, lane);
}

inline bool is_private(Space space, std::uint64_t address) {
  return space == Space::scratch || (space == Space::flat && address >> 32 == private_aperture);
}

/// Counts an access with count_load or count_store, or as LDS's or the private memory's.
void count_access(Wave& wave, Space space, const Addresses& at, unsigned bytes, std::uint64_t mask,
                  decltype(count_load)* count);

/// Loads `in.access.bytes` a lane to registers from `to` on; lanes not in `mask` keep theirs.
void load_lanes(Wave& wave, const Instruction& in, Space space, const Addresses& from, unsigned to,
                std::uint64_t mask);
void store_lanes(Wave& wave, const Instruction& in, Space space, const Addresses& to, unsigned from,
                 std::uint64_t mask);

/// A number in the registers of a lane.
template <class T>
T lane_value(Wave& wave, unsigned index, int lane) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(wave.vgpr(index)[lane] | std::uint64_t{wave.vgpr(index + 1)[lane]} << 32);
  else
    return std::bit_cast<T>(wave.vgpr(index)[lane]);
}
template <class T>
void set_lane_value(Wave& wave, unsigned index, int lane, T value) {
  if constexpr (sizeof(T) == 8) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    wave.vgpr(index)[lane] = static_cast<std::uint32_t>(bits);
    wave.vgpr(index + 1)[lane] = static_cast<std::uint32_t>(bits >> 32);
  } else {
    wave.vgpr(index)[lane] = std::bit_cast<std::uint32_t>(value);
  }
}

/// The access that a load's or store's name ends in, dword, b32, ubyte, d16_hi_i8, ...
struct NamedAccess {
  std::string_view name;
  Access access;
};
inline constexpr NamedAccess load_accesses[] = {{"dword", {4}},
                                                {"dwordx2", {8}},
                                                {"dwordx3", {12}},
                                                {"dwordx4", {16}},
                                                {"b32", {4}},
                                                {"b64", {8}},
                                                {"b96", {12}},
                                                {"b128", {16}},
                                                {"ubyte", {1}},
                                                {"u8", {1}},
                                                {"sbyte", {1, true}},
                                                {"i8", {1, true}},
                                                {"ushort", {2}},
                                                {"u16", {2}},
                                                {"sshort", {2, true}},
                                                {"i16", {2, true}},
                                                {"ubyte_d16", {1, false, true, false}},
                                                {"d16_u8", {1, false, true, false}},
                                                {"u8_d16", {1, false, true, false}},
                                                {"ubyte_d16_hi", {1, false, true, true}},
                                                {"d16_hi_u8", {1, false, true, true}},
                                                {"u8_d16_hi", {1, false, true, true}},
                                                {"sbyte_d16", {1, true, true, false}},
                                                {"d16_i8", {1, true, true, false}},
                                                {"i8_d16", {1, true, true, false}},
                                                {"sbyte_d16_hi", {1, true, true, true}},
                                                {"d16_hi_i8", {1, true, true, true}},
                                                {"i8_d16_hi", {1, true, true, true}},
                                                {"short_d16", {2, false, true, false}},
                                                {"d16_b16", {2, false, true, false}},
                                                {"u16_d16", {2, false, true, false}},
                                                {"short_d16_hi", {2, false, true, true}},
                                                {"d16_hi_b16", {2, false, true, true}},
                                                {"u16_d16_hi", {2, false, true, true}}};
inline constexpr NamedAccess store_accesses[] = {{"dword", {4}},
                                                 {"dwordx2", {8}},
                                                 {"dwordx3", {12}},
                                                 {"dwordx4", {16}},
                                                 {"b32", {4}},
                                                 {"b64", {8}},
                                                 {"b96", {12}},
                                                 {"b128", {16}},
                                                 {"byte", {1}},
                                                 {"b8", {1}},
                                                 {"short", {2}},
                                                 {"b16", {2}},
                                                 {"byte_d16_hi", {1, false, false, true}},
                                                 {"d16_hi_b8", {1, false, false, true}},
                                                 {"b8_d16_hi", {1, false, false, true}},
                                                 {"short_d16_hi", {2, false, false, true}},
                                                 {"d16_hi_b16", {2, false, false, true}},
                                                 {"b16_d16_hi", {2, false, false, true}}};

/// A name that lives as long as the table of opcodes.
std::string_view kept_name(std::string_view prefix, std::string_view suffix);

}  // namespace kernelgen::amdgpu
