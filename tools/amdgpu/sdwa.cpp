#include "sdwa.hpp"

#include "lanes.hpp"
#include "vopd.hpp"

namespace kernelgen::amdgpu {
namespace {

using Part = Selection::Part;

Part part_of(std::string_view text) {
  constexpr std::string_view names[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1"};
  for (std::size_t i = 0; i < std::size(names); ++i)
    if (text == names[i]) return static_cast<Part>(i);
  return Part::dword;
}

int shift_of(Part part) {
  if (part == Part::dword) return 0;
  return part >= Part::word_0 ? 16 * (static_cast<int>(part) - 4) : 8 * static_cast<int>(part);
}
int bits_of(Part part) { return part == Part::dword ? 32 : part >= Part::word_0 ? 16 : 8; }

std::uint32_t extract(std::uint32_t word, Part part, bool sign_extend) {
  const int above = 32 - bits_of(part) - shift_of(part), unused = 32 - bits_of(part);
  const std::uint32_t top = word << above;
  return sign_extend ? static_cast<std::uint32_t>(static_cast<std::int32_t>(top) >> unused) : top >> unused;
}

constexpr unsigned temporary_source(std::size_t i) { return vgpr::temporary + static_cast<unsigned>(2 * i); }
constexpr unsigned temporary_destination = vgpr::temporary + 4;

void execute_sdwa(Wave& wave, const Instruction& in) {
  const Selection& sdwa = *in.sdwa;
  for (std::size_t i = 0; i < 2 && i < in.sources; ++i) {
    if (in.source[i].index != temporary_source(i) || in.source[i].kind != Operand::Kind::vgpr) continue;
    Words low, high;
    prepare_raw(wave, sdwa.operand[i], 1, low, high);
    std::uint32_t* const to = wave.vgpr(temporary_source(i));
    for (std::size_t lane = 0; lane < low.size(); ++lane)
      to[lane] = extract(low[lane], sdwa.source[i], sdwa.operand[i].sign_extend);
  }
  in.inner(wave, in);
}

/// The result is in a temporary register: a part of the destination is made of it.
void execute_sdwa_part(Wave& wave, const Instruction& in) {
  const Selection& sdwa = *in.sdwa;
  wave.vgprs[temporary_destination] = wave.vgprs[in.destination[0].index];
  in.second->execute(wave, *in.second);
  const std::uint32_t* const result = wave.vgpr(temporary_destination);
  const Words& before = wave.vgprs[in.destination[0].index];
  const int shift = shift_of(sdwa.destination), bits = bits_of(sdwa.destination);
  const std::uint32_t mask = ((bits == 32 ? 0u : 1u << bits) - 1u) << shift;
  Words words;
  for (std::size_t lane = 0; lane < words.size(); ++lane) {
    const std::uint32_t part = (result[lane] << shift) & mask;
    std::uint32_t rest = 0;
    if (sdwa.unused == Selection::Unused::preserve) rest = before[lane] & ~mask;
    if (sdwa.unused == Selection::Unused::sext) {
      const int above = 32 - bits - shift;
      rest = static_cast<std::uint32_t>(static_cast<std::int32_t>(part << above) >> above) & ~mask;
      rest &= ~((1u << shift) - 1u);
    }
    words[lane] = part | rest;
  }
  write_word(wave, in.destination[0].index, words);
}

void execute_dual(Wave& wave, const Instruction& x) {
  x.inner(wave, x);
  const Instruction& y = *x.second;
  y.execute(wave, y);
  // The lane mask is applied to X's result when it leaves its temporary register.
  write_word(wave, x.immediate, wave.vgprs[x.destination[0].index]);
}

}  // namespace

void bind_sdwa(const Parts& parts, Instruction& in) {
  Selection sdwa;
  bool found = false;
  for (const std::string_view modifier : parts.modifiers) {
    const auto colon = modifier.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = modifier.substr(0, colon), value = modifier.substr(colon + 1);
    if (name == "dst_sel") sdwa.destination = part_of(value);
    if (name == "src0_sel") sdwa.source[0] = part_of(value);
    if (name == "src1_sel") sdwa.source[1] = part_of(value);
    if (name == "dst_unused" && value == "UNUSED_SEXT") sdwa.unused = Selection::Unused::sext;
    if (name == "dst_unused" && value == "UNUSED_PRESERVE") sdwa.unused = Selection::Unused::preserve;
    found = found || name == "src0_sel" || name == "dst_sel";
  }
  if (!found) return;
  for (std::size_t i = 0; i < 2 && i < in.sources; ++i) {
    Operand& operand = in.source[i];
    sdwa.operand[i] = operand;
    if (operand.type == Type::mask || operand.type == Type::vcc) continue;
    if (sdwa.source[i] == Part::dword && !operand.sign_extend) continue;
    operand.kind = Operand::Kind::vgpr;
    operand.index = static_cast<std::uint16_t>(temporary_source(i));
    bind(operand, operand.type);
  }
  const bool part = sdwa.destination != Part::dword && in.destination[0].kind == Operand::Kind::vgpr;
  in.sdwa = std::make_shared<const Selection>(sdwa);
  in.inner = in.execute;
  in.execute = execute_sdwa;
  if (!part) return;
  Instruction whole = in;
  whole.destination[0].index = temporary_destination;
  in.second = std::make_shared<const Instruction>(std::move(whole));
  in.execute = execute_sdwa_part;
}

Instruction dual(Instruction x, Instruction y, std::string text) {
  Instruction in = std::move(x);
  in.immediate = in.destination[0].index;
  in.destination[0].index = vgpr::temporary + 6;
  in.inner = in.execute;
  in.execute = execute_dual;
  y.text = text;
  in.text = std::move(text);
  in.second = std::make_shared<const Instruction>(std::move(y));
  return in;
}

}  // namespace kernelgen::amdgpu
