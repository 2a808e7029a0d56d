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

}  // namespace

void Footprint::merge(const Footprint& other) {
  for (const auto& [page, bits] : other.pages_) {
    Page& mine = pages_[page];
    for (std::size_t i = 0; i < bits.size(); ++i) mine[i] |= bits[i];
  }
}

std::uint64_t Footprint::count() const {
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
    std::array<std::array<std::uint64_t, 64>, 64> seen;  // words of each bank
    std::array<unsigned, 64> count{};
    unsigned most = 0;
    for (unsigned lane = first; lane < std::min(first + lanes_a_group, 64u); ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      for (unsigned i = 0; i < words; ++i) {
        const std::uint64_t word = at[lane] / 4 + i;
        const std::size_t bank = word % banks;
        auto& of_bank = seen[bank];
        const auto* const end = of_bank.begin() + count[bank];
        if (std::find(of_bank.begin(), of_bank.begin() + count[bank], word) != end) continue;
        of_bank[count[bank]++] = word;
        most = std::max(most, count[bank]);
      }
    }
    if (most == 0) continue;
    counters.lds_cycles += most;
    counters.lds_conflicts += most - 1;
  }
}

}  // namespace kernelgen::amdgpu
