#include "emit/perfect_hash.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "kernelgen/name_hash.h"

namespace kernelgen::tool {

namespace {

constexpr std::uint32_t empty_slot = 0xffffffff;

/// Displacements tried for one bucket. The last name finds its one free slot among n after about n tries, so
/// this is out of reach for any number of kernels that makes sense.
constexpr std::uint32_t max_displacement = 1u << 24;

class Builder {
 public:
  Builder(std::span<const std::uint64_t> hashes, std::uint32_t bucket_count)
      : hashes_(hashes),
        buckets_(bucket_count),
        tables_{std::vector<std::uint32_t>(bucket_count, 0),
                std::vector<std::uint32_t>(hashes.size(), empty_slot)} {
    for (std::uint32_t i = 0; i < hashes.size(); ++i)
      buckets_[kernelgen_name_bucket(hashes[i], bucket_count)].push_back(i);
  }

  std::optional<PerfectHash> build() {
    // Largest first: they are the hardest to place and the table is still empty.
    std::vector<std::uint32_t> order(buckets_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return buckets_[a].size() > buckets_[b].size();
    });
    for (const std::uint32_t bucket : order)
      if (!place(bucket)) return std::nullopt;
    return std::move(tables_);
  }

 private:
  bool place(std::uint32_t bucket) {
    const std::vector<std::uint32_t>& names = buckets_[bucket];
    for (std::uint32_t displacement = 0; displacement < max_displacement; ++displacement) {
      std::size_t placed = 0;
      while (placed < names.size()) {
        std::uint32_t& slot = slot_of(names[placed], displacement);
        if (slot != empty_slot) break;
        slot = names[placed++];
      }
      if (placed == names.size()) {
        tables_.displacements[bucket] = displacement;
        return true;
      }
      while (placed > 0) slot_of(names[--placed], displacement) = empty_slot;
    }
    return false;
  }

  std::uint32_t& slot_of(std::uint32_t name, std::uint32_t displacement) {
    const auto slots = static_cast<std::uint32_t>(tables_.slots.size());
    return tables_.slots[kernelgen_name_slot(hashes_[name], displacement, slots)];
  }

  std::span<const std::uint64_t> hashes_;
  std::vector<std::vector<std::uint32_t>> buckets_;
  PerfectHash tables_;
};

}  // namespace

PerfectHash build_perfect_hash(std::span<const std::string> names) {
  if (names.empty()) return {};
  std::vector<std::uint64_t> hashes;
  for (const std::string& name : names) hashes.push_back(kernelgen_name_hash(name.data(), name.size()));
  // About four names a bucket keeps the table small. Where that does not work out, more buckets are easier.
  for (auto buckets = static_cast<std::uint32_t>((names.size() + 3) / 4);; buckets += buckets / 2 + 1)
    if (auto tables = Builder(hashes, buckets).build()) return *std::move(tables);
}

}  // namespace kernelgen::tool
