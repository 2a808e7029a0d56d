#include "sort.hpp"

#include <algorithm>
#include <numeric>

namespace kernelgen::reference {

std::vector<std::uint32_t> sorted_places(const Elements& row, bool ascending) {
  std::vector<Real> values;
  for (std::int64_t i = 0; i < row.count(); ++i) values.push_back(real_at(row, i));
  std::vector<std::uint32_t> places(values.size());
  std::iota(places.begin(), places.end(), 0u);
  std::ranges::stable_sort(places, [&](std::uint32_t a, std::uint32_t b) {
    if (std::isnan(values[a]) || std::isnan(values[b]))
      return !std::isnan(values[a]) && std::isnan(values[b]);
    return ascending ? values[a] < values[b] : values[a] > values[b];
  });
  return places;
}

std::vector<std::uint32_t> greatest_places(const Elements& row, std::int64_t k) {
  std::vector<std::uint32_t> numbers, places;
  for (std::int64_t i = 0; i < row.count(); ++i)
    (std::isnan(real_at(row, i)) ? places : numbers).push_back(static_cast<std::uint32_t>(i));
  std::ranges::stable_sort(
      numbers, [&](std::uint32_t a, std::uint32_t b) { return real_at(row, a) > real_at(row, b); });
  places.insert(places.end(), numbers.begin(), numbers.end());
  places.resize(static_cast<std::size_t>(k));
  return places;
}

}  // namespace kernelgen::reference
