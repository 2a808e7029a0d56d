#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernelgen/ops.hpp"

namespace kernelgen::tool {

/// One row of a suite: an operation at a shape. The same call makes its inputs for any device and any scale, so
/// that a small one can be verified on another device.
struct BenchCase {
  std::string name;  ///< "softmax f16"
  std::string shape;
  /// What may be timed over and over: it gives the result.
  struct Prepared {
    std::function<Tensor()> run;
    double bytes = 0;       ///< each input read once, each output written once
    double operations = 0;  ///< multiplications and additions, where those are what counts
  };
  /// `scale` divides the work by about that factor; 1 is what is timed.
  std::function<Prepared(const Device&, std::int64_t scale)> prepare;
  bool verified = true;  ///< results are the same on every device but for rounding
  double terms = 1;      ///< that are summed for one element: what rounding may add up to
};

/// The suites by name. Throws Error(not_found) with the names there are.
std::vector<BenchCase> bench_suite(const std::string& name);

}  // namespace kernelgen::tool
