#include "merging.hpp"

#include <queue>

namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

struct Part {
  std::string_view text;
  std::size_t previous, next;
};

/// Two neighbours as they were when this was put into the queue.
struct Pair {
  double rank;
  std::size_t left, right;
  std::size_t bytes;

  bool operator<(const Pair& other) const {
    return rank != other.rank ? rank > other.rank : left > other.left;
  }
};

}  // namespace

std::vector<std::string_view> merged(
    std::string_view text, const std::vector<std::size_t>& starts,
    const std::function<bool(std::string_view, std::string_view, double&)>& rank) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t end = i + 1 < starts.size() ? starts[i + 1] : text.size();
    parts.push_back({text.substr(starts[i], end - starts[i]), i == 0 ? none : i - 1,
                     i + 1 < starts.size() ? i + 1 : none});
  }
  std::priority_queue<Pair> queue;
  const auto offer = [&](std::size_t left, std::size_t right) {
    Pair pair{0, left, right, 0};
    if (left == none || right == none || !rank(parts[left].text, parts[right].text, pair.rank)) return;
    pair.bytes = parts[left].text.size() + parts[right].text.size();
    queue.push(pair);
  };
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) offer(i, i + 1);
  while (!queue.empty()) {
    const Pair pair = queue.top();
    queue.pop();
    Part &left = parts[pair.left], &right = parts[pair.right];
    // One of them was joined with another since.
    if (left.text.empty() || right.text.empty() || left.text.size() + right.text.size() != pair.bytes)
      continue;
    left.text = {left.text.data(), pair.bytes};
    left.next = right.next;
    right.text = {};
    if (left.next != none) parts[left.next].previous = pair.left;
    offer(left.previous, pair.left);
    offer(pair.left, left.next);
  }
  std::vector<std::string_view> result;
  for (const Part& part : parts)
    if (!part.text.empty()) result.push_back(part.text);
  return result;
}
