#pragma once
#include <bit>
#include <cstdint>
#include <tuple>
#include <utility>

#include "opcodes.hpp"
#include "wave.hpp"

// Instructions that do the same in each lane: a function of numbers becomes a handler that loops over lanes.
namespace kernelgen::amdgpu {

using Half = _Float16;

struct BFloat16 {
  std::uint16_t bits;
};
struct MaskBit {  ///< a source: this lane's bit of a mask in SGPRs
  bool set;
};
struct VccBit {
  bool set;
};
template <class T>
struct WithMask {  ///< a result in a VGPR and a bit in SGPRs
  T value;
  bool bit;
};

template <class T>
inline constexpr Type type_of = Type::none;
template <>
inline constexpr Type type_of<std::uint16_t> = Type::u16;
template <>
inline constexpr Type type_of<std::int16_t> = Type::i16;
template <>
inline constexpr Type type_of<Half> = Type::f16;
template <>
inline constexpr Type type_of<BFloat16> = Type::bf16;
template <>
inline constexpr Type type_of<std::uint32_t> = Type::u32;
template <>
inline constexpr Type type_of<std::int32_t> = Type::i32;
template <>
inline constexpr Type type_of<float> = Type::f32;
template <>
inline constexpr Type type_of<std::uint64_t> = Type::u64;
template <>
inline constexpr Type type_of<std::int64_t> = Type::i64;
template <>
inline constexpr Type type_of<double> = Type::f64;
template <>
inline constexpr Type type_of<MaskBit> = Type::mask;
template <>
inline constexpr Type type_of<bool> = Type::mask;
template <>
inline constexpr Type type_of<VccBit> = Type::vcc;

template <class T>
T from_words(std::uint32_t low, std::uint32_t high) {
  if constexpr (sizeof(T) == 2)
    return std::bit_cast<T>(static_cast<std::uint16_t>(low));
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(low);
  else
    return std::bit_cast<T>(low | std::uint64_t{high} << 32);
}

template <class T>
void to_words(T value, std::uint32_t& low, std::uint32_t& high) {
  if constexpr (sizeof(T) == 2) {
    low = std::bit_cast<std::uint16_t>(value);
  } else if constexpr (sizeof(T) == 4) {
    low = std::bit_cast<std::uint32_t>(value);
  } else {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    low = static_cast<std::uint32_t>(bits);
    high = static_cast<std::uint32_t>(bits >> 32);
  }
}

using Words = Wave::Lanes;

/// A source's values in all lanes into `low` and `high`, with its modifiers; denormals are flushed as MODE says.
void prepare(Wave& wave, const Operand& operand, Words& low, Words& high);
/// The same with no modifiers and no flush: the raw words.
void prepare_raw(Wave& wave, const Operand& operand, int words, Words& low, Words& high);
void expand_mask(std::uint64_t bits, Words& words);
std::uint64_t collect_mask(const Words& words);

/// Results to the destination in the lanes of EXEC, with clamp, omod and flush.
void write_result(Wave& wave, const Instruction& in, Type type, Words& low, Words& high);
void write_word(Wave& wave, unsigned index, const Words& words);

/// Sets the host's rounding as MODE says until its end.
class RoundingScope {
 public:
  RoundingScope(const Wave& wave, bool is_f32);
  ~RoundingScope();
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  int before_ = -1;
};

/// Where a source's words are: registers, or a copy.
template <class T>
struct Source {
  const std::uint32_t* low;
  const std::uint32_t* high;
  alignas(64) Words low_copy, high_copy;

