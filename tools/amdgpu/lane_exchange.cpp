#include <fmt/format.h>

#include <bit>

#include "scalar.hpp"

// Words that go from lane to lane: v_readlane, v_permlane, v_mbcnt, v_swap.
namespace kernelgen::amdgpu {
namespace {

using U = std::uint32_t;

unsigned first_active(const Wave& wave) {
  return wave.exec == 0 ? 0 : static_cast<unsigned>(std::countr_zero(wave.exec));
}

void read_first_lane(Wave& w, const Instruction& in) {
  const Operand& source = in.source[1];
  const U value =
      source.kind == Operand::Kind::vgpr ? w.vgpr(source.index)[first_active(w)] : read_scalar<U>(w, source);
  w.write(in.source[0].index, value);
}
void read_lane(Wave& w, const Instruction& in) {
  const unsigned lane = read_scalar<U>(w, in.source[2]) & static_cast<unsigned>(w.lanes - 1);
  w.write(in.source[0].index, w.vgpr(in.source[1].index)[lane]);
}
void write_lane(Wave& w, const Instruction& in) {  // whatever EXEC is
  const unsigned lane = read_scalar<U>(w, in.source[2]) & static_cast<unsigned>(w.lanes - 1);
  w.vgpr(in.source[0].index)[lane] = read_scalar<U>(w, in.source[1]);
}

/// Bits of a mask below this lane, in one half of the wave, plus an addend.
template <bool High>
void count_below(Wave& w, const Instruction& in) {
  alignas(64) Words mask, addend, unused, result;
  prepare_raw(w, in.source[1], 1, mask, unused);
  prepare_raw(w, in.source[2], 1, addend, unused);
  for (unsigned lane = 0; lane < 64; ++lane) {
    const std::uint64_t below = (std::uint64_t{1} << lane) - 1;
    result[lane] =
        static_cast<U>(std::popcount(mask[lane] & static_cast<U>(High ? below >> 32 : below))) + addend[lane];
  }
  write_word(w, in.source[0].index, result);
}

/// v_permlane16: lane i of a row of 16 reads the lane that 4 bits of two scalars name; v_permlanex16 in the other row.
template <bool OtherRow, bool Variable>
void permute_row(Wave& w, const Instruction& in) {
  const bool fetch_inactive = (in.op_sel & 1) != 0, bound_control = (in.op_sel & 2) != 0;
  const U* const from = w.vgpr(in.source[1].index);
  Words result = w.vgprs[in.source[0].index];
  std::uint64_t selectors = 0;
  if (!Variable)
    selectors = read_scalar<U>(w, in.source[2]) | std::uint64_t{read_scalar<U>(w, in.source[3])} << 32;
  for (unsigned lane = 0; lane < static_cast<unsigned>(w.lanes); ++lane) {
    const unsigned pick = Variable ? w.vgpr(in.source[2].index)[lane] & 15
                                   : static_cast<unsigned>(selectors >> (4 * (lane & 15))) & 15;
    const unsigned source = ((lane & ~15u) ^ (OtherRow ? 16u : 0u)) + pick;
    if (fetch_inactive || (w.exec >> source & 1) != 0)
      result[lane] = from[source];
    else if (bound_control)
      result[lane] = 0;
  }
  write_word(w, in.source[0].index, result);
}

void permute_halves(Wave& w, const Instruction& in) {  // v_permlane64
  const U* const from = w.vgpr(in.source[1].index);
  Words result{};
  for (unsigned lane = 0; lane < 64; ++lane) result[lane] = w.lanes == 64 ? from[lane ^ 32] : from[lane];
  write_word(w, in.source[0].index, result);
}

/// v_permlane32_swap and v_permlane16_swap (gfx950): rows of the first register's odd half for the second's even one.
template <unsigned Rows>
void swap_rows(Wave& w, const Instruction& in) {
  U* const a = w.vgpr(in.source[0].index);
  U* const b = w.vgpr(in.source[1].index);
  for (unsigned lane = 0; lane < 64; ++lane)
    if ((lane & Rows) != 0) std::swap(a[lane], b[lane ^ Rows]);
}

void swap_registers(Wave& w, const Instruction& in) {
  const Words a = w.vgprs[in.source[0].index], b = w.vgprs[in.source[1].index];
  write_word(w, in.source[0].index, b);
  write_word(w, in.source[1].index, a);
}

/// The register that M0 chooses from `first` on.
unsigned relative(const Wave& w, unsigned first) {
  const U offset = w.read(sgpr::m0);
  if (offset >= vgpr::accumulation || first + offset >= vgpr::accumulation)
    w.fault(Fault::Kind::memory, fmt::format("v{} + m0 = {}: there is no such register", first, offset));
  return first + offset;
}
void move_relative_source(Wave& w, const Instruction& in) {
  const Words from = w.vgprs[relative(w, in.source[1].index)];
  write_word(w, in.source[0].index, from);
}
void move_relative_destination(Wave& w, const Instruction& in) {
  alignas(64) Words low, high;
  prepare_raw(w, in.source[1], 1, low, high);
  write_word(w, relative(w, in.source[0].index), low);
}

}  // namespace

void add_lane_exchange(Opcodes& t) {
  t["v_readfirstlane_b32"] = raw(read_first_lane, Pipe::valu);
  t["v_readlane_b32"] = raw(read_lane, Pipe::valu);
  t["v_writelane_b32"] = raw(write_lane, Pipe::valu);
  t["v_mbcnt_lo_u32_b32"] = raw(count_below<false>, Pipe::valu);
  t["v_mbcnt_hi_u32_b32"] = raw(count_below<true>, Pipe::valu);
  t["v_permlane16_b32"] = raw(permute_row<false, false>, Pipe::valu);
  t["v_permlanex16_b32"] = raw(permute_row<true, false>, Pipe::valu);
  t["v_permlane16_var_b32"] = raw(permute_row<false, true>, Pipe::valu);
  t["v_permlanex16_var_b32"] = raw(permute_row<true, true>, Pipe::valu);
  t["v_permlane64_b32"] = raw(permute_halves, Pipe::valu);
  t["v_permlane32_swap_b32"] = raw(swap_rows<32>, Pipe::valu);
  t["v_permlane16_swap_b32"] = raw(swap_rows<16>, Pipe::valu);
  t["v_swap_b32"] = raw(swap_registers, Pipe::valu);
  t["v_movrels_b32"] = raw(move_relative_source, Pipe::valu);
  t["v_movreld_b32"] = raw(move_relative_destination, Pipe::valu);
}

}  // namespace kernelgen::amdgpu
