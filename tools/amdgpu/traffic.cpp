#include "traffic.hpp"

#include <algorithm>
#include <bit>

namespace kernelgen::amdgpu {
namespace {

using Addresses = std::array<std::uint64_t, 64>;

/// The different lines of an access, ascending.
struct Lines {
  std::array<std::uint64_t, 128> line;
  std::size_t count = 0;

  Lines(const Addresses& at, unsigned bytes, std::uint64_t mask) {
    bool ascending = true;
    for (; mask != 0; mask &= mask - 1) {
      const std::uint64_t address = at[static_cast<std::size_t>(std::countr_zero(mask))];
      for (std::uint64_t next = address / 64; next <= (address + bytes - 1) / 64; ++next) {
        if (count != 0 && line[count - 1] == next) continue;
        ascending = ascending && (count == 0 || line[count - 1] < next);
        line[count++] = next;
      }
    }
    if (ascending) return;
    std::sort(line.begin(), line.begin() + count);
    count = static_cast<std::size_t>(std::unique(line.begin(), line.begin() + count) - line.begin());
  }
  /// Lines of 128 bytes.
  std::uint64_t pairs() const {
    std::uint64_t pairs = 0;
    for (std::size_t i = 0; i < count; ++i) pairs += i == 0 || line[i] / 2 != line[i - 1] / 2 ? 1 : 0;
    return pairs;
  }
};

/// How many different words the fullest bank has.
std::uint64_t cycles_of_group(unsigned banks, const std::uint64_t* at, unsigned words, std::uint64_t lanes) {
  std::array<std::uint64_t, 64> wanted;  // different words, those of a bank chained
  std::array<std::uint8_t, 64> next, last, depth;
  std::uint64_t used = 0;
  std::size_t count = 0;
  unsigned most = 0;
  for (; lanes != 0; lanes &= lanes - 1)
    for (unsigned i = 0; i < words; ++i) {
      const std::uint64_t word = at[std::countr_zero(lanes)] / 4 + i;
      const std::size_t bank = word % banks;
      constexpr std::uint8_t none = 64;
      std::uint8_t link = (used >> bank & 1) != 0 ? last[bank] : none;
      if (link == none) depth[bank] = 0;
      const std::uint8_t before = link;
      while (link != none && wanted[link] != word) link = next[link];
      if (link != none) continue;
      used |= std::uint64_t{1} << bank;
      wanted[count] = word;
      next[count] = before;
      last[bank] = static_cast<std::uint8_t>(count++);
      most = std::max<unsigned>(most, ++depth[bank]);
    }
  return most;
}

}  // namespace

void LineSet::merge(const LineSet& other) {
  for (const auto& [page, bits] : other.pages_) {
    Page& mine = pages_[page];
    for (std::size_t i = 0; i < bits.size(); ++i) mine[i] |= bits[i];
  }
}

std::uint64_t LineSet::count() const {
  std::uint64_t lines = 0;
  for (const auto& [page, bits] : pages_)
    for (const std::uint64_t word : bits) lines += static_cast<std::uint64_t>(std::popcount(word));
  return lines;
}

void count_load(Counters& counters, Traffic& traffic, const Addresses& at, unsigned bytes,
                std::uint64_t mask) {
  const Lines lines(at, bytes, mask);
  counters.bytes_loaded += static_cast<std::uint64_t>(std::popcount(mask)) * bytes;
  counters.lines_64_loaded += lines.count;
  counters.lines_128_loaded += lines.pairs();
  for (std::size_t i = 0; i < lines.count; ++i) traffic.loaded.add(lines.line[i]);
}

void count_store(Counters& counters, Traffic& traffic, const Addresses& at, unsigned bytes,
                 std::uint64_t mask) {
  const Lines lines(at, bytes, mask);
  counters.bytes_stored += static_cast<std::uint64_t>(std::popcount(mask)) * bytes;
  counters.lines_64_stored += lines.count;
  counters.lines_128_stored += lines.pairs();
  for (std::size_t i = 0; i < lines.count; ++i) traffic.stored.add(lines.line[i]);
}

void count_lds(Counters& counters, unsigned banks, const Addresses& at, unsigned bytes, std::uint64_t mask) {
  const unsigned words = std::max(bytes, 4u) / 4, lanes_a_group = std::max(banks / words, 1u);
  for (unsigned first = 0; first < 64; first += lanes_a_group) {
    const std::uint64_t lanes =
        mask >> first & (lanes_a_group == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes_a_group) - 1);
    if (lanes == 0) continue;
    const std::uint64_t cycles = cycles_of_group(banks, &at[first], words, lanes);
    counters.lds_cycles += cycles;
    counters.lds_conflicts += cycles - 1;
  }
}

}  // namespace kernelgen::amdgpu
