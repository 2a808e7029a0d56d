#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "device/index_faults.hpp"
#include "ops/operation.hpp"
#include "package/operation_rule.hpp"

namespace kernelgen {

/// The launch rule of an operation, with where each argument of its kernels comes from.
struct BoundRule {
  enum class Source : std::uint8_t { input, tensor, scalar, number, step, report };
  struct Argument {
    Source source;
    std::size_t
        index;  ///< of an input, a tensor of the rule, a scalar, a number of its names, or of index_report_names
    std::size_t size = 8;  ///< bytes of a number or a step
  };

  OperationRule of_package;
  std::vector<std::vector<Argument>> launches;
  std::vector<std::int64_t> constants;  ///< for the device's code
  std::size_t output_count;
  bool reports_indices = false;
  IndexOperation reported;                  ///< for the reports, which outlive the call
  std::vector<std::string> reported_names;  ///< those of `reported`

  const LaunchRule& rule() const { return of_package.rule; }

  /// That of an operation of the device, bound at its first call. Throws Error(bad_package).
  static const BoundRule& of(const Device& device, const Operation& operation);
};

}  // namespace kernelgen
