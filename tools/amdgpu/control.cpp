#include <fmt/format.h>

#include <numeric>

#include "operand.hpp"
#include "program.hpp"
#include "scalar.hpp"

// Branches, barriers, waits and the hardware registers: SOPP and part of SOP1 and SOPK.
namespace kernelgen::amdgpu {
namespace {

void jump(Wave& wave, const Instruction& in) {
  if (in.target == nullptr) wave.fault(Fault::Kind::unknown_instruction, "the branch leaves the function");
  wave.next = in.target;
}

template <auto Taken>
Opcode branch() {
  return raw(
      [](Wave& wave, const Instruction& in) {
        if (Taken(wave)) jump(wave, in);
      },
      Pipe::branch);
}

void go_to(Wave& wave, std::uint64_t address) {
  const Instruction* const target = wave.block->launch->program->at(address);
  if (target == nullptr)
    wave.fault(Fault::Kind::unknown_instruction, fmt::format("jump to {:#x}, where no function is", address));
  wave.next = target;
}

std::uint64_t after(const Instruction& in) { return in.pc + in.size; }

/// A field of a hardware register from the text: `hwreg(HW_REG_MODE, 4, 2)`.
struct HardwareField {
  std::string_view name;
  unsigned first = 0, bits = 32;
};
HardwareField field_of(std::string_view text) {
  const auto open = text.find("hwreg(");
  if (open == std::string_view::npos) return {};
  text = text.substr(open + 6);
  text = text.substr(0, text.find(')'));
  const auto comma = text.find(',');
  HardwareField field{text.substr(0, comma)};
  if (comma == std::string_view::npos) return field;
  const std::string_view rest = text.substr(comma + 1);
  const auto second = rest.find(',');
  const auto number = [](std::string_view n) {
    return static_cast<unsigned>(parse_number(n.substr(std::min(n.find_first_not_of(' '), n.size()))));
  };
  field.first = number(rest);
  if (second != std::string_view::npos) field.bits = number(rest.substr(second + 1));
  return field;
}

std::uint32_t* mode_field(Wave& wave, const HardwareField& field, std::uint32_t& mask, std::uint32_t& copy) {
  mask = (field.bits >= 32 ? ~0u : (1u << field.bits) - 1u);
  if (field.name != "HW_REG_MODE") return nullptr;
  copy = wave.mode;
  return &copy;
}

void set_hardware_register(Wave& wave, const Instruction& in) {
  const HardwareField field = field_of(in.text);
  const std::uint32_t value = read_scalar<std::uint32_t>(wave, in.source[1]);
  std::uint32_t mask = 0, mode = 0;
  if (mode_field(wave, field, mask, mode) != nullptr) {
    wave.set_mode((mode & ~(mask << field.first)) | (value & mask) << field.first);
  } else if (field.name == "HW_REG_FLAT_SCR_LO") {
    wave.write(sgpr::flat_scratch, value);
  } else if (field.name == "HW_REG_FLAT_SCR_HI") {
    wave.write(sgpr::flat_scratch + 1, value);
  } else {
    wave.fault(Fault::Kind::unsupported, "the simulator does not have this hardware register");
  }
}

void get_hardware_register(Wave& wave, const Instruction& in) {
  const HardwareField field = field_of(in.text);
  std::uint32_t mask = 0, mode = 0;
  if (mode_field(wave, field, mask, mode) != nullptr)
    return write_scalar<std::uint32_t>(wave, in.source[0], mode >> field.first & mask);
  std::uint32_t value = 0;  // where a wave runs, which nothing may depend on
  if (field.name == "HW_REG_SH_MEM_BASES") value = shared_aperture | private_aperture << 16;
  if (field.name == "HW_REG_FLAT_SCR_LO") value = wave.read(sgpr::flat_scratch);
  if (field.name == "HW_REG_FLAT_SCR_HI") value = wave.read(sgpr::flat_scratch + 1);
  write_scalar<std::uint32_t>(wave, in.source[0], value >> field.first & mask);
}

void set_mode_bits(Wave& wave, const Instruction& in, unsigned first) {
  const std::uint32_t value = static_cast<std::uint32_t>(in.source[0].bits) & 15;
  wave.set_mode((wave.mode & ~(15u << first)) | value << first);
}

/// Instructions whose effects are on time, caches or debuggers only.
constexpr std::string_view nothing[] = {"s_nop",
                                        "s_clause",
                                        "s_delay_alu",
                                        "s_inst_prefetch",
                                        "s_set_inst_prefetch_distance",
                                        "s_icache_inv",
                                        "s_dcache_wb",
                                        "s_dcache_inv",
                                        "s_gl1_inv",
                                        "s_setprio",
                                        "s_ttracedata",
                                        "s_ttracedata_imm",
                                        "s_incperflevel",
                                        "s_decperflevel",
                                        "s_sendmsg",
                                        "s_setkill",
                                        "s_wakeup",
                                        "s_code_end",
                                        "s_wait_alu",
                                        "s_wait_event",
                                        "s_set_gpr_idx_off",
                                        "s_round_mode_nop",
                                        "buffer_gl0_inv",
                                        "buffer_gl1_inv",
                                        "buffer_wbl2",
                                        "buffer_inv",
                                        "buffer_wbinvl1",
                                        "buffer_wbinvl1_vol",
                                        "buffer_invl2",
                                        "global_inv",
                                        "global_wb",
                                        "global_wbinv",
                                        "s_prefetch_inst",
                                        "s_prefetch_data",
                                        "s_prefetch_inst_pc_rel",
                                        "s_prefetch_data_pc_rel",
                                        "s_buffer_prefetch_data",
                                        "v_nop",
                                        "global_prefetch_b8",
                                        "v_pipeflush"};
constexpr std::string_view waits[] = {
    "s_waitcnt",         "s_waitcnt_vscnt",      "s_waitcnt_vmcnt",       "s_waitcnt_expcnt",
    "s_waitcnt_lgkmcnt", "s_waitcnt_depctr",     "s_wait_loadcnt",        "s_wait_storecnt",
    "s_wait_samplecnt",  "s_wait_bvhcnt",        "s_wait_expcnt",         "s_wait_dscnt",
    "s_wait_kmcnt",      "s_wait_loadcnt_dscnt", "s_wait_storecnt_dscnt", "s_wait_idle"};

}  // namespace

void add_control(Opcodes& t) {
  const auto no_effect = [](Wave&, const Instruction&) {};
  for (const std::string_view name : nothing) t[name] = raw(no_effect, Pipe::other);
  for (const std::string_view name : waits) t[name] = raw(no_effect, Pipe::wait);
  t["s_branch"] = branch<[](const Wave&) { return true; }>();
  t["s_cbranch_scc0"] = branch<[](const Wave& w) { return !w.scc; }>();
  t["s_cbranch_scc1"] = branch<[](const Wave& w) { return w.scc; }>();
  t["s_cbranch_vccz"] = branch<[](const Wave& w) { return w.read_mask(sgpr::vcc) == 0; }>();
  t["s_cbranch_vccnz"] = branch<[](const Wave& w) { return w.read_mask(sgpr::vcc) != 0; }>();
  t["s_cbranch_execz"] = branch<[](const Wave& w) { return w.exec == 0; }>();
  t["s_cbranch_execnz"] = branch<[](const Wave& w) { return w.exec != 0; }>();
  t["s_cbranch_cdbgsys"] = branch<[](const Wave&) { return false; }>();
  t["s_cbranch_cdbguser"] = branch<[](const Wave&) { return false; }>();
  t["s_endpgm"] = raw([](Wave& w, const Instruction&) { w.state = Wave::State::ended; }, Pipe::branch);
  t["s_endpgm_saved"] = t["s_endpgm"];
  t["s_barrier"] = raw([](Wave& w, const Instruction&) { w.state = Wave::State::at_barrier; }, Pipe::wait);
  t["s_barrier_signal"] = raw(no_effect, Pipe::wait);  // gfx12: the wait that follows it stops the wave
  t["s_barrier_wait"] = t["s_barrier"];
  add(t, raw([](Wave& w, const Instruction&) { w.state = Wave::State::yielded; }, Pipe::wait), "s_sleep",
      "s_sleep_var", "s_sethalt");
  t["s_trap"] =
      raw([](Wave& w, const Instruction&) { w.fault(Fault::Kind::unsupported, "the kernel traps"); },
          Pipe::branch);
  t["s_getpc_b64"] =
      raw([](Wave& w, const Instruction& in) { w.write_64(in.source[0].index, after(in)); }, Pipe::salu);
  t["s_setpc_b64"] =
      raw([](Wave& w, const Instruction& in) { go_to(w, w.read_64(in.source[0].index)); }, Pipe::branch);
  t["s_swappc_b64"] = raw(
      [](Wave& w, const Instruction& in) {
        const std::uint64_t target = w.read_64(in.source[1].index);
        w.write_64(in.source[0].index, after(in));
        go_to(w, target);
      },
      Pipe::branch);
  t["s_call_b64"] = raw(
      [](Wave& w, const Instruction& in) {
        w.write_64(in.source[0].index, after(in));
        go_to(w, in.pc + 4 +
                     static_cast<std::uint64_t>(std::int64_t{4} * static_cast<std::int16_t>(in.immediate)));
      },
      Pipe::branch);
  t["s_setreg_b32"] = raw(set_hardware_register, Pipe::salu);
  t["s_setreg_imm32_b32"] = t["s_setreg_b32"];
  t["s_getreg_b32"] = raw(get_hardware_register, Pipe::salu);
  t["s_round_mode"] = raw([](Wave& w, const Instruction& in) { set_mode_bits(w, in, 0); }, Pipe::salu);
  t["s_denorm_mode"] = raw([](Wave& w, const Instruction& in) { set_mode_bits(w, in, 4); }, Pipe::salu);
  t["s_version"] = raw(no_effect, Pipe::other);
  t["s_memtime"] = raw(
      [](Wave& w, const Instruction& in) {  // grows with what the thread of the host executed
        const auto& executed = w.block->counters.by_opcode;
        w.write_64(in.source[0].index, std::accumulate(executed.begin(), executed.end(), std::uint64_t{0}));
      },
      Pipe::scalar_memory);
  t["s_memrealtime"] = t["s_sendmsg_rtn_b64"] = t["s_memtime"];
  t["s_sendmsg_rtn_b32"] = raw(  // nothing answers
      [](Wave& w, const Instruction& in) { w.write(in.source[0].index, 0); }, Pipe::scalar_memory);
}

}  // namespace kernelgen::amdgpu
