#include "code_object/pipes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <utility>

#include "code_object/code_object.hpp"

namespace kernelgen::tool {
namespace {

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.starts_with(word); });
}

bool holds_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != text.npos; });
}

/// The mnemonic without its encoding: v_add_f32_e64 → v_add_f32.
std::string_view plain(std::string_view mnemonic) {
  for (const std::string_view encoding : {"_e32", "_e64", "_dpp", "_sdwa", "_e64_dpp"})
    if (mnemonic.ends_with(encoding)) return mnemonic.substr(0, mnemonic.size() - encoding.size());
  return mnemonic;
}

/// Bytes that a lane moves: the width in the mnemonic, in the words of gfx9 and gfx10 or of gfx11 and later.
std::uint32_t width_of(std::string_view mnemonic) {
  constexpr std::pair<std::string_view, std::uint32_t> widths[] = {
      {"dwordx4", 16}, {"dwordx3", 12}, {"dwordx2", 8}, {"dword", 4}, {"b128", 16}, {"b96", 12},
      {"b64", 8},      {"u64", 8},      {"i64", 8},     {"f64", 8},   {"x2", 8},    {"ushort", 2},
      {"sshort", 2},   {"short", 2},    {"u16", 2},     {"i16", 2},   {"b16", 2},   {"ubyte", 1},
      {"sbyte", 1},    {"byte", 1},     {"u8", 1},      {"i8", 1},    {"b8", 1}};
  for (const auto& [word, bytes] : widths)
    if (mnemonic.find(word) != mnemonic.npos) return bytes;
  return 4;
}

bool is_matrix(std::string_view name) {
  return starts_with_any(name, {"v_mfma_", "v_smfmac_", "v_wmma_", "v_swmmac_"});
}

bool is_transcendental(std::string_view name) {
  return starts_with_any(name,
                         {"v_exp_f", "v_log_f", "v_rcp_", "v_rsq_", "v_sqrt_", "v_sin_", "v_cos_", "v_s_"});
}

bool is_multiplication(std::string_view name) {
  return starts_with_any(name,
                         {"v_fma", "v_mad_f", "v_mac_f", "v_madmk_f", "v_madak_f", "v_pk_fma_f", "v_dot"}) ||
         starts_with_any(name, {"v_dual_fma", "v_dual_dot"});
}

InstructionClass vector_class(std::string_view name) {
  InstructionClass kind;
  kind.pipe = is_matrix(name) ? Pipe::matrix : Pipe::valu;
  if (kind.pipe == Pipe::matrix) return kind;
  kind.multiplies = is_multiplication(name);
  kind.transcendental = is_transcendental(name);
  kind.issues = name != "v_nop";
  return kind;
}

InstructionClass memory_class(std::string_view name, const Instruction& instruction) {
  InstructionClass kind;
  kind.pipe = Pipe::global;
  const bool atomic = name.find("_atomic") != name.npos;
  kind.stores = atomic || name.find("_store") != name.npos;
  kind.loads = name.find("_load") != name.npos;
  // What neither loads nor stores writes caches back, forgets them or fetches ahead.
  if (kind.loads || kind.stores) kind.lane_bytes = width_of(name);
  // An atomic operation that returns nothing is a store.
  if (atomic && holds_any(instruction.operands, {"glc", "sc0", "TH_ATOMIC_RETURN"})) kind.loads = true;
  return kind;
}

InstructionClass lds_class(std::string_view name) {
  InstructionClass kind;
  kind.pipe = Pipe::lds;
  if (starts_with_any(name, {"ds_nop", "ds_gws"})) return kind;
  const bool twice = starts_with_any(name, {"ds_read2", "ds_write2"}) || name.find("_2addr_") != name.npos;
  kind.lane_bytes = width_of(name) * (twice ? 2 : 1);
  return kind;
}

InstructionClass scalar_class(std::string_view name) {
  InstructionClass kind;
  if (starts_with_any(name, {"s_branch", "s_cbranch", "s_barrier", "s_endpgm", "s_sendmsg"})) {
    kind.pipe = Pipe::branch;
  } else if (starts_with_any(name, {"s_wait", "s_nop", "s_delay_alu", "s_clause", "s_sleep", "s_setprio",
                                    "s_inst_prefetch", "s_set_inst_prefetch", "s_sethalt", "s_code_end"})) {
    kind.pipe = Pipe::branch;
    kind.issues = false;
  } else {
    kind.pipe = Pipe::scalar;
  }
  return kind;
}

/// How many times what an f32 instruction takes.
std::uint32_t rate_of(const Machine& machine, std::string_view name, const InstructionClass& kind) {
  const bool is_f64 = holds_any(name, {"_f64"});
  if (kind.transcendental) return std::max(machine.transcendental_rate, is_f64 ? machine.f64_rate : 1);
  if (is_f64) return machine.f64_rate;
  if (starts_with_any(name, {"v_mul_lo_u32", "v_mul_lo_i32", "v_mul_hi_u32", "v_mul_hi_i32", "v_mad_u64_u32",
                             "v_mad_i64_i32", "v_mad_co_u64_u32", "v_mad_co_i64_i32"}))
    return machine.int_multiply_rate;
  if (holds_any(name, {"_b64", "_u64", "_i64"})) return machine.b64_rate;
  return 1;
}

std::uint32_t matrix_cycles(const Machine& machine, std::string_view name) {
  const auto cycles = machine.matrix_cycles.find(name);
  if (cycles == machine.matrix_cycles.end())
    throw BadCodeObject(fmt::format("machines.json says of '{}' no cycles of {}", machine.target, name));
  return cycles->second;
}

std::uint32_t quotient_up(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }

}  // namespace

InstructionClass classify(const Instruction& instruction) {
  const std::string_view name = plain(instruction.mnemonic);
  if (name.starts_with("v_")) return vector_class(name);
  if (name.starts_with("ds_")) return lds_class(name);
  if (starts_with_any(name, {"global_", "flat_", "buffer_", "scratch_", "tbuffer_", "image_"}))
    return memory_class(name, instruction);
  return scalar_class(name);
}

std::int64_t matrix_products(std::string_view mnemonic) {
  for (std::size_t at = 0; at != mnemonic.npos; at = mnemonic.find('_', at + 1)) {
    unsigned rows = 0, columns = 0, terms = 0;
    if (std::sscanf(std::string(mnemonic.substr(at)).c_str(), "_%3ux%3ux%3u", &rows, &columns, &terms) == 3)
      return std::int64_t{rows} * columns * terms;
  }
  return 1;
}

std::uint32_t pipe_cycles(const Machine& machine, const Instruction& instruction,
                          const InstructionClass& kind, std::uint32_t wave_size) {
  if (!kind.issues) return 0;
  const std::string_view name = plain(instruction.mnemonic);
  const std::uint32_t bytes = kind.lane_bytes * wave_size;
  switch (kind.pipe) {
    case Pipe::valu:
      return quotient_up(wave_size, machine.simd_lanes) * rate_of(machine, name, kind);
    case Pipe::matrix:
      return matrix_cycles(machine, name);
    case Pipe::lds:
      return std::max(1u, quotient_up(bytes, machine.lds_bytes_a_cycle));
    case Pipe::global:
      return std::max(1u, quotient_up(bytes, machine.l1_bytes_a_cycle));
    case Pipe::scalar:
    case Pipe::branch:
      break;
  }
  return machine.issue_cycles;
}

}  // namespace kernelgen::tool
