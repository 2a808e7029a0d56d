#include "operand.hpp"

#include <bit>
#include <charconv>
#include <cstdlib>
#include <string>
#include <utility>

namespace kernelgen::amdgpu {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The text up to `separator` outside of brackets and quotes; taken off `text`.
std::string_view take(std::string_view& text, char separator) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (c == separator && depth == 0) return std::exchange(text, text.substr(at + 1)).substr(0, at);
  }
  return std::exchange(text, {});
}

bool starts(std::string_view& text, std::string_view with) {
  if (!text.starts_with(with)) return false;
  text.remove_prefix(with.size());
  return true;
}

/// `5` or `[4:5]` after a register's letter.
bool parse_index(std::string_view text, std::uint16_t& index, std::uint16_t& words) {
  const bool range = starts(text, "[");
  const char* const end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, index);
  if (error != std::errc()) return false;
  words = 1;
  if (!range) return at == end;
  std::uint16_t last = index;
  if (at != end && *at == ':') {
    const auto second = std::from_chars(at + 1, end, last);
    if (second.ec != std::errc()) return false;
    at = second.ptr;
  }
  words = static_cast<std::uint16_t>(last - index + 1);
  return at + 1 == end && *at == ']';
}

struct Named {
  std::string_view name;
  std::uint16_t index, words;
};
constexpr Named named[] = {{"vcc", sgpr::vcc, 2},
                           {"vcc_lo", sgpr::vcc, 1},
                           {"vcc_hi", sgpr::vcc + 1, 1},
                           {"exec", sgpr::exec, 2},
                           {"exec_lo", sgpr::exec, 1},
                           {"exec_hi", sgpr::exec + 1, 1},
                           {"m0", sgpr::m0, 1},
                           {"null", sgpr::null, 1},
                           {"src_scc", sgpr::scc, 1},
                           {"scc", sgpr::scc, 1},
                           {"src_vccz", sgpr::vccz, 1},
                           {"src_execz", sgpr::execz, 1},
                           {"src_shared_base", sgpr::shared_base, 2},
                           {"src_shared_limit", sgpr::shared_limit, 2},
                           {"src_private_base", sgpr::private_base, 2},
                           {"src_private_limit", sgpr::private_limit, 2},
                           {"src_shared_base_lo", sgpr::shared_base, 1},
                           {"src_shared_limit_lo", sgpr::shared_limit, 1},
                           {"src_private_base_lo", sgpr::private_base, 1},
                           {"src_private_limit_lo", sgpr::private_limit, 1},
                           {"flat_scratch", sgpr::flat_scratch, 2},
                           {"flat_scratch_lo", sgpr::flat_scratch, 1},
                           {"flat_scratch_hi", sgpr::flat_scratch + 1, 1},
                           {"xnack_mask", sgpr::xnack_mask, 2}};

constexpr double inverse_of_two_pi = 0.15915494309189532;

std::uint64_t encode_real(double value, Type type) {
  switch (type) {
    case Type::u16:
    case Type::i16:
    case Type::f16:
    case Type::packed_u16:
    case Type::packed_f16:
      return std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
    case Type::bf16:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16;
    case Type::u64:
    case Type::i64:
    case Type::f64:
      return std::bit_cast<std::uint64_t>(value);
    default:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
}

}  // namespace

Parts take_apart(std::string_view text) {
  Parts parts;
  text = trimmed(text);
  const auto split = text.find_first_of(" \t");
  parts.mnemonic = text.substr(0, split);
  std::string_view rest = split == std::string_view::npos ? std::string_view{} : trimmed(text.substr(split));
  while (!rest.empty()) {
    std::string_view piece = trimmed(take(rest, ','));
    parts.operands.push_back(trimmed(take(piece, ' ')));
    while (!(piece = trimmed(piece)).empty()) parts.modifiers.push_back(take(piece, ' '));
  }
  // Instructions with modifiers only.
  if (parts.operands.size() == 1 && parts.operands[0].find(':') != std::string_view::npos &&
      parts.operands[0].find('[') == std::string_view::npos) {
    parts.modifiers.insert(parts.modifiers.begin(), parts.operands[0]);
    parts.operands.clear();
  }
  return parts;
}

