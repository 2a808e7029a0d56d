#include "history.hpp"

#include <algorithm>
#include <cstring>

namespace kernelgen::amdgpu {

using Use = Footprint::Use;

namespace {

std::uint64_t key_of(bool in_lds, std::uint64_t address) { return address << 1 | (in_lds ? 1u : 0u); }

std::uint32_t word_from(const std::byte* bytes) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

}  // namespace

void History::start_block(std::size_t lds_bytes) {
  lds_.assign((lds_bytes + 3) / 4, Word{});
  for (auto& loads : unconfirmed_) loads.clear();
}

History::Word& History::word_at(const Bytes& part) {
  if (part.in_lds) return lds_[part.address / 4];
  const std::uint64_t page = part.address / page_bytes;
  if (page != last_page_) {
    std::unique_ptr<Page>& known = pages_[page];
    if (known == nullptr) known = std::make_unique<Page>();
    last_page_ = page;
    last_ = known.get();
  }
  return (*last_)[part.address % page_bytes / 4];
}

bool History::ordered_by_barrier(const Stamp& earlier, const Actor& actor) const {
  return earlier.wave == actor.wave ||
         (earlier.wave / waves_a_block_ == actor.block && actor.waits > earlier.signals);
}

bool History::happens_before(const Stamp& earlier, const Actor& actor) const {
  return ordered_by_barrier(earlier, actor) ||
         releases_.show(earlier.wave, earlier.time, earlier.signals, actor.known);
}

std::optional<History::Race> History::access_word(const Bytes& part, Actor& actor, const Access& access) {
  Word& word = word_at(part);
  const bool global = !part.in_lds;
  const auto first = static_cast<unsigned>(part.address % 4);
  const auto mask = static_cast<std::uint8_t>((1u << (first + part.count)) - (1u << first));
  const bool writes = access.use != Use::load, atomic = access.use == Use::atomic;
  const bool synchronises = atomic || (global && access.coherent && !writes);
  // What a compare-and-swap can confirm, as plain loads of whole words are.
  const bool confirmable = mask == 15 && access.before != nullptr;
  const std::uint64_t key = key_of(part.in_lds, part.address);
  Stamp& last = word.write;
  std::optional<Race> race;
  if ((last.mask & mask) != 0 && last.wave != actor.wave) {
    // A plain store can be an atomic one: nothing in the code object of most GPUs tells. With an atomic or a coherent load
    // as its partner it is taken for one. In LDS, where stores before a missing barrier are the likelier, it is not.
    const bool ordered_by_word = synchronises && (global || last.atomic);
    if (ordered_by_word) {
      if (!last.atomic) releases_.add(last.wave, {last.time, last.time, last.signals});
      actor.known = std::max(actor.known, last.time);
    }
    const bool both_atomic = ordered_by_word || (global && last.atomic && writes);
    const bool benign = both_atomic || (access.use == Use::store && access.same_value);
    if (!benign && last.atomic && !writes && confirmable) {
      if (!ordered_by_barrier(last, actor))
        unconfirmed_of(actor.wave)
            .try_emplace(key, Unconfirmed{word_from(access.before),
                                          access.instruction,
                                          {last.wave, last.instruction, true},
                                          last,
                                          actor});
    } else if (!benign && !happens_before(last, actor)) {
      race = Race{last.wave, last.instruction, true};
    }
  }
  // A store stays visible to its wave's later atomics unless one of them published it.
  const Stamp& store = word.store;
  if (!race && !global && last.atomic && (store.mask & mask) != 0 && !happens_before(store, actor))
    race = Race{store.wave, store.instruction, true};
  if (writes && !race)
    for (const Stamp& read : word.reads) {
      if ((read.mask & mask) == 0 || (read.atomic && (atomic || global)) || access.same_value) continue;
      if (ordered_by_barrier(read, actor)) continue;
      // Waves of other blocks have ended.
      if (atomic && confirmable && read.mask == mask && read.wave / waves_a_block_ == actor.block)
        unconfirmed_of(read.wave).try_emplace(key, Unconfirmed{word_from(access.before),
                                                               read.instruction,
                                                               {actor.wave, access.instruction, true},
                                                               read,
                                                               actor});
      else if (!happens_before(read, actor))
        race = Race{read.wave, read.instruction, false};
    }
  const Stamp stamp{access.time, actor.wave, access.instruction, actor.signals, mask, synchronises};
  if (writes) {
    last = stamp;
    if (!atomic) word.store = stamp;
    word.reads = {};
  } else if (word.reads[0].wave == actor.wave) {
    const auto merged = static_cast<std::uint8_t>(word.reads[0].mask | mask);
    word.reads[0] = stamp;
    word.reads[0].mask = merged;
  } else {
    word.reads[1] = word.reads[0];
    word.reads[0] = stamp;
  }
  if (atomic) releases_.add(actor.wave, {access.time, access.complete_until, actor.waits});
  return race;
}

std::optional<History::Race> History::access(Actor& actor, const Access& access, const Bytes& bytes) {
  Access of_word = access;
  for (std::uint64_t at = bytes.address, end = at + bytes.count; at < end;) {
    const Bytes part{bytes.in_lds, at, std::min(end, (at | 3) + 1) - at};
    if (access.before != nullptr) of_word.before = access.before + (at - bytes.address);
    if (auto race = access_word(part, actor, of_word)) return race;
    at += part.count;
  }
  return {};
}

void History::confirm_load(const Actor& actor, bool in_lds, std::uint64_t address, std::uint32_t expected) {
  auto& loads = unconfirmed_of(actor.wave);
  const auto found = loads.find(key_of(in_lds, address));
  if (found != loads.end() && found->second.value == expected) loads.erase(found);
}

std::optional<History::RacingLoad> History::racing_load(std::uint32_t wave) {
  for (const auto& [key, load] : unconfirmed_of(wave))
    if (!happens_before(load.earlier, load.later))
      return RacingLoad{{(key & 1) != 0, key >> 1, 4}, load.instruction, load.race};
  return {};
}

void History::carry_over_barrier(const Actor& actor, std::uint32_t word, std::uint32_t time) {
  Word& at = lds_[word];
  for (Stamp* const stamp : {&at.write, &at.store, &at.reads[0], &at.reads[1]})
    if (stamp->wave == actor.wave && stamp->time == time) stamp->signals = actor.signals;
}

}  // namespace kernelgen::amdgpu
