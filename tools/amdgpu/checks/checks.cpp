#include "checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "amdgpu/program.hpp"

namespace kernelgen::amdgpu {
namespace {

using Use = Footprint::Use;
using Group = Footprint::Group;

std::string name_of(const Registers& r) {
  if (r.scalar)
    return r.first == sgpr::vcc ? "vcc_lo" : r.first == sgpr::m0 ? "m0" : fmt::format("s{}", r.first);
  return r.first < vgpr::accumulation ? fmt::format("v{}", r.first)
                                      : fmt::format("a{}", r.first - vgpr::accumulation);
}

std::span<const Registers> span_of(const auto& list, std::uint8_t count) { return {list.data(), count}; }

/// Bits of the data register that a store of less than a word writes.
std::uint32_t stored_bits(const Access& access) {
  const std::uint32_t bits = access.bytes == 1 ? 0xff : access.bytes == 2 ? 0xffff : ~0u;
  return access.high_half ? bits << 16 : bits;
}

const char* counter_of(Group group, unsigned major) {
  switch (group) {
    case Group::vector_load:
      return major >= 12 ? "s_wait_loadcnt" : "s_waitcnt vmcnt";
    case Group::lds:
      return major >= 12 ? "s_wait_dscnt" : "s_waitcnt lgkmcnt";
    case Group::scalar:
      return major >= 12 ? "s_wait_kmcnt" : "s_waitcnt lgkmcnt";
    default:
      return major >= 12 ? "s_wait_storecnt" : "s_waitcnt vmcnt";
  }
}

}  // namespace

Checks::Checks(const Launch& launch, const CheckOptions& options)
    : launch_(launch),
      options_(options),
      history_((launch.block.x * launch.block.y * launch.block.z + launch.kernel->wave_size - 1) /
               launch.kernel->wave_size),
      random_(options.seed) {}

void Checks::start(Block& block) {
  const auto waves = static_cast<std::uint32_t>(block.waves.size());
  const std::uint32_t number = (block.id.z * launch_.grid.y + block.id.y) * launch_.grid.x + block.id.x;
  history_.start_block(block.lds.size());
  twin_.start(block, options_.seed);
  states_.assign(waves, WaveState{});
  for (std::uint32_t i = 0; i < waves; ++i) {
    states_[i].actor.wave = number * waves + i;
    states_[i].actor.block = number;
    states_[i].outstanding = Outstanding(launch_.isa->major);
    states_[i].lanes = block.waves[i].exec;
  }
}

const std::vector<unsigned>& Checks::shuffled_waves(std::size_t count) {
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), 0u);
  std::ranges::shuffle(order_, random_);
  return order_;
}

std::uint64_t Checks::turn() { return 16 + random_() % 512; }

void Checks::before(Wave& wave, const Instruction& in) {
  const Footprint& f = *in.footprint;
  WaveState& state = state_of(wave);
  if (f.is_wait) return state.outstanding.wait(f.wait);
  if (const Outstanding::Operation* const late = state.outstanding.conflict(f))
    wave.fault(Fault::Kind::missing_wait,
               fmt::format(
                   "{} is used before the load of {} is complete; it wants a {} first",
                   late->loaded.count == 1
                       ? name_of(late->loaded)
                       : fmt::format("{} (of {} registers)", name_of(late->loaded), late->loaded.count),
                   launch_.program->describe(*late->instruction), counter_of(late->group, wave.isa().major)));
  if (in.pipe == Pipe::matrix && wave.exec != wave.all_lanes())
    wave.fault(Fault::Kind::partial_exec,
               fmt::format("a matrix instruction while EXEC is {:#x}: it takes all lanes", wave.exec));
  if (f.waits_at_barrier && wave.exec != state.lanes)
    wave.fault(Fault::Kind::divergent_barrier,
               fmt::format("a barrier in divergent code: EXEC is {:#x}, the wave has the lanes {:#x}",
                           wave.exec, state.lanes));
  if (f.signals_barrier) signal_barrier(wave);
  if (f.use == Use::none && !f.indexes_registers) return;
  touches_.clear();
  for (unsigned i = 0; i < f.expected.count && i < expected_.size(); ++i)
    expected_[i] = wave.vgprs[f.expected.first + i];
  const Registers index{sgpr::m0, 1, true};
  const auto address = f.indexes_registers
                           ? twin_.compare(wave, {&index, 1}, 0)
                           : twin_.compare(wave, span_of(f.addresses, f.address_count), wave.exec);
  if (address)
    report_uninitialized(wave,
                         fmt::format("{} in {}", f.indexes_registers ? "the index" : "the address",
                                     name_of(address->registers)),
                         address->lane);
  if (f.use == Use::atomic && in.pipe == Pipe::vector_memory)
    if (const auto data = twin_.compare(wave, span_of(f.data, f.data_count), wave.exec))
      report_uninitialized(wave, fmt::format("the operand in {}", name_of(data->registers)), data->lane);
}

