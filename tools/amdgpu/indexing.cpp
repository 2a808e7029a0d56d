#include <string_view>

#include "scalar.hpp"

// s_set_gpr_idx_on ... s_set_gpr_idx_off: vector instructions between them add an index to the numbers of their vector
// registers (Vega ISA, "VGPR Indexing").
namespace kernelgen::amdgpu {
namespace {

/// Which operands are indexed.
struct Indexed {
  std::array<bool, 3> source{};
  bool destination = false;

  explicit Indexed(std::string_view text)
      : source{text.find("SRC0") != text.npos, text.find("SRC1") != text.npos,
               text.find("SRC2") != text.npos},
        destination(text.find("DST") != text.npos) {}
};

void shift(Operand& operand, unsigned index) {
  if (operand.kind == Operand::Kind::vgpr) operand.index = static_cast<std::uint16_t>(operand.index + index);
}

/// Executes what follows up to s_set_gpr_idx_off.
void execute_indexed(Wave& wave, const Instruction& on) {
  const Indexed indexed(on.text);
  const unsigned index = read_scalar<std::uint32_t>(wave, on.source[0]) & 0xff;
  for (;;) {
    const Instruction& in = *wave.next;
    wave.current = &in;
    wave.next = &in + 1;
    ++wave.block->counters.by_opcode[in.opcode];
    if (in.text.starts_with("s_set_gpr_idx_off")) return;
    if (in.pipe == Pipe::branch || in.text.starts_with("s_set_gpr_idx"))
      wave.fault(Fault::Kind::unsupported, "branches and modes between indexed instructions are not done");
    Instruction moved = in;
    if (in.pipe == Pipe::valu || in.pipe == Pipe::transcendental) {
      for (std::size_t i = 0; i < indexed.source.size(); ++i)
        if (indexed.source[i]) shift(moved.source[i], index);
      if (indexed.destination) shift(moved.destination[0], index);
    }
    moved.execute(wave, moved);
  }
}

}  // namespace

void add_indexing(Opcodes& t) { t["s_set_gpr_idx_on"] = raw(execute_indexed, Pipe::salu); }

}  // namespace kernelgen::amdgpu
