#include "report.hpp"

#include <cstring>

#include "environment.hpp"
#include "reference/strided.hpp"

namespace kernelgen::conformance {
namespace {

using reference::describe;

/// "(3, 1)" for row-major element 7 of a [4, 2] tensor.
std::string index_text(const Shape& shape, std::int64_t index) {
  std::string text;
  for (std::size_t dim = shape.size(); dim-- > 0; index /= shape[dim])
    text = std::to_string(index % shape[dim]) + (text.empty() ? "" : ", ") + text;
  return "(" + text + ")";
}

std::string ulps_text(const Elements& got, const Elements& wanted, std::int64_t i) {
  const std::uint64_t ulps =
      ulps_between(got.dtype(), reference::bits_at(got, i), reference::bits_at(wanted, i));
  return std::to_string(ulps) + (is_float(got.dtype()) ? " ULP" : "");
}

}  // namespace

std::string Report::head() const {
  std::string text = operation + (scalars.empty() ? "" : "(" + scalars + ")") + ", layout class " +
                     layouts.name + ", on " + device().location() +
                     ", KERNELGEN_SEED=" + std::to_string(seed()) + "\n";
  for (std::size_t i = 0; i < storages.size(); ++i) {
    const Layout& layout = layouts.views[i].layout;
    text += "  input " + std::to_string(i) + ": " + std::string(kernelgen::name_of(storages[i].dtype())) +
            " shape " + layout.shape.to_string() + " strides " + layout.strides.to_string() + " offset " +
            std::to_string(layout.offset) + " in a storage of " + std::to_string(layouts.views[i].storage) +
            "\n";
  }
  return text;
}

std::string Report::wrong_element(const Mismatches& mismatches, const Elements& got, const Wanted& wanted,
                                  const Bound& bound) const {
  const std::int64_t i = mismatches.first;
  std::string text = head() + "  " + std::to_string(mismatches.count) + " of " + std::to_string(got.count()) +
                     " elements wrong; the first is " + std::to_string(i) + " = " + index_text(shape, i) +
                     "\n";
  for (std::size_t input = 0; input < storages.size(); ++input) {
    const std::int64_t at = reference::position(reference::repeated(layouts.views[input].layout, shape), i);
    text += "    input " + std::to_string(input) + "  " + describe(storages[input], at) + "\n";
  }
  text += "    got      " + describe(got, i) + "\n    wanted   " + describe(wanted.values, i) + "\n";
  if (wanted.alternative) text += "    or       " + describe(*wanted.alternative, i) + "\n";
  return text + "    error    " + ulps_text(got, wanted.values, i) + ", bound " + std::to_string(bound.ulps) +
         "\n";
}

std::string Report::wrong_result(const Tensor& result) const {
  return head() + "  the result is " + std::string(kernelgen::name_of(result.dtype())) + " " +
         result.layout().to_string() + ", wanted a contiguous tensor of shape " + shape.to_string() + "\n";
}

std::string Report::wrote_outside(const Elements& before, const Elements& after, const Layout& view) const {
  std::int64_t at = 0;
  while (std::memcmp(before.at(at), after.at(at), size_of(after.dtype())) == 0) ++at;
  return head() + "  element " + std::to_string(at) + " of the output's storage was changed from " +
         describe(before, at) + " to " + describe(after, at) + ", outside the view " + view.to_string() +
         "\n";
}

std::string Report::threw(const std::string& what) const { return head() + "  threw: " + what + "\n"; }

}  // namespace kernelgen::conformance
