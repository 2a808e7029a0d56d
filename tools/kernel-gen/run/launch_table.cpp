#include "run/launch_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/table.hpp"

namespace kernelgen::tool {
namespace {

constexpr const char* columns[] = {
    "valu", "matrix", "lds", "vector_memory", "distinct_loaded", "distinct_stored", "lds_conflicts"};
constexpr std::uint64_t lines_a_kib = 16;

}  // namespace

void LaunchTable::add(const std::string& name, const SimulatedLaunch& launch) {
  auto row = std::ranges::find(rows_, name, &Row::name);
  if (row == rows_.end()) row = rows_.insert(row, Row{name});
  ++row->launches;
  for (const char* column : columns) row->counts[column] += launch.counts.at(column).get<std::uint64_t>();
  if (!launch.bound) return;
  const auto [limit, time] = launch.bound->longest();
  row->microseconds += time;
  row->by_limit[limit] += time;
}

void LaunchTable::sort_by_bound() {
  std::ranges::stable_sort(rows_, std::ranges::greater(), &Row::microseconds);
}

void LaunchTable::print(const std::string& heading, std::FILE* out) const {
  Table table({"launches", "bound µs", "by", "VALU", "matrix", "LDS", "memory", "KiB read", "KiB written",
               "conflicts", heading});
  for (const Row& row : rows_) {
    const auto count = [&](const char* column) { return fmt::format("{}", row.counts.at(column)); };
    const auto kib = [&](const char* column) {
      return fmt::format("{}", row.counts.at(column) / lines_a_kib);
    };
    const auto limit =
        std::ranges::max_element(row.by_limit, {}, [](const auto& entry) { return entry.second; });
    const bool bounded = limit != row.by_limit.end();
    table.add({fmt::format("{}", row.launches), bounded ? fmt::format("{:.3f}", row.microseconds) : "-",
               bounded ? limit->first : "-", count("valu"), count("matrix"), count("lds"),
               count("vector_memory"), kib("distinct_loaded"), kib("distinct_stored"), count("lds_conflicts"),
               row.name});
  }
  table.print(out);
}

}  // namespace kernelgen::tool
