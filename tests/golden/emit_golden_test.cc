// A small manifest gives exactly the files in expected/. After a wanted change of the output:
//   KERNELGEN_UPDATE_GOLDENS=1 ctest -L golden
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "base/disk.hpp"
#include "emit/emit.hpp"
#include "manifest/kernel.hpp"
#include "manifest/manifest.hpp"
#include "manifest/target.hpp"

namespace kernelgen::tool {
namespace {

namespace fs = std::filesystem;

const fs::path folder = KERNELGEN_GOLDEN_DIR;

std::vector<EmittedFile> emit_sample(const Disk& disk) {
  const KernelSet set = expand(read_manifests(disk, {folder / "manifests"}, folder / "kernels"));
  const TargetTable targets = read_targets(disk, folder / "targets.json");
  std::vector<EmittedFile> files = emit_sources(set, targets);
  for (EmittedFile& file : emit_registry(set, targets)) files.push_back(std::move(file));
  return files;
}

TEST(EmitGolden, FilesAreAsExpected) {
  RealDisk disk;
  for (const EmittedFile& file : emit_sample(disk)) {
    const fs::path golden = folder / "expected" / file.path;
    if (std::getenv("KERNELGEN_UPDATE_GOLDENS")) {
      disk.make_dirs(golden.parent_path());
      disk.write_atomically(golden, file.text);
    }
    ASSERT_TRUE(disk.exists(golden)) << golden;
    EXPECT_EQ(file.text, disk.read(golden)) << golden;
  }
}

TEST(EmitGolden, ExpectedHoldsNothingElse) {
  const RealDisk disk;
  std::vector<std::string> made, there;
  for (const EmittedFile& file : emit_sample(disk)) made.push_back(file.path.string());
  for (const auto& entry : fs::recursive_directory_iterator(folder / "expected"))
    if (entry.is_regular_file()) there.push_back(fs::relative(entry.path(), folder / "expected").string());
  std::sort(made.begin(), made.end());
  std::sort(there.begin(), there.end());
  EXPECT_EQ(made, there);
}

TEST(EmitGolden, EmittingTwiceGivesTheSameBytes) {
  const RealDisk disk;
  const auto first = emit_sample(disk), second = emit_sample(disk);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].text, second[i].text) << first[i].path;
}

}  // namespace
}  // namespace kernelgen::tool
