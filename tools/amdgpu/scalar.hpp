#pragma once
#include "lanes.hpp"

// Instructions of the scalar unit: a function of numbers becomes a handler.
namespace kernelgen::amdgpu {

struct SccBit {  ///< a source
  bool set;
};
template <class T>
struct WithScc {  ///< a result and what SCC becomes
  T value;
  bool scc;
};
template <class T>
WithScc<T> nonzero(T value) {
  return {value, value != 0};
}

template <class T>
T read_scalar(const Wave& wave, const Operand& operand) {
  if constexpr (std::is_same_v<T, SccBit>) {
    return {wave.scc};
  } else if (operand.kind == Operand::Kind::constant) {
    return from_words<T>(static_cast<std::uint32_t>(operand.bits),
                         static_cast<std::uint32_t>(operand.bits >> 32));
  } else {
    const std::uint32_t low = wave.read(operand.index);
    std::uint32_t high = 0;
    if constexpr (sizeof(T) == 8)
      high = operand.index < sgpr::scc ? wave.read(operand.index + 1u)
             : operand.words == 2      ? wave.read(operand.index + 1u)
                                       : 0;
    return from_words<T>(low, high);
  }
}

template <class T>
void write_scalar(Wave& wave, const Operand& operand, T value) {
  std::uint32_t low = 0, high = 0;
  to_words(value, low, high);
  wave.write(operand.index, low);
  if (sizeof(T) == 8 && operand.index != sgpr::null) wave.write(operand.index + 1u, high);
}

template <auto Op, class R, class... A>
void execute_scalar(Wave& wave, const Instruction& in) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const R result = Op(read_scalar<A>(wave, in.source[I])...);
    if constexpr (std::is_same_v<R, bool>) {
      wave.scc = result;
    } else if constexpr (requires { result.scc; }) {
      write_scalar(wave, in.destination[0], result.value);
      wave.scc = result.scc;
    } else {
      write_scalar(wave, in.destination[0], result);
    }
  }(std::index_sequence_for<A...>{});
}

template <class R>
struct ScalarResult {
  using Value = R;
};
template <class T>
struct ScalarResult<WithScc<T>> {
  using Value = T;
};

/// The opcode that does `Op` with scalars; a result of type bool is SCC.
template <auto Op>
Opcode scalar() {
  using S = Signature<decltype(&decltype(Op)::operator())>;
  using R = typename S::Result;
  Opcode opcode;
  [&]<class... A>(std::tuple<A...>*) {
    opcode.execute = execute_scalar<Op, R, A...>;
    opcode.source = {type_of<A>...};
    opcode.sources = sizeof...(A);
  }(static_cast<typename S::Arguments*>(nullptr));
  if constexpr (!std::is_same_v<R, bool>) {
    opcode.destination[0] = type_of<typename ScalarResult<R>::Value>;
    opcode.destinations = 1;
  }
  opcode.pipe = Pipe::salu;
  return opcode;
}

/// The last source is the destination before the instruction.
template <auto Op>
Opcode scalar_accumulating() {
  Opcode opcode = scalar<Op>();
  opcode.accumulates = true;
  return opcode;
}

}  // namespace kernelgen::amdgpu
