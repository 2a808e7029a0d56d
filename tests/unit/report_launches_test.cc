#include "commands/report_launches.hpp"

#include <gtest/gtest.h>

#include "base/fault.hpp"

using kernelgen::tool::BadInput;
using kernelgen::tool::ReportLaunches;
using Json = nlohmann::ordered_json;

namespace {

const Json one = {{"kernel", "k"},        {"gpu", "gfx942"},      {"valu", 10},        {"matrix", 2},
                  {"distinct_loaded", 3}, {"distinct_stored", 1}, {"lds_conflicts", 5}};

Json bounded(double microseconds, const char* limit) {
  Json launch = one;
  launch["bound_us"] = microseconds;
  launch["bound_by"] = limit;
  return launch;
}

ReportLaunches read(const Json& json) { return ReportLaunches(json.dump(), "counts.json"); }

}  // namespace

TEST(ReportLaunches, SumsTheLaunchesOfAKernel) {
  const Json list = {bounded(1, "memory"), bounded(2.5, "valu"), bounded(2, "memory")};
  const Json row = {3, 5.5, "memory", 30.0, 6.0, 3 * 4 * 64.0, 15.0};
  EXPECT_EQ(read(list).row("k", "gfx942"), row);
  EXPECT_EQ(read({{"launches", list}}).row("k", "gfx942"), row) << "of run";
  const Json first = {{"launches", {list[0]}}}, rest = {{"launches", {list[1], list[2]}}},
             idle = {{"shape", ""}};
  EXPECT_EQ(read({{"operations", {first, idle, rest}}}).row("k", "gfx942"), row) << "of bench";
}

TEST(ReportLaunches, LeavesEmptyWhatWasNotCounted) {
  const ReportLaunches launches = read(Json::array({one}));
  const Json nothing(ReportLaunches::columns.size(), nullptr);
  EXPECT_EQ(launches.row("k", "gfx90a"), nothing);
  EXPECT_EQ(launches.row("other", "gfx942"), nothing);
  EXPECT_EQ(launches.row("k", "gfx942"), Json({1, nullptr, nullptr, 10.0, 2.0, 256.0, 5.0}));
}

TEST(ReportLaunches, RefusesOtherFiles) {
  for (const char* text : {"", "{", "[]", "{}", "7", "[7]", R"([{"kernel": "k"}])", R"({"launches": 7})",
                           R"({"operations": [{"launches": [{"kernel": 1, "gpu": 2}]}]})"})
    EXPECT_THROW(ReportLaunches(text, "counts.json"), BadInput) << text;
}
