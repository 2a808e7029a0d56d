#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace kernelgen {

/// What was made for problems of N numbers each. A look-up costs a hash of the numbers, whatever is kept; where `most`
/// are, the next problem starts anew. The caller sees to it that one thread at a time uses it.
template <std::size_t N, class Plan>
class PlanCache {
 public:
  using Key = std::array<std::int64_t, N>;

  explicit PlanCache(std::size_t most) : most_(most) {}

  /// The problem's plan, which make() gives when it is first asked for; null is an answer like others. Throws, and keeps
  /// nothing, where make() does.
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
