#include "scan.hpp"

#include <cmath>
#include <cstring>

namespace kernelgen::reference {

PrefixSums prefix_sums(const Elements& line) {
  PrefixSums sums;
  Real value = 0, magnitude = 0;
  for (std::int64_t i = 0; i < line.count(); ++i) {
    value += real_at(line, i);
    magnitude += std::fabs(real_at(line, i));
    sums.values.push_back(value);
    sums.magnitudes.push_back(magnitude);
  }
  return sums;
}

Elements integer_prefix_sums(const Elements& line) {
  Elements sums(line.dtype(), line.count());
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < line.count(); ++i) {
    sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(real_at(line, i)));
    std::memcpy(sums.at(i), &sum, size_of(line.dtype()));
  }
  return sums;
}

}  // namespace kernelgen::reference
