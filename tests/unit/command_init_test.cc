// `kernel-gen init`: what it writes and what it refuses. integration.embedding.init builds the project and runs it.
#include "commands/init.hpp"

#include <gtest/gtest.h>

#include "base/fault.hpp"
#include "commands/project_files.hpp"
#include "manifest/node.hpp"
#include "support/memory_disk.hpp"
#include "support/printed.hpp"

namespace kernelgen::tool {
namespace {

class Init : public testing::Test {
 protected:
  std::string run() {
    return test::printed([&](std::FILE* out) { EXPECT_EQ(run_init(options_, disk_, out), exit_ok); });
  }
  void refused(const std::string& text) {
    try {
      run();
      ADD_FAILURE() << "no error: " << text;
    } catch (const BadInput& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  }

  MemoryDisk disk_;
  InitOptions options_ = {.folder = "my-project"};
};

TEST_F(Init, WritesAProjectOfTheFoldersName) {
  EXPECT_NE(run().find("new my-project/CMakeLists.txt\n"), std::string::npos);
  EXPECT_NE(disk_.read("my-project/CMakeLists.txt").find("project(my_project LANGUAGES C CXX ASM)"),
            std::string::npos);
  EXPECT_EQ(disk_.read("my-project/.gitignore"), "build/\n");
  for (const ProjectFile& file : project_files())
    EXPECT_EQ(disk_.read("my-project/" + file.path).find("@NAME@"), std::string::npos) << file.path;
  options_ = {.folder = "other", .name = "named", .json = true};
  const Json json = Json::parse(run());
  EXPECT_EQ(json["name"], "named");
  EXPECT_EQ(json["files"].size(), project_files().size());
}

TEST_F(Init, OverwritesNothing) {
  disk_.add("my-project/main.cpp", "mine");
  disk_.add("my-project/README.md", "mine");
  refused("my-project/main.cpp: is there already; init overwrites nothing");
  refused("my-project/README.md: is there already");
  EXPECT_EQ(disk_.read("my-project/main.cpp"), "mine");
  EXPECT_FALSE(disk_.exists("my-project/CMakeLists.txt"));
  disk_.add("file", "");
  options_.folder = "file";
  refused("file: is not a folder");
}

TEST_F(Init, LeavesOtherFilesOfTheFolder) {
  disk_.add("my-project/LICENSE", "mine");
  run();
  EXPECT_EQ(disk_.read("my-project/LICENSE"), "mine");
}

TEST_F(Init, AProjectsNameIsAnIdentifier) {
  options_.folder = "3d";
  refused("3d: the project's name '3d' is not a C identifier");
  EXPECT_FALSE(disk_.exists("3d"));
  options_.name = "new";
  refused("the project's name 'new' is a keyword of C or C++; give another with --name");
}

}  // namespace
}  // namespace kernelgen::tool
