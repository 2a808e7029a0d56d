#pragma once
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace kernelgen::tool {

/// Launches on simulated GPUs, summed for each kernel and GPU: columns of the report's rows.
class ReportLaunches {
 public:
  /// In the words of the page's script.
  static constexpr std::array columns = {"launches", "least µs", "limit",    "VALU",
                                         "matrix",   "traffic",  "conflicts"};

  ReportLaunches() = default;
  /// Of JSON that `run --counters`, `bench` or `profile` wrote to `file`. Throws BadInput.
  ReportLaunches(const std::string& text, const std::string& file);

  /// A value for each column; nulls where the kernel was not launched.
  nlohmann::ordered_json row(const std::string& kernel, const std::string& gpu) const;

 private:
  struct Sums {
    std::size_t launches = 0;
    double valu = 0, matrix = 0, lines = 0, conflicts = 0;
    std::map<std::string, double> microseconds;  ///< by what limits the launch
  };
  void add(const nlohmann::ordered_json& launch);

  std::map<std::pair<std::string, std::string>, Sums> sums_;
};

}  // namespace kernelgen::tool