std::int64_t parse_number(std::string_view text) {
  const bool negative = starts(text, "-");
  const int base = starts(text, "0x") ? 16 : 10;
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
}

std::vector<std::int64_t> parse_list(std::string_view text) {
  std::vector<std::int64_t> numbers;
  starts(text, "[");
  if (text.ends_with(']')) text.remove_suffix(1);
  while (!text.empty()) numbers.push_back(parse_number(trimmed(take(text, ','))));
  return numbers;
}

Operand parse_operand(std::string_view text) {
  Operand operand;
  const auto wrapped = [&](std::string_view prefix, char suffix) {
    if (!text.starts_with(prefix) || !text.ends_with(suffix)) return false;
    text = text.substr(prefix.size(), text.size() - prefix.size() - 1);
    return true;
  };
  operand.sign_extend = wrapped("sext(", ')');
  if (wrapped("neg(", ')')) operand.negate = true;
  if (text.size() > 1 && text[0] == '-' && (text[1] < '0' || text[1] > '9')) {
    operand.negate = true;
    text.remove_prefix(1);
  }
  operand.absolute = wrapped("|", '|') || wrapped("abs(", ')');
  wrapped("lit(", ')') || wrapped("lit64(", ')');
  if (text.ends_with(".h")) operand.high = true;
  if (text.ends_with(".h") || text.ends_with(".l")) text.remove_suffix(2);

  for (const Named& name : named) {
    if (text != name.name) continue;
    operand.kind = Operand::Kind::sgpr;
    operand.index = name.index;
    operand.words = name.words;
    return operand;
  }
  if (text.empty() || text == "off") return operand;
  const auto in_file = [&](std::string_view prefix, Operand::Kind kind, std::uint16_t base) {
    if (!text.starts_with(prefix) || !parse_index(text.substr(prefix.size()), operand.index, operand.words))
      return false;
    operand.kind = kind;
    operand.index = static_cast<std::uint16_t>(operand.index + base);
    return true;
  };
  if (in_file("v", Operand::Kind::vgpr, 0) || in_file("a", Operand::Kind::vgpr, vgpr::accumulation) ||
      in_file("s", Operand::Kind::sgpr, 0) || in_file("ttmp", Operand::Kind::sgpr, sgpr::ttmp0))
    return operand;
  const bool digit = (text[0] >= '0' && text[0] <= '9') || text[0] == '-';
  if (!digit) return operand;
  operand.kind = Operand::Kind::constant;
  if (text.starts_with("0x")) {
    operand.spelling = Operand::Spelling::hexadecimal;
  } else if (text.find('.') != std::string_view::npos) {
    operand.spelling = Operand::Spelling::real;
    // 1/(2*pi) has as many digits in the text as the nearest float needs.
    operand.bits = std::bit_cast<std::uint64_t>(
        text.starts_with("0.159") ? inverse_of_two_pi : std::strtod(std::string(text).c_str(), nullptr));
    return operand;
  }
  operand.bits = static_cast<std::uint64_t>(parse_number(text));
  return operand;
}

double raw_real(const Operand& operand) {
  const float value = std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits));
  return value == static_cast<float>(inverse_of_two_pi) ? inverse_of_two_pi : value;
}

void bind(Operand& operand, Type type) {
  operand.type = type;
  operand.plain =
      operand.kind == Operand::Kind::vgpr && !operand.negate && !operand.absolute && !operand.high;
  if (operand.kind != Operand::Kind::constant) return;
  if (operand.spelling == Operand::Spelling::real && !operand.bound)
    operand.bits = encode_real(std::bit_cast<double>(operand.bits), type);
  operand.bound = true;
  if (operand.spelling == Operand::Spelling::hexadecimal && (operand.bits >> 32) == 0) {
    if (type == Type::f64) operand.bits <<= 32;
    if (type == Type::i64)
      operand.bits = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(operand.bits)});
  }
}

}  // namespace kernelgen::amdgpu
