#pragma once
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "run/simulated_launches.hpp"

namespace kernelgen::tool {

/// Launches summed by a name: a kernel's, or what launched them.
class LaunchTable {
 public:
  void add(const std::string& name, const SimulatedLaunch& launch);
  void sort_by_bound();
  /// A row for each name. `heading` says what the names are.
  void print(const std::string& heading, std::FILE* out) const;

 private:
  struct Row {
    std::string name;
    std::size_t launches = 0;
    double microseconds = 0;
    std::map<std::string, double> by_limit{};  ///< microseconds of launches that this bounds
    std::map<std::string, std::uint64_t> counts{};
  };
  std::vector<Row> rows_;
};

}  // namespace kernelgen::tool
