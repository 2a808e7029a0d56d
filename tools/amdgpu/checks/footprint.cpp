#include "footprint.hpp"

#include <string_view>

#include "amdgpu/operand.hpp"

namespace kernelgen::amdgpu {
namespace {

using Use = Footprint::Use;
using Group = Footprint::Group;

Registers registers_of(const Operand& operand) {
  const auto words = static_cast<std::uint8_t>(operand.words == 0 ? 1 : operand.words);
  if (operand.kind == Operand::Kind::vgpr) return {operand.index, words, false};
  if (operand.kind == Operand::Kind::sgpr && operand.index < sgpr::null) return {operand.index, words, true};
  return {};
}

/// Appends what is a register.
template <std::size_t N>
void add(std::array<Registers, N>& list, std::uint8_t& count, Registers registers) {
  if (registers.count != 0 && count < N) list[count++] = registers;
}

void add_read(Footprint& f, const Operand& operand) { add(f.reads, f.read_count, registers_of(operand)); }
void add_write(Footprint& f, const Operand& operand) { add(f.writes, f.write_count, registers_of(operand)); }
void add_address(Footprint& f, const Operand& operand) {
  add_read(f, operand);
  add(f.addresses, f.address_count, registers_of(operand));
}
void add_data(Footprint& f, const Operand& operand) {
  add_read(f, operand);
  add(f.data, f.data_count, registers_of(operand));
}
void set_loaded(Footprint& f, const Operand& operand) {
  add_write(f, operand);
  f.loaded = registers_of(operand);
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// Bits that make a load or store see and be seen by other compute units. `glc slc` and `nt` are streaming accesses.
bool is_coherent(std::string_view text) {
  if (has(text, " glc")) return !has(text, " slc");
  if (has(text, " sc0") || has(text, " sc1")) return !has(text, " nt");
  return has(text, "scope:SCOPE_DEV") || has(text, "scope:SCOPE_SYS");
}

/// A number after `name(` or, without a name, the last word.
std::uint16_t count_in(std::string_view text, std::string_view name) {
  const auto at = text.find(name);
  if (at == std::string_view::npos) return Footprint::any;
  return static_cast<std::uint16_t>(parse_number(text.substr(at + name.size())));
}
std::uint16_t last_number(std::string_view text) {
  return static_cast<std::uint16_t>(parse_number(text.substr(text.rfind(' ') + 1)));
}

void read_wait(Footprint& f, std::string_view name, std::string_view text, unsigned major) {
  f.is_wait = true;
  Footprint::Wait& wait = f.wait;
  if (name == "s_waitcnt") {
    const bool all = !has(text, "cnt(");
    wait.vector_load = all ? 0 : count_in(text, "vmcnt(");
    wait.lds = wait.scalar = all ? 0 : count_in(text, "lgkmcnt(");
    if (major < 10) wait.vector_store = wait.vector_load;
  } else if (name == "s_waitcnt_vscnt" || name == "s_wait_storecnt") {
    wait.vector_store = last_number(text);
  } else if (name == "s_waitcnt_vmcnt" || name == "s_wait_loadcnt") {
    wait.vector_load = last_number(text);
  } else if (name == "s_waitcnt_lgkmcnt") {
    wait.lds = wait.scalar = last_number(text);
  } else if (name == "s_wait_dscnt") {
    wait.lds = last_number(text);
  } else if (name == "s_wait_kmcnt") {
    wait.scalar = last_number(text);
  } else if (name == "s_wait_loadcnt_dscnt" || name == "s_wait_storecnt_dscnt") {
    const std::uint16_t both = last_number(text);
    (name == "s_wait_loadcnt_dscnt" ? wait.vector_load : wait.vector_store) = both >> 8 & 63;
    wait.lds = both & 63;
  } else if (name == "s_wait_idle") {
    wait = {0, 0, 0, 0};
  } else {
    f.is_wait = false;  // of what is not modelled: exports, samples
  }
}

/// ds_ instructions.
void read_lds(Footprint& f, const Instruction& in, std::string_view name) {
  f.group = Group::lds;
  const auto& s = in.source;
  if (has(name, "permute") || has(name, "swizzle")) {
    set_loaded(f, s[0]);
    for (std::size_t i = 1; i < in.sources; ++i) add_read(f, s[i]);
    return;
  }
  const bool returns = has(name, "_rtn");
  f.use = returns                                                         ? Use::atomic
          : name.starts_with("ds_read") || name.starts_with("ds_load")    ? Use::load
          : name.starts_with("ds_write") || name.starts_with("ds_store_") ? Use::store
                                                                          : Use::atomic;
  std::size_t next = 0;
  if (returns || f.use == Use::load) set_loaded(f, s[next++]);
  add_address(f, s[next++]);
  for (; f.use != Use::load && next < in.sources; ++next) add_data(f, s[next]);
  if (has(name, "cmpst")) f.expected = f.data[has(name, "cmpstore") ? 1 : 0];
}

/// The second half of the data registers.
void set_expected(Footprint& f, std::string_view name) {
  if (!has(name, "_cmpswap")) return;
  const Registers& data = f.data[0];
  const auto half = static_cast<std::uint8_t>(data.count / 2);
  f.expected = {static_cast<std::uint16_t>(data.first + half), half, false};
}

void read_buffer(Footprint& f, const Instruction& in) {
  const std::size_t first = in.to_lds ? 0 : 1;
  if (!in.to_lds && f.use != Use::store && (f.use == Use::load || in.returns)) set_loaded(f, in.source[0]);
  if (f.use != Use::load) add_data(f, in.source[0]);
  for (std::size_t i = first; i < first + 3; ++i) add_address(f, in.source[i]);
}

/// global_, flat_, scratch_ and buffer_ instructions.
void read_vector_memory(Footprint& f, const Instruction& in, std::string_view name) {
  const bool atomic = has(name, "_atomic_");
  f.use = atomic                 ? Use::atomic
          : has(name, "_load_")  ? Use::load
          : has(name, "_store_") ? Use::store
                                 : Use::none;
  if (f.use == Use::none) return;
  f.coherent = is_coherent(in.text);
  f.is_flat = name.starts_with("flat_");
  f.group = f.use == Use::load || (atomic && in.returns) ? Group::vector_load : Group::vector_store;
  if (name.starts_with("buffer_")) {
    read_buffer(f, in);
    return set_expected(f, name);
  }
  std::size_t next = 0;
  const bool to_lds = has(name, "_load_lds_");
  if (f.group == Group::vector_load && !to_lds) set_loaded(f, in.source[next++]);
  add_address(f, in.source[next++]);
  if (f.use != Use::load) add_data(f, in.source[next++]);
  if (next < in.sources) add_address(f, in.source[next]);
  set_expected(f, name);
}

void read_scalar_memory(Footprint& f, const Instruction& in) {
  f.group = Group::scalar;
  set_loaded(f, in.source[0]);
  if (in.access.bytes == 0 || in.sources < 2) return;
  f.use = Use::load;
  for (std::size_t i = 1; i < in.sources; ++i) add_address(f, in.source[i]);
}

/// Handlers that take their operands as written: the destination first, but for a few.
void read_raw(Footprint& f, const Instruction& in, std::string_view name) {
  if (in.sources == 0) return;
  const bool only_reads = name == "s_setpc_b64";
  if (!only_reads) add_write(f, in.source[0]);
  if (only_reads || has(name, "_swap")) add_read(f, in.source[0]);
  if (has(name, "_swap")) add_write(f, in.source[1]);
  for (std::size_t i = 1; i < in.sources; ++i) add_read(f, in.source[i]);
}

void read_bound(Footprint& f, const Instruction& in) {
  for (std::size_t i = 0; i < in.destinations; ++i) add_write(f, in.destination[i]);
  for (std::size_t i = 0; i < in.sources; ++i) {
    const bool selected = in.sdwa != nullptr && i < 2;
    add_read(f, in.dpp != nullptr && i == 0 ? in.dpp->operand
                : selected                  ? in.sdwa->operand[i]
                                            : in.source[i]);
  }
  if (in.sdwa != nullptr || in.second == nullptr) return;
  // VOPD: the first result goes through a temporary register.
  f.writes[0].first = in.immediate;
  read_bound(f, *in.second);
}

}  // namespace

Footprint footprint_of(const Instruction& in, unsigned major) {
  Footprint f;
  const std::string_view text = in.text;
  const std::string_view name = text.substr(0, text.find(' '));
  f.signals_barrier = name == "s_barrier" || name.starts_with("s_barrier_signal");
  f.waits_at_barrier = name == "s_barrier" || name == "s_barrier_wait";
  f.indexes_registers = has(name, "movrel");
  if (in.pipe == Pipe::wait) {
    read_wait(f, name, text, major);
  } else if (in.pipe == Pipe::scalar_memory) {
    read_scalar_memory(f, in);
  } else if (in.pipe == Pipe::lds) {
    if (name != "ds_nop") read_lds(f, in, name);
  } else if (in.pipe == Pipe::vector_memory) {
    read_vector_memory(f, in, name);
  } else if (in.destinations == 0 && in.pipe != Pipe::other) {
    if (in.source[0].type == Type::raw)
      read_raw(f, in, name);
    else
      read_bound(f, in);
  } else {
    read_bound(f, in);
  }
  return f;
}

}  // namespace kernelgen::amdgpu