void Checks::after(Wave& wave, const Instruction& in) {
  const Footprint& f = *in.footprint;
  if (f.use != Use::none) {
    ++time_;
    if (f.use == Use::store) check_stored(wave, in);
    check_races(wave, in);
    if (f.expected.count != 0) confirm_loads(wave, in);
  }
  follow(wave, in);
  if (f.group != Group::none) issue(wave, in);
}

void Checks::issue(const Wave& wave, const Instruction& in) {
  const Footprint& f = *in.footprint;
  Outstanding& outstanding = state_of(wave).outstanding;
  std::vector<std::uint32_t> words;
  if (f.use != Use::none)
    for (const Touch& touch : touches_)
      for (std::uint64_t at = touch.address / 4; touch.is_lds && at <= (touch.address + touch.bytes - 1) / 4;
           ++at)
        words.push_back(static_cast<std::uint32_t>(at));
  if (f.is_flat && !words.empty()) {  // its part in LDS has the counter of LDS
    outstanding.issue({&in, time_, f.group, f.loaded, {}});
    outstanding.issue({&in, time_, Group::lds, {}, std::move(words)});
  } else {
    outstanding.issue({&in, time_, f.group, f.loaded, std::move(words)});
  }
}

void Checks::signal_barrier(Wave& wave) {
  WaveState& state = state_of(wave);
  ++state.actor.signals;
  for (const Outstanding::Operation& operation : state.outstanding.operations())
    for (const std::uint32_t word : operation.words)
      history_.carry_over_barrier(state.actor, word, operation.time);
}

void Checks::release_barrier(Block& block) {
  std::uint32_t known = 0;
  for (const WaveState& state : states_) known = std::max(known, state.actor.known);
  const Wave* ended = nullptr;
  for (const Wave& wave : block.waves)
    if (wave.state == Wave::State::ended) ended = &wave;
  for (Wave& wave : block.waves) {
    if (wave.state != Wave::State::at_barrier) continue;
    if (ended != nullptr)
      wave.fault(Fault::Kind::divergent_barrier,
                 fmt::format("a barrier in divergent code: wave {} ended without it", ended->index));
    History::Actor& actor = state_of(wave).actor;
    ++actor.waits;
    actor.known = known;
  }
}

void Checks::check_alignment(const Wave& wave, std::uint64_t address, std::uint64_t bytes, int lane) const {
  const Use use = wave.current->footprint->use;
  if (use == Use::atomic && address % bytes != 0)
    wave.fault(Fault::Kind::misaligned, fmt::format("an atomic access of {} bytes at {:#x}", bytes, address),
               lane);
  const std::uint64_t natural = std::min<std::uint64_t>(bytes, 4);
  if (options_.natural_alignment && address % natural != 0)
    wave.fault(Fault::Kind::misaligned,
               fmt::format("{} bytes at {:#x}, not a multiple of {}", bytes, address, natural), lane);
}

void Checks::touch_global(Wave& wave, const Allocation& allocation, std::uint64_t address,
                          std::uint64_t bytes, int lane) {
  check_alignment(wave, address, bytes, lane);
  Touch touch{false, lane, address, bytes, {}, 0, nullptr};
  if (bytes <= touch.before.size())
    std::memcpy(touch.before.data(), reinterpret_cast<const void*>(address), bytes);
  if (allocation.initialized != nullptr) {
    touch.flags = allocation.initialized->data() + (address - allocation.begin);
    for (std::uint64_t i = 0; i < bytes; ++i)
      if (touch.flags[i] == 0) touch.uninitialized |= std::uint64_t{1} << i;
    if (touch.uninitialized != 0 && wave.current->footprint->use != Use::store)
      state_of(wave).set_origin(lane, {wave.current, false, address});
  }
  touches_.push_back(touch);
}

