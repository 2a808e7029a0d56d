// The record of its inputs in a package can be read back.
#include "build/provenance.hpp"

#include <gtest/gtest.h>

#include "support/memory_disk.hpp"

namespace kernelgen::tool {
namespace {

constexpr const char* manifest = R"j({"module": "a", "header": "a.hpp", "operations": [
  {"op": "exp", "types": {"T": ["f16", "f32"]}, "inputs": ["x: T"], "output": "T", "expr": "exp(x)"}]})j";
constexpr const char* table =
    R"({"targets": [{"name": "sm_90", "kind": "cuda", "isa": 90, "arch": "90", "code": "cubin", "groups": []}]})";

Json recorded(const std::string& folder, const std::vector<std::string>& only = {}) {
  MemoryDisk disk;
  disk.add("k/a.hpp", "");
  disk.add(folder + "/a.json", manifest);
  disk.add("targets.json", table);
  const TargetTable targets = read_targets(disk, "targets.json");
  const Target* chosen[] = {&targets.targets[0]};
  Json provenance = {{"tool", "kernel-gen"}};
  record_inputs(provenance, read_manifests(disk, {folder}, "k"), only, chosen);
  return provenance;
}

TEST(Provenance, GivesBackWhatWasRecorded) {
  Faults faults;
  const RecordedInputs inputs = read_inputs(recorded("m", {"dtype=f16"}).dump(), "provenance", faults);
  EXPECT_TRUE(faults.empty());
  EXPECT_EQ(inputs.only, std::vector<std::string>{"dtype=f16"});
  ASSERT_EQ(inputs.targets.size(), 1u);
  EXPECT_EQ(inputs.targets[0].name, "sm_90");
  EXPECT_EQ(inputs.targets[0].wave_sizes, std::vector<std::uint32_t>{32});
  ASSERT_EQ(inputs.manifests.size(), 1u);
  EXPECT_EQ(inputs.manifests[0].text, manifest);
  EXPECT_EQ(
      expand(inputs.manifests).kernel_names(),
      (std::vector<std::string>{"kg_exp_f16", "kg_exp_f16_strided", "kg_exp_f32", "kg_exp_f32_strided"}));
}

TEST(Provenance, HoldsNoFolder) { EXPECT_EQ(recorded("home/me/m").dump(), recorded("other").dump()); }

std::string complaint(const std::string& provenance) {
  Faults faults;
  read_inputs(provenance, "provenance", faults);
  std::string text;
  for (const Fault& fault : faults.list()) text += fault.line() + "\n";
  return text;
}

TEST(Provenance, SaysWhatIsWrongInIt) {
  EXPECT_EQ(complaint(R"({"tool": "x"})"),
            "kernel-gen: error: provenance: key 'only' is missing\n"
            "kernel-gen: error: provenance: key 'rows' is missing\n"
            "kernel-gen: error: provenance: key 'manifests' is missing\n");
  EXPECT_NE(complaint("{").find("not JSON"), std::string::npos);
  Json broken = recorded("m");
  broken["rows"][0]["kind"] = "tpu";
  broken["manifests"][0]["text"] = R"({"module": "a"})";
  const std::string text = complaint(broken.dump());
  EXPECT_NE(text.find("provenance: /rows/0/kind: unknown kind 'tpu'"), std::string::npos) << text;
  EXPECT_NE(text.find("provenance: a.json: key 'header' is missing"), std::string::npos) << text;
}

}  // namespace
}  // namespace kernelgen::tool
