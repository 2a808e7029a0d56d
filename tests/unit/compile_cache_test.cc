// Which entries of the compile cache are used. Files in memory stand for those that compilers read.
#include "build/compile_cache.hpp"

#include <gtest/gtest.h>

#include "build/depfile.hpp"
#include "support/memory_disk.hpp"

namespace kernelgen::tool {
namespace {

namespace fs = std::filesystem;

class CompileCacheTest : public testing::Test {
 protected:
  CompileCacheTest() {
    disk_.add("/k/map.hpp", "#include \"device/types.hpp\"\nint map;");
    disk_.add("/k/device/types.hpp", "int types;");
    disk_.add("/k/other.hpp", "int other;");
    read_ = {"/k/map.hpp", "/k/device/types.hpp"};
  }

  CompileJob job() {
    source_ = {source_text_, read_source_text(source_text_), "a.json", "mine/a.json"};
    CompileJob job;
    job.target = "gfx942";
    job.module = "a";
    job.request = request_;
    job.request.source = source_.scanned.tokens_hash;
    job.source = &source_;
    return job;
  }
  CompileCache cache() { return {cache_, *files_}; }

  /// A build begins: everything is looked at again.
  void begin() { files_.emplace(disk_, folders_, std::vector<fs::path>{"/usr/include"}); }

  /// Compiles and keeps what read_ says was read; `while_it_runs` happens then.
  bool compile(const std::string& object, const std::function<void()>& while_it_runs = [] {}) {
    begin();
    const std::int64_t start = disk_.now();
    while_it_runs();
    std::vector<fs::path> inputs = {"/build/a.hip"};
    inputs.insert(inputs.end(), read_.begin(), read_.end());
    const std::string depfile = write_depfile(std::vector<fs::path>{"a.o"}, inputs);
    const auto reads = cache().reads_of(job(), depfile, start);
    if (reads) cache().store(job(), object, *reads, 2.5);
    return reads.has_value();
  }
  /// The object, or the reason for its absence.
  std::string find() {
    begin();
    const Remembered found = cache().find(job());
    return found.object ? *found.object : found.why;
  }

