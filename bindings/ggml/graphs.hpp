#pragma once
#include <cstddef>
#include <functional>
#include <list>
#include <vector>

#include "interface.hpp"
#include "kernelgen/graph.hpp"

namespace kernelgen::ggml {

/// Graphs of one stream, captured when ggml computes the same nodes on the same memory again, as it does for each token.
class CapturedGraphs {
 public:
  /// Enqueues the graph's work, which `work` enqueues node by node: the first time by calling it, the second time by capturing
  /// it, then by launching what was captured.
  void run(const Device& device, const Stream& stream, const Graph& graph, const std::function<void()>& work);

 private:
  struct Entry {
    std::vector<std::byte> description;  ///< all that the work depends on
    kernelgen::Graph captured = {};
    bool is_capturable = true;
  };
  std::list<Entry> entries_;  ///< most recently used first
};

}  // namespace kernelgen::ggml
