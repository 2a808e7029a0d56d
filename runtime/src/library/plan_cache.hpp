#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace kernelgen {

/// Caches plans for problems keyed by N numbers. A lookup costs one hash; the cache is cleared when it
/// reaches `most`. Not thread-safe.
template <std::size_t N, class Plan>
class PlanCache {
 public:
  using Key = std::array<std::int64_t, N>;

  explicit PlanCache(std::size_t most) : most_(most) {}

  /// The problem's plan, created by make() at the first request; null is cached too. Rethrows the errors of
  /// make() and caches nothing then.
  template <class Make>
  std::shared_ptr<const Plan> get(const Key& key, const Make& make) {
    if (const auto known = plans_.find(key); known != plans_.end()) return known->second;
    std::shared_ptr<const Plan> plan = make();
    if (plans_.size() >= most_) plans_.clear();
    return plans_[key] = std::move(plan);
  }

  std::size_t size() const { return plans_.size(); }
  void clear() { plans_.clear(); }

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t state = N;
      for (const std::int64_t number : key) {
        state = (state ^ static_cast<std::uint64_t>(number)) * 0x9e3779b97f4a7c15;
        state ^= state >> 32;
      }
      return state;
    }
  };

  const std::size_t most_;
  std::unordered_map<Key, std::shared_ptr<const Plan>, Hash> plans_;
};

}  // namespace kernelgen
