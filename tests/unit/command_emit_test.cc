#include "commands/emit.hpp"

#include <gtest/gtest.h>

#include "base/fault.hpp"
#include "manifest/node.hpp"
#include "support/memory_disk.hpp"
#include "support/printed.hpp"

namespace kernelgen::tool {
namespace {

using Paths = std::vector<std::string>;

class EmitTest : public testing::Test {
 protected:
  void SetUp() override {
    disk_.add("kernels/a.hpp", "");
    disk_.add("core/a.json", manifest("a", "f", "x"));
    disk_.add("targets.json", R"({"targets": []})");
    options_ = {{"core"}, "kernels", "targets.json", "generated"};
  }

  static std::string manifest(const std::string& module, const std::string& op, const std::string& expr) {
    return R"({"module": ")" + module + R"(", "header": "a.hpp", "operations": [{"op": ")" + op +
           R"(", "inputs": ["x: f32"], "output": "f32", "expr": ")" + expr + R"("}]})";
  }

  EmitReport check() {
    EmitOptions options = options_;
    options.check = true;
    return emit(options, disk_);
  }

  /// What run_emit prints, and its exit code.
  std::pair<std::string, int> run() {
    int code = 0;
    const std::string text = test::printed([&](std::FILE* out) { code = run_emit(options_, disk_, out); });
    return {text, code};
  }

  MemoryDisk disk_;
  EmitOptions options_;
};

TEST_F(EmitTest, WritesOnceAndIsThenCurrent) {
  const EmitReport first = emit(options_, disk_);
  EXPECT_EQ(first.missing, (Paths{"hip/a.hip", "operations.inc", "targets.inc"}));
  const EmitReport second = emit(options_, disk_);
  EXPECT_TRUE(second.is_current());
  EXPECT_EQ(second.unchanged, 3u);
  EXPECT_TRUE(check().is_current());
}

TEST_F(EmitTest, WritesTheRegistryWhenAsked) {
  emit(options_, disk_);
  options_.registry = true;
  EXPECT_EQ(check().missing, (Paths{"kernelgen_registry.c", "kernelgen_registry.h", "registry.json"}));
  EXPECT_EQ(emit(options_, disk_).unchanged, 3u);
  EXPECT_TRUE(check().is_current());
  disk_.write_atomically("generated/registry.json", "edited by hand");
  EXPECT_EQ(check().differs, Paths{"registry.json"});
}

TEST_F(EmitTest, CheckFindsWhatDiffersAndChangesNothing) {
  emit(options_, disk_);
  disk_.write_atomically("generated/hip/a.hip", "edited by hand");
  disk_.remove_tree("generated/targets.inc");
  disk_.add("generated/hip/old.hip", "");
  const EmitReport report = check();
  EXPECT_EQ(report.differs, Paths{"hip/a.hip"});
  EXPECT_EQ(report.missing, Paths{"targets.inc"});
  EXPECT_EQ(report.stale, Paths{"hip/old.hip"});
  EXPECT_EQ(disk_.read("generated/hip/a.hip"), "edited by hand");
  EXPECT_TRUE(disk_.exists("generated/hip/old.hip"));
}

TEST_F(EmitTest, EmitBringsItBack) {
  emit(options_, disk_);
  disk_.write_atomically("generated/hip/a.hip", "edited by hand");
  disk_.add("generated/hip/old.hip", "");
  emit(options_, disk_);
  EXPECT_TRUE(check().is_current());
  EXPECT_FALSE(disk_.exists("generated/hip/old.hip"));
}

TEST_F(EmitTest, TakesAUsersFolderToo) {
  disk_.add("mine/b.json", manifest("b", "cube", "x * x * x"));
  options_.manifests = {"core", "mine"};
  options_.registry = true;
  emit(options_, disk_);
  EXPECT_NE(disk_.read("generated/hip/b.hip").find("return x * x * x;"), std::string::npos);
  EXPECT_NE(disk_.read("generated/kernelgen_registry.h").find("KERNELGEN_KERNEL_kg_cube_strided = 3,"),
            std::string::npos);
}

TEST_F(EmitTest, BytesDoNotDependOnWhereThingsLie) {
  emit(options_, disk_);
  disk_.rename("core", "elsewhere");
  options_.manifests = {"./elsewhere/../elsewhere"};
  EXPECT_TRUE(check().is_current());
}

TEST_F(EmitTest, PrintsWhatItDid) {
  EXPECT_EQ(run().first.substr(0, 27), "new generated/hip/a.hip\nnew");
  EXPECT_EQ(run(), std::pair(std::string("3 files up to date in generated\n"), exit_ok));
  disk_.write_atomically("generated/hip/a.hip", "");
  options_.check = true;
  EXPECT_EQ(
      run(),
      std::pair(std::string("differs: generated/hip/a.hip\n"
                            "generated differs from its manifests; 'kernel-gen emit' brings it up to date\n"),
                exit_failure));
  options_.json = true;
  const auto [text, code] = run();
  EXPECT_EQ(code, exit_failure);
  const Json json = Json::parse(text);
  EXPECT_EQ(json["current"], false);
  EXPECT_EQ(json["differs"], Json::array({"hip/a.hip"}));
  EXPECT_EQ(json["unchanged"], 2);
}

}  // namespace
}  // namespace kernelgen::tool
