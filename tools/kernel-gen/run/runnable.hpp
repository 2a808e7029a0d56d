#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernelgen/ops.hpp"
#include "manifest/kernel.hpp"
#include "run/parameter.hpp"

namespace kernelgen::tool {

/// What one call works on.
struct Operands {
  const Device& device;
  /// In the operation's order; null where an optional one is left out.
  std::span<const Tensor> inputs;
  std::span<const Tensor> out = {};  ///< written in place of new tensors; empty, or one for each output

  /// An optional input; null where it is left out.
  const Tensor* optional(std::size_t input) const {
    return input < inputs.size() && inputs[input] ? &inputs[input] : nullptr;
  }
  CallOptions options() const { return {.out = out.empty() ? nullptr : out.data()}; }
};

/// An operation with its parameters bound; gives its outputs.
using BoundCall = std::function<std::vector<Tensor>(const Operands&)>;

/// An operation as `kernel-gen run` and the cases of `kernel-gen bench` name it.
struct Runnable {
  std::string name;
  std::string also = {};  ///< another name of it, where there is one
  std::string doc;        ///< in lines
  std::vector<std::string> inputs;
  std::size_t optional_inputs = 0;  ///< the number of inputs, the last ones, that may be left out
  std::vector<CallParameter> parameters = {};
  std::vector<std::string> outputs = {"y"};
  std::string quantized_input = {};  ///< has to be of a quantized dtype
  /// It writes its first input, which is its output too, and takes no `out`.
  bool in_place = false;
  /// The operations of a package whose kernels it launches; without a value, the one with its name.
  std::optional<std::vector<std::string>> needs = {};
  std::function<BoundCall(const ParameterValues&)> bind;

  std::size_t least_inputs() const { return inputs.size() - optional_inputs; }
  bool takes(std::size_t input_count) const {
    return input_count >= least_inputs() && input_count <= inputs.size();
  }
  bool is_called(std::string_view other) const { return name == other || (!also.empty() && also == other); }
};

/// The library's operations but for those that kernelgen::call reaches.
const std::vector<Runnable>& library_runnables();

/// What the package has kernels for: its operations that are called by name, then the library's. With the name of a target, what
/// it has kernels for on that target.
std::vector<Runnable> runnables(const Package& package,
                                std::optional<std::string_view> target = std::nullopt);

/// The one of that name. Throws BadInput with the nearest name.
Runnable find_runnable(const Package& package, std::string_view name);

/// The operation of that name, for its usage: among the library's, the package's where there is one, and those of
/// manifests that are called by name. It may lack kernels to run. Throws BadInput with the nearest name.
Runnable describe_runnable(std::string_view name, const Package* package,
                           std::span<const Operation> manifests);

}  // namespace kernelgen::tool
