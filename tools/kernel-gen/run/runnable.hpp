#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernelgen/ops.hpp"
#include "run/parameter.hpp"

namespace kernelgen::tool {

/// A tensor that an operation takes or gives, in words: "ids", "[n], places along dim".
struct Role {
  std::string name, meaning;
};

/// What one call works on.
struct Operands {
  const Device& device;
  std::span<const Tensor> inputs;
  std::span<const Tensor> out = {};  ///< written in place of new tensors; empty, or one for each output

  CallOptions options() const { return {.out = out.empty() ? nullptr : out.data()}; }
  /// Of operations whose two outputs are elements and their places.
  IndexedOptions indexed_options() const {
    if (out.empty()) return {};
    return {.values = &out[0], .indices = &out[1]};
  }
};

/// An operation with its parameters bound; gives its outputs.
using BoundCall = std::function<std::vector<Tensor>(const Operands&)>;

/// An operation as `kernel-gen run` and the cases of `kernel-gen bench` name it.
struct Runnable {
  std::string name;
  std::string also = {};  ///< another name of it, where there is one
  std::string summary;
  std::vector<Role> inputs;
  std::size_t optional_inputs = 0;  ///< so many of the last may be left out
  std::vector<CallParameter> parameters = {};
  std::vector<Role> outputs = {{"y", ""}};
  /// It writes its first input, which is its output too, and takes no `out`.
  bool in_place = false;
  std::function<BoundCall(const ParameterValues&)> bind;

  std::size_t least_inputs() const { return inputs.size() - optional_inputs; }
  bool takes(std::size_t input_count) const {
    return input_count >= least_inputs() && input_count <= inputs.size();
  }
  bool is_called(std::string_view other) const { return name == other || (!also.empty() && also == other); }
};

/// The library's operations but for those that kernelgen::call reaches, in the order of their headers.
const std::vector<Runnable>& library_runnables();

/// Everything the package's users can call, by name: the library's and the package's element-wise operations.
std::vector<Runnable> runnables(const Package& package);

/// The one of that name. Throws BadInput with the nearest name.
Runnable find_runnable(const Package& package, std::string_view name);

}  // namespace kernelgen::tool
