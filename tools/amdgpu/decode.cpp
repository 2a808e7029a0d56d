#include "decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "dpp.hpp"
#include "fault.hpp"
#include "opcodes.hpp"
#include "operand.hpp"
#include "sdwa.hpp"
#include "vopd.hpp"
#include "wave.hpp"

namespace kernelgen::amdgpu {
namespace {

void execute_unknown(Wave& wave, const Instruction&) {
  wave.fault(Fault::Kind::unknown_instruction, "the simulator does not know this instruction");
}
void execute_end(Wave& wave, const Instruction&) {
  wave.fault(Fault::Kind::unknown_instruction, "execution runs past the end of the function");
}

std::string_view without_encoding(std::string_view mnemonic) {
  for (const std::string_view suffix : {"_dpp", "_sdwa", "_e32", "_e64"})
    if (mnemonic.ends_with(suffix)) mnemonic.remove_suffix(suffix.size());
  return mnemonic;
}

std::optional<std::string_view> value_of(std::string_view modifier, std::string_view name) {
  if (!modifier.starts_with(name) || modifier.size() <= name.size() || modifier[name.size()] != ':')
    return std::nullopt;
  return modifier.substr(name.size() + 1);
}

std::uint8_t bits_of(std::string_view list) {
  std::uint8_t bits = 0;
  const auto numbers = parse_list(list);
  for (std::size_t i = 0; i < numbers.size() && i < 8; ++i)
    if (numbers[i] != 0) bits = static_cast<std::uint8_t>(bits | 1u << i);
  return bits;
}

/// Modifiers that are not DPP's or SDWA's. A count of how many entries op_sel has, 0 without.
std::size_t read_modifiers(const Parts& parts, Instruction& in) {
  std::size_t op_sel_entries = 0;
  for (const std::string_view m : parts.modifiers) {
    if (m == "clamp") in.clamp = true;
    if (m == "mul:2") in.omod = 1;
    if (m == "mul:4") in.omod = 2;
    if (m == "div:2") in.omod = 3;
    if (m == "glc" || m == "sc0" || m == "th:TH_ATOMIC_RETURN" || m.starts_with("th:TH_ATOMIC_RT_RETURN") ||
        m.starts_with("th:TH_ATOMIC_NT_RETURN") || m.starts_with("th:TH_ATOMIC_CASCADE_RETURN"))
      in.returns = true;
    if (m == "offen") in.off_enable = true;
    if (m == "idxen") in.index_enable = true;
    if (m == "lds") in.to_lds = true;
    if (const auto v = value_of(m, "op_sel")) {
      in.op_sel = bits_of(*v);
      op_sel_entries = parse_list(*v).size();
    }
    if (const auto v = value_of(m, "op_sel_hi")) in.op_sel_hi = bits_of(*v);
    if (const auto v = value_of(m, "neg_lo")) in.neg_lo = bits_of(*v);
    if (const auto v = value_of(m, "neg_hi")) in.neg_hi = bits_of(*v);
    if (const auto v = value_of(m, "neg")) in.neg_lo = bits_of(*v);
    if (const auto v = value_of(m, "cbsz")) in.cbsz = static_cast<std::uint8_t>(parse_number(*v));
    if (const auto v = value_of(m, "index_key")) in.abid = static_cast<std::uint8_t>(parse_number(*v));
    if (const auto v = value_of(m, "abid")) in.abid = static_cast<std::uint8_t>(parse_number(*v));
    if (const auto v = value_of(m, "blgp")) in.blgp = static_cast<std::uint8_t>(parse_number(*v));
    if (const auto v = value_of(m, "offset"))
      in.offset = v->starts_with("swizzle(") ? parse_swizzle(*v) : parse_number(*v);
    if (const auto v = value_of(m, "offset0")) in.offset = parse_number(*v);
    if (const auto v = value_of(m, "offset1")) in.offset1 = parse_number(*v);
    if (const auto v = value_of(m, "bitop3")) in.immediate = static_cast<std::uint16_t>(parse_number(*v));
    if (const auto v = value_of(m, "byte_sel")) in.op_sel = static_cast<std::uint8_t>(parse_number(*v));
  }
  return op_sel_entries;
}

bool is_cmpx(std::string_view name) { return name.starts_with("v_cmpx_"); }

void bind_operands(const Parts& parts, const Opcode& opcode, const Isa& isa, std::string_view name,
                   Instruction& in, std::size_t op_sel_entries) {
  std::size_t next = 0;
  const auto take = [&](Type type) {
    Operand operand = next < parts.operands.size() ? parse_operand(parts.operands[next]) : Operand{};
    ++next;
    bind(operand, type);
    return operand;
  };
  if (opcode.raw) {
    in.sources = static_cast<std::uint8_t>(std::min(parts.operands.size(), in.source.size()));
    for (std::size_t i = 0; i < in.sources; ++i) in.source[i] = take(Type::raw);
    return;
  }
  in.destinations = opcode.destinations;
  if (is_cmpx(name)) {
    Operand exec = parse_operand("exec");
    if (isa.cmpx_writes_exec_only()) {
      in.destination[0] = exec;
    } else {
      in.destination[0] = take(Type::mask);
      in.destination[1] = exec;
    }
  } else {
    for (std::size_t i = 0; i < opcode.destinations; ++i) in.destination[i] = take(opcode.destination[i]);
  }
  in.sources = opcode.sources;
  const std::size_t written = opcode.sources - (opcode.accumulates ? 1u : 0u);
  for (std::size_t i = 0; i < opcode.sources; ++i) {
    const Type type = opcode.source[i];
    Operand& operand = in.source[i];
    if (opcode.accumulates && i == written) {
      operand = in.destination[0];
      if (!opcode.packed && (in.op_sel >> 3 & 1) != 0) operand.high = true;
      bind(operand, type);
    } else if (type == Type::none) {  // SCC
      continue;
    } else if (type == Type::vcc || (type == Type::mask && next >= parts.operands.size())) {
      operand = parse_operand("vcc");
    } else {
      operand = take(type);
    }
    const bool half = type == Type::u16 || type == Type::i16 || type == Type::f16 || type == Type::bf16;
    if (!opcode.packed && half && i < written && (in.op_sel >> i & 1) != 0) {
      operand.high = true;
      if (operand.kind == Operand::Kind::constant) operand.high = false;
      bind(operand, type);
    }
  }
  if (!opcode.packed && op_sel_entries > 0 && (in.op_sel >> (op_sel_entries - 1) & 1) != 0 &&
      op_sel_entries > written)
    in.destination[0].high = true;
  in.keeps_high = opcode.keeps_high || !isa.zeroes_high_half() || op_sel_entries > 0;
}

Instruction unknown(std::string_view text) {
  Instruction in;
  in.execute = execute_unknown;
  in.text = text;
  return in;
}

Instruction decode_one(std::string_view text, const Isa& isa) {
  const Parts parts = take_apart(text);
  const std::string_view name = without_encoding(parts.mnemonic);
  const auto found = opcodes().find(name);
  if (found == opcodes().end()) return unknown(text);
  const Opcode& opcode = found->second;
  Instruction in;
  in.execute = opcode.execute;
  in.pipe = opcode.pipe;
  in.opcode = opcode.number;
  in.access = opcode.access;
  in.text = text;
  if (opcode.packed && !opcode.mixed) in.op_sel_hi = 0xff;
  const std::size_t op_sel_entries = read_modifiers(parts, in);
  bind_operands(parts, opcode, isa, name, in, op_sel_entries);
  if (in.clamp && opcode.saturating != nullptr) in.execute = opcode.saturating;
  if (opcode.raw && !parts.operands.empty())
    in.immediate = static_cast<std::uint16_t>(parse_number(parts.operands.back()));
  if (opcode.raw) return in;
  bind_dpp(parts, in);
  bind_sdwa(parts, in);
  return in;
}

}  // namespace

Instruction decode_text(std::string_view text, const Isa& isa) {
  const auto split = text.find(" :: ");
  if (split == std::string_view::npos) return decode_one(text, isa);
  // VOPD: `v_dual_mul_f32 v0, v1, v2 :: v_dual_add_f32 v3, v4, v5`.
  const auto single = [](std::string_view half) {
    return "v_" + std::string(half.substr(half.find("v_dual_") + 7));
  };
  Instruction x = decode_one(single(text.substr(0, split)), isa);
  Instruction y = decode_one(single(text.substr(split + 4)), isa);
  if (is_unknown(x) || is_unknown(y)) return unknown(is_unknown(x) ? x.text : y.text);
  return dual(std::move(x), std::move(y), std::string(text));
}

Instruction undecodable(std::uint64_t pc) {
  Instruction in = unknown("(bytes that are no instruction)");
  in.pc = pc;
  return in;
}

Instruction end_of_code(std::uint64_t pc) {
  Instruction in = unknown("(end of the function)");
  in.execute = execute_end;
  in.pc = pc;
  return in;
}

bool is_unknown(const Instruction& in) { return in.execute == execute_unknown; }

const Opcodes& opcodes() {
  static const Opcodes table = [] {
    Opcodes all;
    for (const auto add_some : {add_scalar,         add_scalar_memory, add_control,       add_float,
                                add_half,           add_double,        add_integer,       add_integer_16,
                                add_compare,        add_conversions,   add_packed,        add_dot,
                                add_lane_exchange,  add_global_memory, add_buffer_memory, add_buffer_atomics,
                                add_global_atomics, add_lds,           add_lds_atomics,   add_mfma,
                                add_scaled_mfma,    add_smfmac,        add_wmma,          add_indexing})
      add_some(all);
    std::uint16_t number = 0;
    for (auto& [name, opcode] : all) opcode.number = ++number;
    return all;
  }();
  return table;
}

const std::vector<NumberedOpcode>& numbered_opcodes() {
  static const std::vector<NumberedOpcode> list = [] {
    std::vector<NumberedOpcode> all(opcodes().size() + 1, {"(unknown)", Pipe::other});
    for (const auto& [name, opcode] : opcodes()) all[opcode.number] = {name, opcode.pipe};
    return all;
  }();
  return list;
}

}  // namespace kernelgen::amdgpu
