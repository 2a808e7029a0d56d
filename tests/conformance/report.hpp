#pragma once
#include <string>
#include <vector>

#include "bounds.hpp"
#include "kernelgen/tensor.hpp"
#include "layouts.hpp"

namespace kernelgen::conformance {

/// The text of a failure: operation, dtypes, layout class, shapes, strides, and then what went wrong.
struct Report {
  const std::string& operation;
  const std::string& scalars;
  const LayoutCase& layouts;
  const std::vector<Elements>& storages;
  const Shape& shape;

  std::string wrong_element(const Mismatches& mismatches, const Elements& got, const Wanted& wanted,
                            const Bound& bound) const;
  std::string wrong_result(const Tensor& result) const;
  /// `before`: the storage with the result put in its place. `after`: the storage as it is.
  std::string wrote_outside(const Elements& before, const Elements& after, const Layout& view) const;
  std::string threw(const std::string& what) const;

 private:
  std::string head() const;
};

}  // namespace kernelgen::conformance
