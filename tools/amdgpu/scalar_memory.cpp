#include <fmt/format.h>

#include <cstring>

#include "scalar.hpp"

// SMEM: s_load and s_buffer_load of 1 to 16 words, and gfx12's of bytes and halves.
namespace kernelgen::amdgpu {
namespace {

/// `in.access.bytes` from `address` to the registers of the first operand.
void load(Wave& wave, const Instruction& in, std::uint64_t address) {
  const unsigned bytes = in.access.bytes;
  if (bytes >= 4 && address % 4 != 0)
    wave.fault(
        Fault::Kind::misaligned,
        fmt::format("a scalar load of {} bytes at {:#x}, not a multiple of 4: the GPU drops the low bits",
                    bytes, address));
  std::array<std::uint32_t, 16> words{};
  std::memcpy(words.data(), wave.memory(address, bytes, -1), bytes);
  if (in.access.sign_extend && bytes == 1)
    words[0] = static_cast<std::uint32_t>(static_cast<std::int8_t>(words[0]));
  if (in.access.sign_extend && bytes == 2)
    words[0] = static_cast<std::uint32_t>(static_cast<std::int16_t>(words[0]));
  for (unsigned i = 0; i < (bytes + 3) / 4; ++i) wave.write(in.source[0].index + i, words[i]);
}

std::uint64_t offset_of(const Wave& wave, const Instruction& in) {
  std::uint64_t offset = static_cast<std::uint64_t>(in.offset);
  const Operand& operand = in.source[2];
  if (operand.kind == Operand::Kind::constant) offset += operand.bits;
  if (operand.kind == Operand::Kind::sgpr) offset += wave.read(operand.index);
  return offset;
}

void load_memory(Wave& wave, const Instruction& in) {
  load(wave, in, wave.read_64(in.source[1].index) + offset_of(wave, in));
}

void load_buffer(Wave& wave, const Instruction& in) {
  const unsigned descriptor = in.source[1].index;
  const std::uint64_t base = wave.read_64(descriptor) & 0xffffffffffff;
  const std::uint64_t offset = offset_of(wave, in);
  const std::uint32_t stride = wave.read(descriptor + 1) >> 16 & 0x3fff;
  const std::uint64_t size = std::uint64_t{wave.read(descriptor + 2)} * (stride == 0 ? 1 : stride);
  if (offset + in.access.bytes <= size) return load(wave, in, base + offset);
  for (unsigned i = 0; i < (in.access.bytes + 3u) / 4; ++i)
    wave.write(in.source[0].index + i, 0);  // outside: 0
}

}  // namespace

void add_scalar_memory(Opcodes& t) {
  const auto add_load = [&](std::string_view name, Execute execute, unsigned bytes,
                            bool sign_extend = false) {
    Opcode opcode = raw(execute, Pipe::scalar_memory);
    opcode.access = {static_cast<std::uint8_t>(bytes), sign_extend, false, false};
    t[name] = opcode;
  };
  add_load("s_load_dword", load_memory, 4);
  add_load("s_load_dwordx2", load_memory, 8);
  add_load("s_load_dwordx4", load_memory, 16);
  add_load("s_load_dwordx8", load_memory, 32);
  add_load("s_load_dwordx16", load_memory, 64);
  add_load("s_load_b32", load_memory, 4);
  add_load("s_load_b64", load_memory, 8);
  add_load("s_load_b96", load_memory, 12);
  add_load("s_load_b128", load_memory, 16);
  add_load("s_load_b256", load_memory, 32);
  add_load("s_load_b512", load_memory, 64);
  add_load("s_load_u8", load_memory, 1);
  add_load("s_load_i8", load_memory, 1, true);
  add_load("s_load_u16", load_memory, 2);
  add_load("s_load_i16", load_memory, 2, true);
  add_load("s_buffer_load_u8", load_buffer, 1);
  add_load("s_buffer_load_i8", load_buffer, 1, true);
  add_load("s_buffer_load_u16", load_buffer, 2);
  add_load("s_buffer_load_i16", load_buffer, 2, true);
  add_load("s_buffer_load_dword", load_buffer, 4);
  add_load("s_buffer_load_dwordx2", load_buffer, 8);
  add_load("s_buffer_load_dwordx4", load_buffer, 16);
  add_load("s_buffer_load_dwordx8", load_buffer, 32);
  add_load("s_buffer_load_dwordx16", load_buffer, 64);
  add_load("s_buffer_load_b32", load_buffer, 4);
  add_load("s_buffer_load_b64", load_buffer, 8);
  add_load("s_buffer_load_b96", load_buffer, 12);
  add_load("s_buffer_load_b128", load_buffer, 16);
  add_load("s_buffer_load_b256", load_buffer, 32);
  add_load("s_buffer_load_b512", load_buffer, 64);
}

}  // namespace kernelgen::amdgpu