void Checks::touch_lds(Wave& wave, std::uint64_t address, std::uint64_t bytes, int lane) {
  check_alignment(wave, address, bytes, lane);
  Touch touch{true, lane, address, bytes, {}, 0, nullptr};
  std::memcpy(touch.before.data(), wave.block->lds.data() + address, std::min<std::uint64_t>(bytes, 16));
  if (wave.current->footprint->use == Use::load && wave.current->pipe == Pipe::lds &&
      !history_.lds_was_written(address))
    state_of(wave).set_origin(lane, {wave.current, true, address});
  touches_.push_back(touch);
}

/// What a store wrote to global memory is initialised, and lanes that wrote to one address wrote the same.
void Checks::check_stored(Wave& wave, const Instruction& in) {
  const Footprint& f = *in.footprint;
  std::uint64_t global = 0;
  for (std::size_t i = 0; i < touches_.size(); ++i) {
    const Touch& touch = touches_[i];
    if (!touch.is_lds) global |= std::uint64_t{1} << touch.lane;
    const Registers& data = f.data[f.data_count == 2 && i >= touches_.size() / 2 ? 1 : 0];
    std::array<std::uint32_t, 4> words{};
    for (unsigned n = 0; n < data.count && n < 4; ++n)
      words[n] = wave.vgprs[data.first + n][static_cast<std::size_t>(touch.lane)];
    if (in.access.high_half) words[0] >>= 16;
    const void* const at = touch.is_lds ? wave.block->lds.data() + touch.address
                                        : reinterpret_cast<const std::byte*>(touch.address);
    if (std::memcmp(at, words.data(), touch.bytes) != 0)
      wave.fault(Fault::Kind::race,
                 fmt::format("lanes store different values to the same {} bytes at {}", touch.bytes,
                             location_of(wave, touch)),
                 touch.lane);
  }
  if (const auto data = twin_.compare(wave, span_of(f.data, f.data_count), global, stored_bits(in.access)))
    report_uninitialized(wave, fmt::format("the stored value in {}", name_of(data->registers)), data->lane);
}

void Checks::check_races(Wave& wave, const Instruction& in) {
  const Footprint& f = *in.footprint;
  WaveState& state = state_of(wave);
  History::Access access;
  access.time = time_;
  access.instruction = static_cast<std::uint32_t>(
      in.pc - reinterpret_cast<std::uint64_t>(launch_.program->object().image().data()));
  access.coherent = f.coherent;
  for (const Touch& touch : touches_) {
    access.complete_until = state.outstanding.complete_until(time_, touch.is_lds);
    // A load to LDS has both: it writes there.
    access.use = touch.is_lds && in.pipe == Pipe::vector_memory && f.loaded.count == 0 && f.use == Use::load
                     ? Use::store
                     : f.use;
    const void* const now = touch.is_lds ? wave.block->lds.data() + touch.address
                                         : reinterpret_cast<const std::byte*>(touch.address);
    access.same_value = access.use == Use::store && touch.bytes <= touch.before.size() &&
                        std::memcmp(touch.before.data(), now, touch.bytes) == 0;
    access.before = touch.bytes <= touch.before.size() ? touch.before.data() : nullptr;
    const auto race = history_.access(state.actor, access, {touch.is_lds, touch.address, touch.bytes});
    if (race) report_race(wave, touch, *race, access.use != Use::load);
    if (touch.flags != nullptr && access.use != Use::load) std::fill_n(touch.flags, touch.bytes, 1);
  }
}

void Checks::confirm_loads(Wave& wave, const Instruction& in) {
  for (const Touch& touch : touches_)
    for (unsigned i = 0; i < in.footprint->expected.count && i < expected_.size(); ++i)
      history_.confirm_load(state_of(wave).actor, touch.is_lds, touch.address + 4 * i,
                            expected_[i][static_cast<std::size_t>(touch.lane)]);
}