  MemoryDisk disk_;
  Cache cache_{disk_, "/cache"};
  std::vector<fs::path> folders_{"/k", "/shipped"};
  std::optional<ReadFiles> files_;
  std::string source_text_ = "#include \"map.hpp\"\nbody();";
  Source source_;
  CompileRequest request_{"clang 19", "bitcode", "-O3", ""};
  std::vector<fs::path> read_;
};

TEST_F(CompileCacheTest, NothingIsKnownAtFirst) {
  EXPECT_EQ(find(), "it was not compiled before");
  ASSERT_TRUE(compile("object"));
  EXPECT_EQ(find(), "object");
}

TEST_F(CompileCacheTest, CommentsAndUnrelatedFilesCostNothing) {
  compile("object");
  disk_.add("/k/device/types.hpp", "// What they are.\n\nint   types; /* so */\n");
  disk_.add("/k/other.hpp", "int changed;");
  disk_.add("/k/new.hpp", "");
  source_text_ = "// Generated from another version.\n#include \"map.hpp\"\n#line 7 \"a.json\"\nbody();";
  EXPECT_EQ(find(), "object");
}

TEST_F(CompileCacheTest, WhatWasReadChanged) {
  compile("object");
  disk_.add("/k/device/types.hpp", "int changed;");
  EXPECT_EQ(find(), "/k/device/types.hpp changed");
  compile("second");
  EXPECT_EQ(find(), "second");
  disk_.add("/k/device/types.hpp", "int types;");
  EXPECT_EQ(find(), "object") << "both are remembered";
  disk_.remove_tree("/k/device/types.hpp");
  EXPECT_EQ(find(), "/k/device/types.hpp is gone");
}

TEST_F(CompileCacheTest, WhatItIsToldChanged) {
  compile("object");
  source_text_ += " more();";
  EXPECT_EQ(find(), "mine/a.json changed");
  source_text_ = "#include \"map.hpp\"\nbody();";
  request_.flags = "-O2";
  EXPECT_EQ(find(), "the flags changed");
  request_ = {"clang 19", "other", "-O3", ""};
  EXPECT_EQ(find(), "the device bitcode changed");
  request_ = {"clang 20", "bitcode", "-O3", ""};
  EXPECT_EQ(find(), "the compiler changed: clang 20, before clang 19");
}

TEST_F(CompileCacheTest, ABuildOfFewerFoldersFindsWhatOneOfMoreKept) {
  disk_.make_dirs("/shipped");
  disk_.add("/shipped/far.hpp", "int far;");
  read_.push_back("/shipped/far.hpp");
  compile("object");
  folders_ = {"/k"};
  EXPECT_EQ(find(), "1/far.hpp is gone");
  folders_ = {"/k", "/shipped"};
  EXPECT_EQ(find(), "object");
}

TEST_F(CompileCacheTest, AHeaderThatComesEarlierInThePath) {
  disk_.make_dirs("/shipped");
  disk_.add("/shipped/far.hpp", "int far;");
  disk_.add("/k/device/types.hpp", "#include \"far.hpp\"\n");
  read_.emplace_back("/shipped/far.hpp");
  ASSERT_TRUE(compile("object"));
  EXPECT_EQ(find(), "object");
  disk_.add("/k/device/far.hpp", "int near;");
  EXPECT_EQ(find(), "/k/device/far.hpp is there now, where a compiler looks first");
  disk_.remove_tree("/k/device/far.hpp");
  disk_.add("/k/far.hpp", "int nearer;");
  EXPECT_EQ(find(), "/k/far.hpp is there now, where a compiler looks first");
}

TEST_F(CompileCacheTest, AHeaderThatWasAskedFor) {
  disk_.add("/k/map.hpp", "#include \"device/types.hpp\"\n#if __has_include(\"extra.hpp\")\n#endif\n");
  ASSERT_TRUE(compile("object"));
  EXPECT_EQ(find(), "object");
  disk_.add("/k/extra.hpp", "");
  EXPECT_EQ(find(), "/k/extra.hpp is there now, where a compiler looks first");
  compile("with");
  disk_.remove_tree("/k/extra.hpp");
  EXPECT_EQ(find(), "object");
}

TEST_F(CompileCacheTest, AComputedIncludeRestsOnTheNamesThereAre) {
  disk_.add("/k/map.hpp", "#include \"device/types.hpp\"\n#include CONFIG\n");
  ASSERT_TRUE(compile("object"));
  EXPECT_EQ(find(), "object");
  disk_.add("/k/device/new.hpp", "");
  EXPECT_EQ(find(), "the files in the folder of kernels are others");
}

TEST_F(CompileCacheTest, SystemHeadersAreBytesAndNames) {
  disk_.add("/usr/include/math.h", "/* 1 */ double sin;");
  disk_.add("/k/map.hpp", "#include \"device/types.hpp\"\n#include <math.h>\n");
  read_.emplace_back("/usr/include/math.h");
  ASSERT_TRUE(compile("object"));
  EXPECT_EQ(find(), "object");
  disk_.add("/usr/include/tbb.h", "");
  EXPECT_EQ(find(), "the files in /usr/include/ are others");
  disk_.remove_tree("/usr/include/tbb.h");
  EXPECT_EQ(find(), "object");
  disk_.add("/k/math.h", "");
  EXPECT_EQ(find(), "/k/math.h is there now, where a compiler looks first");
  disk_.remove_tree("/k/math.h");
  disk_.add("/usr/include/math.h", "/* 2 */ double sin;");
  EXPECT_EQ(find(), "/usr/include/math.h changed");
}

TEST_F(CompileCacheTest, LinesCountWhereTheyAreNamed) {
  disk_.add("/k/device/types.hpp", "#define WHERE __LINE__\n");
  ASSERT_TRUE(compile("object"));
  EXPECT_EQ(find(), "object");
  disk_.add("/k/map.hpp", "// moved\n#include \"device/types.hpp\"\nint map;");
  EXPECT_EQ(find(), "/k/map.hpp changed");
  disk_.add("/k/map.hpp", "#include \"device/types.hpp\"\nint map;");
  EXPECT_EQ(find(), "object");
  source_text_ = "#include \"map.hpp\"\n#line 7 \"a.json\"\nbody();";
  EXPECT_EQ(find(), "lines of its source moved");
}

TEST_F(CompileCacheTest, WhatNoListTellsIsNotKept) {
  disk_.add("/k/device/types.hpp", "const char* built = __DATE__;");
  EXPECT_FALSE(compile("object"));
  EXPECT_EQ(find(), "it was not compiled before");
}

TEST_F(CompileCacheTest, AFileThatChangesWhileItIsCompiled) {
  const auto edit = [&] { disk_.add("/k/device/types.hpp", "int edited;"); };
  EXPECT_FALSE(compile("of whichever", edit));
  EXPECT_EQ(files_->unsteady(), std::set<fs::path>{"/k/device/types.hpp"});
  EXPECT_EQ(find(), "it was not compiled before");
  const auto edit_back_and_forth = [&] {
    disk_.add("/k/map.hpp", "int other;");
    disk_.add("/k/map.hpp", "#include \"device/types.hpp\"\nint map;");
  };
  EXPECT_FALSE(compile("of whichever", edit_back_and_forth));
  EXPECT_TRUE(compile("object"));
}

TEST_F(CompileCacheTest, AFileThatChangesBetweenPlanAndCompile) {
  begin();
  files_->state("0/device/types.hpp");
  disk_.add("/k/device/types.hpp", "int edited;");
  const std::int64_t start = disk_.now();
  EXPECT_FALSE(cache().reads_of(job(), "a.o: a.hip /k/map.hpp /k/device/types.hpp", start));
}

TEST_F(CompileCacheTest, AHeaderThatComesWhileItIsCompiled) {
  disk_.add("/shipped/far.hpp", "");
  disk_.add("/k/device/types.hpp", "#include \"far.hpp\"\n");
  read_.emplace_back("/shipped/far.hpp");
  EXPECT_FALSE(compile("object", [&] { disk_.add("/k/far.hpp", ""); })) << "it may have been read, or not";
}

TEST_F(CompileCacheTest, WithoutADepfileNothingIsKnown) {
  begin();
  EXPECT_FALSE(cache().reads_of(job(), "", disk_.now()));
  EXPECT_EQ(find(), "it was not compiled before");
}

TEST_F(CompileCacheTest, TheFoldersPlaceDoesNotCount) {
  compile("object");
  disk_.rename("/k", "/elsewhere");
  files_.emplace(disk_, std::vector<fs::path>{"/elsewhere", "/shipped"},
                 std::vector<fs::path>{"/usr/include"});
  EXPECT_EQ(cache().find(job()).object, "object");
}

TEST_F(CompileCacheTest, TellsHowLongTheLastCompileTook) {
  compile("object");
  source_text_ += " more();";
  begin();
  EXPECT_EQ(cache().find(job()).seconds, 2.5);
}

TEST_F(CompileCacheTest, AnObjectThatIsDamagedIsCompiledAgain) {
  compile("object");
  for (const fs::path& folder : disk_.list("/cache/objects"))
    for (const fs::path& file : disk_.list(folder)) disk_.add(file, "damaged");
  EXPECT_EQ(find(), "its object is no longer in the cache");
}

}  // namespace
}  // namespace kernelgen::tool
