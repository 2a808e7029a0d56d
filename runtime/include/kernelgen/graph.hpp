#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "kernelgen/device.hpp"

namespace kernelgen {

/// Work of a device, captured once (Device::capture) and launched any number of times at about the cost of
/// one launch. Each launch runs the same kernels with the same arguments on the memory's current contents.
/// Copies share it; thread-safe.
///
/// The graph owns what the work allocates: temporary tensors, libraries' workspaces, and tensors that the
/// work returns. Each launch rewrites the returned tensors; they stay valid as long as they or the graph
/// exist. Earlier tensors that the work reads or writes, and the caller's modules, must exist as long as the
/// graph is launched. If the last copy of a tensor is destroyed during the capture, the graph keeps its
/// memory.
///
/// A bad index met by a launch is reported to waiters of the stream that it was launched in: see Stream.
class Graph {
 public:
  Graph() = default;

  /// Enqueues all of the work in the stream, after the stream's earlier work and earlier launches of the
  /// graph, without waiting for it. Throws Error(invalid_argument) for a stream of another device, for an
  /// empty Graph, or while the thread captures a graph on the device; Error(device).
  void launch(const Stream& stream = {}) const;

  /// Result of an update.
  struct Update {
    bool in_place;       ///< if false, the graph was instantiated anew, as slowly as the first time
    std::string reason;  ///< why it was not updated in place, in the driver's words
  };
  /// Replaces the graph's work by new work, captured as by Device::capture in the stream of the first
  /// capture, for instance the same operations on other tensors. Later launches run the new work and no
  /// longer write the tensors that the earlier work returned. Throws as Device::capture; the graph is then
  /// unchanged.
  Update update(const std::function<void()>& work) const;

  /// Number of launches of kernels, copies and fills in the graph.
  std::size_t nodes() const;
  /// Bytes that the graph holds for the work's allocations.
  std::size_t memory() const;

  explicit operator bool() const { return impl_ != nullptr; }

 private:
  friend struct GraphAccess;  // lets the library begin and end captures
  struct Impl;
  explicit Graph(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  Impl& need(const char* what) const;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kernelgen
