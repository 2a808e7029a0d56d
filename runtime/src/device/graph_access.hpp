#pragma once
#include "kernelgen/graph.hpp"

namespace kernelgen {

/// A capture as separate begin and end calls, for bindings that cannot pass a function. Between them the
/// rules for the `work` of Device::capture apply; Capture::cancel aborts.
struct GraphAccess {
  static void begin(const Device& device, const Stream& stream);
  static Graph end_new(const DeviceState& state);
  static void begin_update(const Graph& graph);
  static Graph::Update end_update(const Graph& graph);
};

}  // namespace kernelgen
