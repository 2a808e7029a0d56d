#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/case_file.hpp"
#include "kernelgen/ops.hpp"

namespace kernelgen::tool {

/// One row of a suite: an operation at a shape and a dtype. The same call makes its inputs for any device and any
/// scale, so that a small one can be verified on another device.
struct BenchCase {
  std::string name;  ///< "softmax f16"
  std::string shape;
  /// What may be timed over and over: it gives the result.
  struct Prepared {
    std::function<Tensor()> run;
    std::string shape;      ///< the case's, at that scale
    double bytes = 0;       ///< each input read once, each output written once
    double operations = 0;  ///< multiplications and additions, where those are what counts
  };
  /// `scale` divides the work by about that factor; 1 is what is timed. Throws BadInput where the operation does not
  /// take the case's inputs or parameters.
  std::function<Prepared(const Device&, std::int64_t scale)> prepare;
  double terms = 1;                 ///< that are summed for one element: what rounding may add up to
  std::optional<double> tolerance;  ///< of a term, where it is more than the result's dtype rounds off
};

/// A case for each dtype and size of the families that a device of that kind has.
std::vector<BenchCase> bench_cases(const std::vector<CaseFamily>& families, DeviceKind kind);

}  // namespace kernelgen::tool
