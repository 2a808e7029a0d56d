#include "dpp.hpp"

#include <algorithm>
#include <optional>

#include "lanes.hpp"

namespace kernelgen::amdgpu {
namespace {

std::optional<std::string_view> value_of(std::string_view modifier, std::string_view name) {
  if (!modifier.starts_with(name)) return std::nullopt;
  modifier.remove_prefix(name.size());
  if (modifier.starts_with(':'))
    modifier.remove_prefix(1);
  else if (!modifier.empty())
    return std::nullopt;
  return modifier;
}

/// The lane that `lane` reads in a row of 16, or -1. RDNA and CDNA ISA documents, "DPP_CTRL".
std::optional<int> source_lane(std::string_view modifier, int lane, int lanes) {
  const int row = lane & ~15, in_row = lane & 15;
  const auto inside = [&](int at) { return at >= 0 && at < 16 ? row + at : -1; };
  const auto n = [](std::string_view text) { return static_cast<int>(parse_number(text)); };
  if (const auto v = value_of(modifier, "quad_perm"))
    return (lane & ~3) + static_cast<int>(parse_list(*v).at(lane & 3));
  if (const auto v = value_of(modifier, "dpp8"))
    return (lane & ~7) + static_cast<int>(parse_list(*v).at(lane & 7));
  if (const auto v = value_of(modifier, "row_shl")) return inside(in_row + n(*v));
  if (const auto v = value_of(modifier, "row_shr")) return inside(in_row - n(*v));
  if (const auto v = value_of(modifier, "row_ror")) return row + ((in_row - n(*v)) & 15);
  if (value_of(modifier, "row_mirror")) return row + 15 - in_row;
  if (value_of(modifier, "row_half_mirror")) return (lane & ~7) + 7 - (lane & 7);
  if (const auto v = value_of(modifier, "row_share")) return row + n(*v);
  if (const auto v = value_of(modifier, "row_newbcast")) return row + n(*v);
  if (const auto v = value_of(modifier, "row_xmask")) return row + (in_row ^ n(*v));
  if (value_of(modifier, "wave_shl")) return lane + 1 < lanes ? lane + 1 : -1;
  if (value_of(modifier, "wave_shr")) return lane - 1;
  if (value_of(modifier, "wave_rol")) return (lane + 1) % lanes;
  if (value_of(modifier, "wave_ror")) return (lane + lanes - 1) % lanes;
  // The last lane of a row goes to the whole next one; lane 31 to both rows of the upper half.
  if (const auto v = value_of(modifier, "row_bcast")) {
    if (n(*v) == 15) return row >= 16 ? row - 1 : -1;
    return lane >= 32 ? 31 : -1;
  }
  return std::nullopt;
}

void execute_dpp(Wave& wave, const Instruction& in) {
  const LanePermutation& dpp = *in.dpp;
  const bool two = dpp.operand.type == Type::u64 || dpp.operand.type == Type::i64 ||
                   dpp.operand.type == Type::f64 || dpp.operand.type == Type::packed_f32;
  const std::uint64_t exec = wave.exec;
  std::uint64_t enabled = exec & dpp.writes;
  for (int word = 0; word < (two ? 2 : 1); ++word) {
    const std::uint32_t* const from = wave.vgpr(dpp.operand.index + static_cast<unsigned>(word));
    std::uint32_t* const to = wave.vgpr(vgpr::temporary + static_cast<unsigned>(word));
    for (int lane = 0; lane < wave.lanes; ++lane) {
      const int source = dpp.from[static_cast<std::size_t>(lane)];
      const bool valid = source >= 0 && (dpp.fetch_inactive || (exec >> source & 1) != 0);
      to[lane] = valid ? from[source] : 0;
      if (!valid && !dpp.bound_control) enabled &= ~(std::uint64_t{1} << lane);
    }
  }
  wave.set_exec(enabled);
  in.inner(wave, in);
  if (in.destination[0].kind != Operand::Kind::sgpr || in.destination[0].index != sgpr::exec)
    wave.set_exec(exec);
}

}  // namespace

void bind_dpp(const Parts& parts, Instruction& in) {
  LanePermutation dpp;
  bool found = false;
  for (const std::string_view modifier : parts.modifiers) {
    // Rows of 16 do not go over the end of either width of waves; only the whole waves' moves do, which gfx9 has.
    if (source_lane(modifier, 0, 64)) {
      for (int lane = 0; lane < 64; ++lane)
        dpp.from[static_cast<std::size_t>(lane)] = static_cast<std::int8_t>(*source_lane(modifier, lane, 64));
      found = true;
    }
    if (const auto v = value_of(modifier, "row_mask"))
      for (int lane = 0; lane < 64; ++lane)
        if ((parse_number(*v) >> (lane / 16) & 1) == 0) dpp.writes &= ~(std::uint64_t{1} << lane);
    if (const auto v = value_of(modifier, "bank_mask"))
      for (int lane = 0; lane < 64; ++lane)
        if ((parse_number(*v) >> (lane / 4 % 4) & 1) == 0) dpp.writes &= ~(std::uint64_t{1} << lane);
    // Either number in the text means the bit is set.
    if (value_of(modifier, "bound_ctrl")) dpp.bound_control = true;
    if (const auto v = value_of(modifier, "fi")) dpp.fetch_inactive = parse_number(*v) != 0;
    if (modifier.starts_with("dpp8:")) dpp.bound_control = true;
  }
  if (!found || in.source[0].kind != Operand::Kind::vgpr) return;
  dpp.operand = in.source[0];
  in.source[0].index = vgpr::temporary;
  in.dpp = std::make_shared<const LanePermutation>(dpp);
  in.inner = in.execute;
  in.execute = execute_dpp;
}

std::int64_t parse_swizzle(std::string_view text) {
  text = text.substr(text.find('(') + 1);
  if (text.ends_with(')')) text.remove_suffix(1);
  const auto comma = text.find(',');
  const std::string_view mode = text.substr(0, comma);
  const std::string_view rest = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
  const auto log2 = [](std::int64_t n) { return std::countr_zero(static_cast<std::uint64_t>(n)); };
  const auto bitmask = [](std::int64_t and_mask, std::int64_t or_mask, std::int64_t xor_mask) {
    return and_mask | or_mask << 5 | xor_mask << 10;
  };
  if (mode == "QUAD_PERM") {
    std::int64_t bits = 0x8000;
    const auto lanes = parse_list(rest);
    for (std::size_t i = 0; i < 4 && i < lanes.size(); ++i) bits |= lanes[i] << (2 * i);
    return bits;
  }
  if (mode == "SWAP") return bitmask(0x1f, 0, parse_list(rest).at(0));
  if (mode == "REVERSE") return bitmask(0x1f, 0, parse_list(rest).at(0) - 1);
  if (mode == "BROADCAST") {
    const auto numbers = parse_list(rest);
    return bitmask(0x1f & ~((std::int64_t{1} << log2(numbers.at(0))) - 1), numbers.at(1), 0);
  }
  if (mode == "ROTATE") {  // direction (1: right), lanes; gfx9 and later
    const auto numbers = parse_list(rest);
    return 0xc000 | numbers.at(0) << 10 | numbers.at(1) << 5;
  }
  // BITMASK_PERM, "00p1i": bit by bit from the highest: 0, 1, preserve, invert.
  std::int64_t and_mask = 0, or_mask = 0, xor_mask = 0;
  for (const char c : rest) {
    if (c != '0' && c != '1' && c != 'p' && c != 'i') continue;
    and_mask = and_mask << 1 | (c == 'p' || c == 'i');
    or_mask = or_mask << 1 | (c == '1');
    xor_mask = xor_mask << 1 | (c == 'i');
  }
  return bitmask(and_mask, or_mask, xor_mask);
}

}  // namespace kernelgen::amdgpu
