#pragma once
#include "kernelgen/graph.hpp"

namespace kernelgen {

/// A capture in two steps, for languages whose functions cannot be called from here. Between them everything is as in the
/// `work` of Device::capture, and Capture::cancel gives up.
struct GraphAccess {
  static void begin(const Device& device, const Stream& stream);
  static Graph end_new(const DeviceState& state);
  static void begin_update(const Graph& graph);
  static Graph::Update end_update(const Graph& graph);
};

}  // namespace kernelgen
