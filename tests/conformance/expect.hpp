#pragma once
#include <functional>
#include <string>
#include <vector>

#include "kernelgen/ops.hpp"
#include "layouts.hpp"
#include "reference/element.hpp"
#include "tolerance.hpp"

/// Calls of operations whose results may differ from the reference by a known error before they are rounded.
namespace kernelgen::conformance {

/// What each element is before it is rounded to its dtype, and how far off a computation may be there.
struct Approximation {
  std::vector<Real> value;
  std::vector<Real> error;

  void add(Real exact, Real allowed) {
    value.push_back(exact);
    error.push_back(allowed);
  }
};

/// Runs an operation into the middle of a larger storage: its result must be right and all around it stay.
void expect_call(const std::string& what, DType dtype, const Shape& shape, const Approximation& wanted,
                 const std::function<Tensor(const CallOptions&)>& operation);

/// A tensor of that layout class over a storage of its own, and its elements in row-major order.
struct Input {
  Tensor tensor;
  Elements elements;
};
/// The storage is filled from `values`, over and over.
Input make_input(Kind kind, const Shape& shape, const Elements& values);

/// Random numbers of moderate size with zeros between them: their sums do not overflow.
Elements moderate(DType dtype, std::int64_t count, std::uint64_t stream);

}  // namespace kernelgen::conformance
