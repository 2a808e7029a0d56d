#pragma once
#include <array>
#include <cstdint>
#include <unordered_map>

#include "counters.hpp"

namespace kernelgen::amdgpu {

/// A set of lines of 64 bytes.
class LineSet {
 public:
  void add(std::uint64_t line) {
    const std::uint64_t page = line / lines_a_page;
    if (last_ == nullptr || page != last_page_) {
      last_ = &pages_[page];
      last_page_ = page;
    }
    (*last_)[line % lines_a_page / 64] |= std::uint64_t{1} << line % 64;
  }
  void merge(const LineSet& other);
  std::uint64_t count() const;

 private:
  static constexpr std::uint64_t lines_a_page = 1 << 14;  // a megabyte's
  using Page = std::array<std::uint64_t, lines_a_page / 64>;

  std::unordered_map<std::uint64_t, Page> pages_;
  std::uint64_t last_page_ = 0;
  Page* last_ = nullptr;
};

/// Global memory that blocks touched.
struct Traffic {
  LineSet loaded, stored;
};

/// Counts an access of a wave to global memory: lane `i` of `mask` accesses `bytes` at `at[i]`.
void count_load(Counters& counters, Traffic& traffic, const std::array<std::uint64_t, 64>& at, unsigned bytes,
                std::uint64_t mask);
void count_store(Counters& counters, Traffic& traffic, const std::array<std::uint64_t, 64>& at,
                 unsigned bytes, std::uint64_t mask);

/// Counts an access of a wave to LDS. It has `banks` banks of 4 bytes; lanes are served in groups, in their order, that
/// want as many bytes as the banks have. A group takes as many cycles as there are different words in its fullest bank.
void count_lds(Counters& counters, unsigned banks, const std::array<std::uint64_t, 64>& at, unsigned bytes,
               std::uint64_t mask);

}  // namespace kernelgen::amdgpu
