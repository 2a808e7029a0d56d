#include "lanes.hpp"

#include <cfenv>
#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace kernelgen::amdgpu {
namespace {

int words_of(Type type) {
  return type == Type::u64 || type == Type::i64 || type == Type::f64 || type == Type::packed_f32 ? 2 : 1;
}
bool is_16_bit(Type type) {
  return type == Type::u16 || type == Type::i16 || type == Type::f16 || type == Type::bf16;
}

void flush(const Wave& wave, Type type, Words& low, Words& high) {
  wave.each_lane([&](std::size_t lane) {
    if (type == Type::f32 && (low[lane] & 0x7f800000) == 0) low[lane] &= 0x80000000;
    if (type == Type::f16 && (low[lane] & 0x7c00) == 0) low[lane] &= 0xffff8000;
    if (type == Type::f64 && (high[lane] & 0x7ff00000) == 0) {
      low[lane] = 0;
      high[lane] &= 0x80000000;
    }
  });
}

void fill(const Wave& wave, Words& words, std::uint32_t value) {
  wave.each_lane([&](std::size_t lane) { words[lane] = value; });
}

bool flushes(const Wave& wave, Type type) {
  return type == Type::f32 ? wave.flush_32 : (type == Type::f16 || type == Type::f64) && wave.flush_16_64;
}

template <class T>
void modify(const Wave& wave, const Instruction& in, Words& low, Words& high) {
  wave.each_lane([&](std::size_t lane) {
    T value = from_words<T>(low[lane], high[lane]);
    if (in.omod == 1) value = value * T(2);
    if (in.omod == 2) value = value * T(4);
    if (in.omod == 3) value = value / T(2);
    // A NaN becomes 0: compilers set DX10_CLAMP, and gfx12 has no other way.
    if (in.clamp) value = value > T(0) ? (value < T(1) ? value : T(1)) : T(0);
    to_words<T>(value, low[lane], high[lane]);
  });
}

}  // namespace

void prepare_raw(Wave& wave, const Operand& operand, int words, Words& low, Words& high) {
  switch (operand.kind) {
    case Operand::Kind::vgpr:
      low = wave.vgprs[operand.index];
      if (words == 2) high = wave.vgprs[operand.index + 1u];
      break;
    case Operand::Kind::sgpr:
      fill(wave, low, wave.read(operand.index));
      if (words == 2) fill(wave, high, operand.index == sgpr::scc ? 0 : wave.read(operand.index + 1u));
      break;
    case Operand::Kind::constant:
      fill(wave, low, static_cast<std::uint32_t>(operand.bits));
      if (words == 2) fill(wave, high, static_cast<std::uint32_t>(operand.bits >> 32));
      break;
    case Operand::Kind::none:
      wave.fault(Fault::Kind::unsupported, "an operand is missing");
  }
}

void prepare(Wave& wave, const Operand& operand, Words& low, Words& high) {
  const int words = words_of(operand.type);
  prepare_raw(wave, operand, words, low, high);
  if (operand.high) wave.each_lane([&](std::size_t lane) { low[lane] >>= 16; });
  Words& sign_words = words == 2 ? high : low;
  const std::uint32_t sign = is_16_bit(operand.type) ? 0x8000u : 0x80000000u;
  if (operand.absolute) wave.each_lane([&](std::size_t lane) { sign_words[lane] &= ~sign; });
  if (operand.negate) wave.each_lane([&](std::size_t lane) { sign_words[lane] ^= sign; });
  if (flushes(wave, operand.type)) flush(wave, operand.type, low, high);
}

void expand_mask(std::uint64_t bits, Words& words) {
  const auto low = static_cast<std::uint32_t>(bits), high = static_cast<std::uint32_t>(bits >> 32);
  for (unsigned lane = 0; lane < 32; ++lane) words[lane] = low >> lane & 1;
  for (unsigned lane = 0; lane < 32; ++lane) words[lane + 32] = high >> lane & 1;
}

std::uint64_t collect_mask(const Words& words) {
  std::uint64_t bits = 0;
#ifdef __AVX2__
  for (unsigned lane = 0; lane < 64; lane += 8) {
    const __m256 eight =
        _mm256_castsi256_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(&words[lane])));
    bits |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_ps(eight))) << lane;
  }
#else
  for (unsigned lane = 0; lane < 64; ++lane) bits |= std::uint64_t{words[lane] >> 31} << lane;
#endif
  return bits;
}

void write_word(Wave& wave, unsigned index, const Words& words) {
  Words& to = wave.vgprs[index];
  if (wave.exec == wave.all_lanes())
    wave.each_lane([&](std::size_t lane) { to[lane] = words[lane]; });
  else
    wave.each_lane([&](std::size_t lane) {
      to[lane] = (words[lane] & wave.writes[lane]) | (to[lane] & ~wave.writes[lane]);
    });
}

void write_result(Wave& wave, const Instruction& in, Type type, Words& low, Words& high) {
  if (in.omod != 0 || in.clamp) {
    if (type == Type::f32) modify<float>(wave, in, low, high);
    if (type == Type::f16) modify<Half>(wave, in, low, high);
    if (type == Type::f64) modify<double>(wave, in, low, high);
  }
  if (flushes(wave, type)) flush(wave, type, low, high);
  const Operand& destination = in.destination[0];
  if (is_16_bit(type)) {
    const Words& to = wave.vgprs[destination.index];
    if (destination.high)
      wave.each_lane([&](std::size_t lane) { low[lane] = low[lane] << 16 | (to[lane] & 0xffff); });
    else if (in.keeps_high)
      wave.each_lane([&](std::size_t lane) { low[lane] = (low[lane] & 0xffff) | (to[lane] & 0xffff0000); });
  }
  write_word(wave, destination.index, low);
  if (words_of(type) == 2) write_word(wave, destination.index + 1u, high);
}

RoundingScope::RoundingScope(const Wave& wave, bool is_f32) {
  static constexpr int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  const int wanted = modes[(is_f32 ? wave.mode : wave.mode >> 2) & 3];
  if (wanted == FE_TONEAREST) return;
  before_ = std::fegetround();
  std::fesetround(wanted);
}

RoundingScope::~RoundingScope() {
  if (before_ >= 0) std::fesetround(before_);
}

}  // namespace kernelgen::amdgpu
