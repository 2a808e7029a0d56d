#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace kernelgen::amdgpu {

struct Footprint;
struct Wave;
struct Instruction;
using Execute = void (*)(Wave&, const Instruction&);

/// How an operand's bits are read; decides how constants are encoded and where the sign is.
enum class Type : std::uint8_t {
  none,
  u16,
  i16,
  f16,
  bf16,  // one half of a register
  u32,
  i32,
  f32,  // one register
  packed_u16,
  packed_f16,  // two halves of a register
  u64,
  i64,
  f64,         // two registers
  packed_f32,  // two registers, a number in each
  mask,        // a bit a lane, in SGPRs
  vcc,         // VCC as such a mask, not written in the text
  raw,         // the handler reads the operand itself
};

/// Indices of scalar registers: 0 to 105 are s0 to s105.
namespace sgpr {
inline constexpr std::uint16_t vcc = 106, ttmp0 = 108, m0 = 124, null = 125, exec = 126, count = 128;
// Read only.
inline constexpr std::uint16_t scc = 128, vccz = 129, execz = 130, shared_base = 132, shared_limit = 134,
                               private_base = 136, private_limit = 138, flat_scratch = 140, xnack_mask = 142,
                               all = 144;
}  // namespace sgpr

/// Indices of vector registers: v0 is 0, a0 is 256; the others are where DPP and SDWA put what they made of operands.
namespace vgpr {
inline constexpr std::uint16_t accumulation = 256, temporary = 512, count = 524;
}

/// High halves of 64-bit addresses of the apertures (src_shared_base, src_private_base). No host pointer has them.
inline constexpr std::uint32_t shared_aperture = 0x10000, private_aperture = 0x20000;
/// Where a kernel would leave work for the host.
inline constexpr std::uint32_t host_aperture = 0x40000;

struct Operand {
  enum class Kind : std::uint8_t { none, vgpr, sgpr, constant };
  enum class Spelling : std::uint8_t { integer, hexadecimal, real };

  Kind kind = Kind::none;
  Spelling spelling = Spelling::integer;
  Type type = Type::none;
  bool negate : 1 = false, absolute : 1 = false, sign_extend : 1 = false;
  bool high : 1 = false;    ///< of 16 bits: the upper half
  bool plain : 1 = false;   ///< a VGPR read as it is
  bool bound : 1 = false;   ///< `bits` is encoded for `type`
  std::uint16_t index = 0;  ///< of the first register
  std::uint16_t words = 0;  ///< registers written in the text
  std::uint64_t bits = 0;   ///< a constant; a real is an f64 until it is bound
};

/// What the counters tell apart.
enum class Pipe : std::uint8_t {
  valu,
  transcendental,
  matrix,
  salu,
  scalar_memory,
  lds,
  vector_memory,
  branch,
  wait,
  other,
  count
};

/// Bytes of a load or store, and where they go in a register.
struct Access {
  std::uint8_t bytes = 4;
  bool sign_extend = false;
  bool keep_other_half = false, high_half = false;  ///< the D16 forms
};

/// A permutation of lanes by DPP: which lane each lane reads, -1 = none.
struct LanePermutation {
  Operand operand;  ///< as written
  std::array<std::int8_t, 64> from{};
  std::uint64_t writes = ~std::uint64_t{0};  ///< lanes that row_mask and bank_mask let write
  bool bound_control = false;                ///< lanes without a source read 0 (else they are not written)
  bool fetch_inactive = false;
};

struct Selection {
  enum class Part : std::uint8_t { byte_0, byte_1, byte_2, byte_3, word_0, word_1, dword };
  std::array<Part, 2> source{Part::dword, Part::dword};
  Part destination = Part::dword;
  enum class Unused : std::uint8_t { pad, sext, preserve } unused = Unused::pad;
  std::array<Operand, 2> operand;  ///< as written
};

/// An instruction, decoded once: a function that executes it and its operands. What each execution reads is first: programs
/// are larger than the host's caches.
struct Instruction {
  Execute execute = nullptr;
  std::uint16_t opcode = 0;     ///< Opcode::number
  std::uint16_t immediate = 0;  ///< simm16 and other fields of the opcode
  Pipe pipe = Pipe::other;
  std::uint8_t destinations = 0, sources = 0;
  std::uint8_t omod = 0;  ///< 1: * 2, 2: * 4, 3: / 2
  bool clamp = false, returns = false, off_enable = false, index_enable = false, to_lds = false;
  bool keeps_high = false;  ///< a 16-bit result leaves the other half of the register
  Access access;
  std::array<Operand, 2> destination;
  std::array<Operand, 6> source;
  std::int64_t offset = 0;  ///< of memory; offset0 of two
  std::int64_t offset1 = 0;
  std::uint8_t op_sel = 0, op_sel_hi = 0, neg_lo = 0, neg_hi = 0;  ///< a bit an operand
  std::uint8_t cbsz = 0, abid = 0, blgp = 0;
  std::uint8_t size = 4;
  const Instruction* target = nullptr;  ///< of a branch
  Execute inner = nullptr;              ///< what the wrappers of DPP, SDWA and VOPD run
  std::uint64_t pc = 0;
  std::shared_ptr<const LanePermutation> dpp;
  std::shared_ptr<const Selection> sdwa;
  std::shared_ptr<const Instruction> second;  ///< of VOPD
  std::shared_ptr<const Footprint> footprint;
  std::string text;
};

}  // namespace kernelgen::amdgpu
