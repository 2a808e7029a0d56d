#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "kernelgen/device.hpp"

namespace kernelgen {

/// Work of a device, captured once (Device::capture) and launched any number of times for the price of one launch: the
/// same kernels with the same arguments, on what the same memory holds then. Copies share it; thread-safe.
///
/// What the work allocated is the graph's: temporary tensors and the libraries' workspaces, and tensors made by the work
/// that are kept, which each launch writes anew and which stay valid as long as they or the graph are there. Tensors from
/// before that the work reads or writes, and modules of the caller's, have to stay as long as the graph is launched; a
/// tensor whose last copy goes while the work is captured goes with the graph.
///
/// A bad index that a launch meets is heard of by those who wait for the stream it was launched in: see Stream.
class Graph {
 public:
  Graph() = default;

  /// Puts all of the work into the stream, behind what is there and behind earlier launches of the graph, and does not wait
  /// for it. Throws Error(invalid_argument) for a stream of another device, a graph that holds nothing, or while the
  /// thread captures a graph on the device; Error(device).
  void launch(const Stream& stream = {}) const;

  /// What became of an update.
  struct Update {
    bool in_place;       ///< else the graph was instantiated anew, which takes as long as at first
    std::string reason;  ///< why not in place, in the driver's words
  };
  /// Captures other work for the graph, as Device::capture does in the stream of the first capture, such as the same
  /// operations on other tensors. Launches from now on do that. Tensors that the earlier work made are its launches' no
  /// more. Throws what Device::capture does, and the graph then stays as it was.
  Update update(const std::function<void()>& work) const;

  /// Launches of kernels, copies and fills in it.
  std::size_t nodes() const;
  /// Bytes that it keeps for what the work allocated.
  std::size_t memory() const;

  explicit operator bool() const { return impl_ != nullptr; }

 private:
  friend struct GraphAccess;  // the library's own way to begin and to end
  struct Impl;
  explicit Graph(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  Impl& need(const char* what) const;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kernelgen
