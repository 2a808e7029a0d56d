#include "commands/report_launches.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/fault.hpp"

namespace kernelgen::tool {
namespace {

using Json = nlohmann::ordered_json;
constexpr double line_bytes = 64;

double number(const Json& launch, const char* name) { return launch.at(name).get<double>(); }

}  // namespace

ReportLaunches::ReportLaunches(const std::string& text, const std::string& file) try {
  const Json json = Json::parse(text);
  const Json none = Json::array();
  // profile writes launches, run an object with them, bench one with operations that have them.
  const Json& list = json.is_array() ? json : json.contains("launches") ? json.at("launches") : none;
  for (const Json& launch : list) add(launch);
  if (json.is_object() && json.contains("operations"))
    for (const Json& operation : json.at("operations"))
      for (const Json& launch : operation.value("launches", none)) add(launch);
  if (sums_.empty()) throw BadInput(Fault{file, "", "there are no counted launches in it", {}});
} catch (const Json::exception& error) {
  throw BadInput(Fault{file,
                       "",
                       fmt::format("not what 'run --counters --json', 'bench --json' on a simulated GPU or "
                                   "'profile --json' writes: {}",
                                   error.what()),
                       {}});
}

void ReportLaunches::add(const Json& launch) {
  Sums& sums = sums_[{launch.at("kernel").get<std::string>(), launch.at("gpu").get<std::string>()}];
  ++sums.launches;
  sums.valu += number(launch, "valu");
  sums.matrix += number(launch, "matrix");
  sums.lines += number(launch, "distinct_loaded") + number(launch, "distinct_stored");
  sums.conflicts += number(launch, "lds_conflicts");
  // There is no bound for a GPU whose figures kernel-gen lacks.
  if (launch.contains("bound_us"))
    sums.microseconds[launch.at("bound_by").get<std::string>()] += number(launch, "bound_us");
}

Json ReportLaunches::row(const std::string& kernel, const std::string& gpu) const {
  const auto found = sums_.find({kernel, gpu});
  if (found == sums_.end()) return Json(columns.size(), nullptr);
  const Sums& sums = found->second;
  Json least = nullptr, limit = nullptr;
  if (!sums.microseconds.empty()) {
    double all = 0;
    for (const auto& [name, time] : sums.microseconds) all += time;
    least = all;
    limit = std::ranges::max_element(sums.microseconds, {}, [](const auto& entry) {
              return entry.second;
            })->first;
  }
  return {sums.launches, least, limit, sums.valu, sums.matrix, sums.lines * line_bytes, sums.conflicts};
}

}  // namespace kernelgen::tool
