#include "build/references.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernelgen/package_format.h"

namespace kernelgen::tool {
namespace {

/// One in 2^5 of the offsets.
constexpr unsigned sampled_bits = 5;

using Sketch = std::vector<std::uint64_t>;

/// The strings of eight bytes whose hash begins with zeros, sorted, each once.
Sketch sketch_of(std::string_view bytes) {
  Sketch sketch;
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes.size(); ++at) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    // Fibonacci hashing: the high bits depend on all of the word's.
    const std::uint64_t hash = (word ^ (word >> 32)) * 0x9e3779b97f4a7c15u;
    if (hash >> (64 - sampled_bits) == 0) sketch.push_back(hash);
  }
  std::sort(sketch.begin(), sketch.end());
  sketch.erase(std::unique(sketch.begin(), sketch.end()), sketch.end());
  return sketch;
}

std::size_t count_common(const Sketch& a, const Sketch& b) {
  std::size_t common = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j)
      ++common, ++i, ++j;
    else if (*i < *j)
      ++i;
    else
      ++j;
  }
  return common;
}

class Chooser {
 public:
  explicit Chooser(std::span<const std::string_view> objects)
      : references_(objects.size(), KERNELGEN_NO_BLOB) {
    std::vector<Sketch> sketches;
    for (const std::string_view object : objects) sketches.push_back(sketch_of(object));
    common_.assign(objects.size(), std::vector<std::size_t>(objects.size()));
    for (std::size_t i = 0; i < objects.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        common_[i][j] = common_[j][i] = count_common(sketches[i], sketches[j]);
  }

  /// Takes the reference that saves most, again and again.
  std::vector<std::uint32_t> run() {
    while (improve()) {
    }
    return std::move(references_);
  }

 private:
  bool improve() {
    std::size_t most = 0, best_object = 0;
    std::uint32_t best_reference = KERNELGEN_NO_BLOB;
    for (std::size_t i = 0; i < references_.size(); ++i)
      for (std::uint32_t j = 0; j < references_.size(); ++j) {
        const std::size_t now = references_[i] == KERNELGEN_NO_BLOB ? 0 : common_[i][references_[i]];
        if (i == j || common_[i][j] <= now + most || !allowed(i, j)) continue;
        most = common_[i][j] - now;
        best_object = i;
        best_reference = j;
      }
    if (best_reference == KERNELGEN_NO_BLOB) return false;
    references_[best_object] = best_reference;
    return true;
  }

  /// Whether all chains stay short, and none is a circle, when `object` refers to `reference`.
  bool allowed(std::size_t object, std::uint32_t reference) {
    const std::uint32_t former = std::exchange(references_[object], reference);
    bool short_enough = true;
    for (std::size_t i = 0; i < references_.size() && short_enough; ++i) {
      std::uint32_t steps = 0;
      for (std::uint32_t next = references_[i]; next != KERNELGEN_NO_BLOB && short_enough;
           next = references_[next])
        short_enough = ++steps <= KERNELGEN_MAX_REFERENCES;
    }
    references_[object] = former;
    return short_enough;
  }

  std::vector<std::uint32_t> references_;
  std::vector<std::vector<std::size_t>> common_;
};

}  // namespace

std::vector<std::uint32_t> choose_references(std::span<const std::string_view> objects) {
  return Chooser(objects).run();
}

}  // namespace kernelgen::tool