void Checks::end(Block& block) {
  const auto image = reinterpret_cast<std::uint64_t>(launch_.program->object().image().data());
  for (Wave& wave : block.waves)
    if (const auto load = history_.racing_load(state_of(wave).actor.wave)) {
      wave.current = launch_.program->at(image + load->instruction);
      report_race(wave, {load->bytes.in_lds, -1, load->bytes.address, load->bytes.count, {}, 0, nullptr},
                  load->race, false);
    }
}

/// The twin does the same, and has to come to the same instruction with the same lanes.
void Checks::follow(Wave& wave, const Instruction& in) {
  const Footprint& f = *in.footprint;
  const Wave& twin = twin_.of(wave);
  if (f.group != Group::none && f.use != Use::none) {
    std::vector<Twin::Loaded> global;
    std::uint64_t lanes = 0;
    for (const Touch& touch : touches_) {
      if (touch.is_lds) continue;
      global.push_back({touch.lane, touch.uninitialized});
      if (touch.lane >= 0) lanes |= std::uint64_t{1} << touch.lane;
    }
    if (in.pipe != Pipe::scalar_memory && (wave.exec & ~lanes) != 0)
      twin_.execute(wave, in, wave.exec & ~lanes);
    if (f.loaded.count != 0 && (in.pipe == Pipe::scalar_memory || lanes != 0)) twin_.load(wave, in, global);
    if (lanes != 0)
      for (const Touch& touch : touches_)
        if (touch.is_lds) twin_.copy_lds(*wave.block, touch.address, touch.bytes);
    return;
  }
  if (in.pipe == Pipe::scalar_memory) return twin_.load(wave, in, {});  // of the clock
  twin_.execute(wave, in, twin.exec);
  if (twin.next != wave.next) report_uninitialized(wave, "the condition of the branch", -1);
  if (twin.exec != wave.exec)
    report_uninitialized(wave, "EXEC, the mask of active lanes,", std::countr_zero(twin.exec ^ wave.exec));
}

std::string Checks::location_of(const Wave& wave, const Touch& touch) const {
  return touch.is_lds
             ? fmt::format("{} of LDS", touch.address)
             : fmt::format("{:#x}, {}", touch.address, wave.block->launch->memory->locate(touch.address));
}

void Checks::report_uninitialized(const Wave& wave, const std::string& what, int lane) {
  const auto& origins = state_of(wave).origins;
  const Origin& of_lane = origins[static_cast<std::size_t>(lane + 1)];
  const Origin& origin = of_lane.instruction == nullptr ? origins[0] : of_lane;
  std::string from = "a register, LDS or private memory";
  if (origin.instruction != nullptr)
    from = fmt::format(
        "perhaps the bytes at {} that {} loaded",
        origin.is_lds ? fmt::format("{} of LDS", origin.address)
                      : fmt::format("{:#x}, {},", origin.address, launch_.memory->locate(origin.address)),
        launch_.program->describe(*origin.instruction));
  wave.fault(Fault::Kind::uninitialized,
             fmt::format("{} depends on a value that nothing wrote: {}", what, from), lane);
}

void Checks::report_race(const Wave& wave, const Touch& touch, const History::Race& race, bool stores) const {
  const auto waves = static_cast<std::uint32_t>(wave.block->waves.size());
  const CodeObject& object = launch_.program->object();
  const Instruction* const other =
      launch_.program->at(reinterpret_cast<std::uint64_t>(object.image().data()) + race.instruction);
  const std::uint32_t block = race.wave / waves;
  wave.fault(
      Fault::Kind::race,
      fmt::format(
          "a race: {} {} bytes at {}, which wave {} of block ({}, {}, {}) {} at {} with nothing that orders "
          "the two",
          stores ? "stores" : "loads", touch.bytes, location_of(wave, touch), race.wave % waves,
          block % launch_.grid.x, block / launch_.grid.x % launch_.grid.y,
          block / launch_.grid.x / launch_.grid.y, race.other_stored ? "stored" : "loaded",
          other == nullptr ? "an unknown instruction" : launch_.program->describe(*other)),
      touch.lane);
}

}  // namespace kernelgen::amdgpu