  Source(Wave& wave, const Operand& operand) {
    constexpr bool is_mask = std::is_same_v<T, MaskBit> || std::is_same_v<T, VccBit>;
    constexpr bool is_float_32 = std::is_same_v<T, float>;
    constexpr bool is_float_other = std::is_same_v<T, double> || std::is_same_v<T, Half>;
    if constexpr (is_mask) {
      expand_mask(wave.read_mask(std::is_same_v<T, VccBit> ? sgpr::vcc : operand.index), low_copy);
      low = low_copy.data();
    } else {
      if (operand.plain && !(is_float_32 && wave.flush_32) && !(is_float_other && wave.flush_16_64)) {
        low = wave.vgpr(operand.index);
        if constexpr (sizeof(T) == 8) high = wave.vgpr(operand.index + 1u);
      } else {
        prepare(wave, operand, low_copy, high_copy);
        low = low_copy.data();
        high = high_copy.data();
      }
    }
  }
  T operator[](std::size_t lane) const {
    if constexpr (std::is_same_v<T, MaskBit> || std::is_same_v<T, VccBit>)
      return T{low[lane] != 0};
    else if constexpr (sizeof(T) == 8)
      return from_words<T>(low[lane], high[lane]);
    else
      return from_words<T>(low[lane], 0);
  }
};

template <class F>
struct Signature;
template <class F, class R, class... A>
struct Signature<R (F::*)(A...) const> {
  using Result = R;
  using Arguments = std::tuple<A...>;
};

template <class R>
struct ResultOf {
  using Value = R;
  static constexpr bool has_mask = false;
};
template <class T>
struct ResultOf<WithMask<T>> {
  using Value = T;
  static constexpr bool has_mask = true;
};

template <auto Op, class R, class... A>
void execute_lanes(Wave& wave, const Instruction& in) {
  using Value = typename ResultOf<R>::Value;
  const auto run_on = [&](const Source<A>&... sources) {
    alignas(64) Words low, high;
    if constexpr (std::is_same_v<R, bool>) {
      wave.each_lane([&](std::size_t lane) { low[lane] = Op(sources[lane]...) ? ~0u : 0u; });
      const std::uint64_t bits = collect_mask(low) & wave.exec;
      wave.write_mask(in.destination[0].index, bits);
      if (in.destination[1].kind == Operand::Kind::sgpr) wave.write_mask(in.destination[1].index, bits);
    } else if constexpr (ResultOf<R>::has_mask) {
      alignas(64) Words bits;
      wave.each_lane([&](std::size_t lane) {
        const R result = Op(sources[lane]...);
        to_words<Value>(result.value, low[lane], high[lane]);
        bits[lane] = result.bit ? ~0u : 0u;
      });
      write_result(wave, in, type_of<Value>, low, high);
      // Lanes that are not in EXEC have a 0.
      if (in.destinations > 1) wave.write_mask(in.destination[1].index, collect_mask(bits) & wave.exec);
    } else {
      constexpr bool rounds =
          std::is_same_v<R, float> || std::is_same_v<R, double> || std::is_same_v<R, Half>;
      // Straight to the register if all lanes are written and nothing is done to the result.
      const bool straight = sizeof(Value) == 4 && wave.exec == wave.all_lanes() &&
                            !(rounds && (in.omod != 0 || in.clamp || wave.flush_32));
      std::uint32_t* const to = straight ? wave.vgpr(in.destination[0].index) : low.data();
      const auto run = [&] {
        wave.each_lane(
            [&](std::size_t lane) { to_words<Value>(Op(sources[lane]...), to[lane], high[lane]); });
      };
      if (rounds && !wave.rounds_to_nearest) {
        const RoundingScope scope(wave, std::is_same_v<R, float>);
        run();
      } else {
        run();
      }
      if (straight) return;
      if constexpr (sizeof(Value) == 4 && !rounds)
        write_word(wave, in.destination[0].index, low);
      else
        write_result(wave, in, type_of<Value>, low, high);
    }
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    run_on(Source<A>(wave, in.source[I])...);
  }(std::index_sequence_for<A...>{});
}

/// The opcode that does `Op` in each lane: `lanes<[](float a, float b) { return a + b; }>()`.
template <auto Op>
Opcode lanes(Pipe pipe = Pipe::valu) {
  using S = Signature<decltype(&decltype(Op)::operator())>;
  using R = typename S::Result;
  Opcode opcode;
  [&]<class... A>(std::tuple<A...>*) {
    opcode.execute = execute_lanes<Op, R, A...>;
    opcode.source = {type_of<A>...};
    opcode.sources = sizeof...(A);
  }(static_cast<typename S::Arguments*>(nullptr));
  opcode.destination[0] = type_of<typename ResultOf<R>::Value>;
  opcode.destinations = 1;
  if constexpr (ResultOf<R>::has_mask) {
    opcode.destination[1] = Type::mask;
    opcode.destinations = 2;
  }
  opcode.pipe = pipe;
  return opcode;
}

/// The last source is the destination before the instruction.
template <auto Op>
Opcode accumulating() {
  Opcode opcode = lanes<Op>();
  opcode.accumulates = true;
  return opcode;
}

/// An integer operation and what `clamp` makes of it.
template <auto Op, auto Saturating>
Opcode saturable() {
  Opcode opcode = lanes<Op>();
  opcode.saturating = lanes<Saturating>().execute;
  return opcode;
}

/// A handler that reads its operands itself.
inline Opcode raw(Execute execute, Pipe pipe) {
  Opcode opcode;
  opcode.execute = execute;
  opcode.pipe = pipe;
  opcode.raw = true;
  return opcode;
}

/// One opcode under several names: those that generations give it.
template <class... Names>
void add(Opcodes& table, const Opcode& opcode, Names... names) {
  ((table[names] = opcode), ...);
}

}  // namespace kernelgen::amdgpu
