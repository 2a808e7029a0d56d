#include "history.hpp"

#include <algorithm>

namespace kernelgen::amdgpu {

using Use = Footprint::Use;

void History::start_block(std::size_t lds_bytes) { lds_.assign((lds_bytes + 3) / 4, Word{}); }

History::Word& History::global_word(std::uint64_t address) {
  const std::uint64_t page = address / page_bytes;
  if (page != last_page_) {
    std::unique_ptr<Page>& known = pages_[page];
    if (known == nullptr) known = std::make_unique<Page>();
    last_page_ = page;
    last_ = known.get();
  }
  return (*last_)[address % page_bytes / 4];
}

bool History::happens_before(const Stamp& earlier, const Actor& actor) const {
  if (earlier.wave == actor.wave) return true;
  const std::uint32_t block = earlier.wave / waves_a_block_;
  if (block == actor.block && actor.waits > earlier.signals) return true;
  const auto found = releases_.find(block);
  return found != releases_.end() && std::ranges::any_of(found->second, [&](const Release& release) {
           if (release.time > actor.known) return false;
           return (release.wave == earlier.wave && earlier.time < release.complete_until) ||
                  release.waits > earlier.signals;
         });
}

std::optional<History::Race> History::access_word(Word& word, std::uint8_t mask, Actor& actor,
                                                  const Access& access, bool global) {
  const bool writes = access.use != Use::load, atomic = access.use == Use::atomic;
  const bool synchronises = atomic || (global && access.coherent && !writes);
  Stamp& last = word.write;
  std::optional<Race> race;
  if ((last.mask & mask) != 0 && last.wave != actor.wave) {
    // A plain store can be an atomic one: nothing in the code object of most GPUs tells. With an atomic or a coherent load
    // as its partner it is taken for one. In LDS, where stores before a missing barrier are the likelier, it is not.
    const bool ordered_by_word = synchronises && (global || last.atomic);
    if (ordered_by_word) {
      if (!last.atomic)
        releases_[last.wave / waves_a_block_].push_back({last.time, last.wave, last.time, last.signals});
      actor.known = std::max(actor.known, last.time);
    }
    const bool both_atomic = ordered_by_word || (global && last.atomic && writes);
    const bool benign = both_atomic || (access.use == Use::store && access.same_value);
    if (!benign && !happens_before(last, actor)) race = Race{last.wave, last.instruction, true};
  }
  // Under an atomic of its own wave a store is still seen, if that atomic did not publish it.
  const Stamp& store = word.store;
  if (!race && !global && last.atomic && (store.mask & mask) != 0 && !happens_before(store, actor))
    race = Race{store.wave, store.instruction, true};
  if (writes && !race)
    for (const Stamp& read : word.reads) {
      if ((read.mask & mask) == 0 || (read.atomic && (atomic || global)) || access.same_value) continue;
      if (!happens_before(read, actor)) race = Race{read.wave, read.instruction, false};
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
  if (atomic) {
    auto& releases = releases_[actor.block];
    if (releases.empty() || releases.back().time != access.time || releases.back().wave != actor.wave)
      releases.push_back({access.time, actor.wave, access.complete_until, actor.waits});
  }
  return race;
}

namespace {

/// Calls `each(address of a word, mask of its bytes)`.
template <class F>
auto for_words(std::uint64_t address, std::uint64_t bytes, F each)
    -> decltype(each(address, std::uint8_t{})) {
  const std::uint64_t end = address + bytes;
  for (std::uint64_t at = address & ~std::uint64_t{3}; at < end; at += 4) {
    const unsigned first = at < address ? static_cast<unsigned>(address - at) : 0;
    const unsigned last = end - at < 4 ? static_cast<unsigned>(end - at) : 4;
    const auto mask = static_cast<std::uint8_t>((1u << last) - (1u << first));
    if (auto race = each(at, mask)) return race;
  }
  return {};
}

}  // namespace

std::optional<History::Race> History::access_lds(Actor& actor, const Access& access, std::uint64_t address,
                                                 std::uint64_t bytes) {
  return for_words(address, bytes, [&](std::uint64_t at, std::uint8_t mask) {
    return access_word(lds_[at / 4], mask, actor, access, false);
  });
}

std::optional<History::Race> History::access_global(Actor& actor, const Access& access, std::uint64_t address,
                                                    std::uint64_t bytes) {
  return for_words(address, bytes, [&](std::uint64_t at, std::uint8_t mask) {
    return access_word(global_word(at), mask, actor, access, true);
  });
}

void History::carry_over_barrier(const Actor& actor, std::uint32_t word, std::uint32_t time) {
  Word& at = lds_[word];
  for (Stamp* const stamp : {&at.write, &at.store, &at.reads[0], &at.reads[1]})
    if (stamp->wave == actor.wave && stamp->time == time) stamp->signals = actor.signals;
}

}  // namespace kernelgen::amdgpu
