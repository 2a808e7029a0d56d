#include "functions.hpp"

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "kernelgen/ops/elementwise_functions.hpp"

namespace kernelgen::conformance {
namespace {

template <class... Parameters>
Tensor invoke(Tensor (*function)(Parameters...), std::string_view name, std::span<const Tensor> inputs) {
  constexpr std::size_t tensors = (std::size_t{0} + ... + std::is_same_v<Parameters, const Tensor&>);
  // The last parameter is the options.
  if constexpr (tensors + 1 == sizeof...(Parameters))
    if (inputs.size() == tensors)
      return [&]<std::size_t... i>(std::index_sequence<i...>) {
        return function(inputs[i]..., CallOptions{});
      }(std::make_index_sequence<tensors>{});
  throw std::logic_error(std::string(name) + " does not take " + std::to_string(inputs.size()) +
                         " tensors alone");
}

}  // namespace

Tensor call_function(std::string_view operation, std::span<const Tensor> inputs) {
#define KERNELGEN_FUNCTION(name) \
  if (operation == #name) return invoke(kernelgen::name, #name, inputs);
#include "functions.inc"
#undef KERNELGEN_FUNCTION
  throw std::logic_error("no function " + std::string(operation));
}

}  // namespace kernelgen::conformance
