// Sources compiled at run time on the CPU, and the cache of the results on disk.
#include <algorithm>
#include <cstdlib>

#include <sys/stat.h>

#include "common/cache_folder.hpp"
#include "compile_fixture.hpp"
#include "support/expect_error.hpp"

namespace kernelgen {
namespace {

namespace fs = std::filesystem;

using test::CountedClang;
using test::expect_error;
using test::read_text;
using test::twice;
using test::with_factor;
using test::write_text;

class Compile : public test::Compiling {};

struct TwiceArguments {
  void* x;
  std::uint64_t n;
};

std::vector<float> run_twice(const Device& device, const Module& module) {
  const float one[] = {1, -2, 3};
  const Tensor x = Tensor::from_host(device, std::as_bytes(std::span(one)), {3}, DType::f32);
  const TwiceArguments arguments{x.data(), 3};
  device.launch(module.function("twice"), {{2, 1, 1}, {64, 1, 1}, 0},
                std::as_bytes(std::span(&arguments, 1)));
  std::vector<float> all(3);
  std::memcpy(all.data(), x.to_host().data(), sizeof one);
  return all;
}

TEST_F(Compile, MakesKernelsOfASource) {
  const Device device = cpu();
  const Module module = device.compile(twice, with_factor("2"));
  EXPECT_EQ(run_twice(device, module), (std::vector<float>{2, -4, 6}));
  EXPECT_EQ(module.log(), "");
  expect_error(Code::not_found, {"module twice.cu on cpu:2 has no kernel thrice"},
               [&] { module.function("thrice"); });
}

TEST_F(Compile, HandsTheCompilersWordsBack) {
  const Device device = cpu();
  expect_error(Code::invalid_argument,
               {"cannot compile twice.cu for x86-64", "twice.cu:4:", "undeclared identifier 'FACTOR'"}, [&] {
                 CompileOptions options;
                 options.name = "twice.cu";
                 device.compile(twice, options);
               });
  // Headers are called as sources include them, wherever the compiler found them.
  expect_error(Code::invalid_argument, {"\nelementwise/activation.hpp:"}, [&] {
    device.compile("#include \"elementwise/activation.hpp\"\nfloat f(float x) { return kg::sigmoyd(x); }");
  });
  const Module module = device.compile("#warning said\n", {});
  EXPECT_NE(module.log().find("source:1:2: warning: said"), std::string::npos) << module.log();
  // What is found on disk says it again.
  EXPECT_EQ(starts_of([&] { EXPECT_EQ(device.compile("#warning said\n", {}).log(), module.log()); }), 0);
}

TEST_F(Compile, RefusesWhatIsNoSource) {
  const Device device = cpu();
  for (const char* name : {"", "a\"b", "a\nb", "a\\b"}) {
    CompileOptions options;
    options.name = name;
    expect_error(Code::invalid_argument, {"the name of a source must not be empty"},
                 [&] { device.compile("", options); });
  }
  expect_error(Code::invalid_argument, {"has a zero in it"},
               [&] { device.compile(std::string_view("int a;\0", 7)); });
}

TEST_F(Compile, FindsOnDiskWhatWasCompiledBefore) {
  const Device device = cpu();
  const auto compile = [&](const char* factor) {
    EXPECT_EQ(run_twice(device, device.compile(twice, with_factor(factor)))[0], std::atof(factor));
  };
  EXPECT_EQ(starts_of([&] { compile("2"); }), 1);
  EXPECT_EQ(starts_of([&] { compile("2"); }), 0);
  EXPECT_EQ(starts_of([&] { compile("3"); }), 1);
  ASSERT_EQ(entries().size(), 2u);
  EXPECT_EQ(entries()[0].parent_path().parent_path(), cache_.path() / "modules");
}

TEST_F(Compile, CompilesAnewWhereTheEntryIsNotWhatItWas) {
  const Device device = cpu();
  const auto compile = [&] { run_twice(device, device.compile(twice, with_factor("2"))); };
  compile();
  const fs::path entry = entries().at(0);
  const std::string whole = read_text(entry);
  for (const std::size_t at : {std::size_t{0}, std::size_t{20}, std::size_t{60}, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    write_text(entry, damaged);
    EXPECT_EQ(starts_of(compile), 1) << "byte " << at;
  }
  for (const std::size_t kept : {std::size_t{0}, std::size_t{30}, whole.size() - 1}) {
    write_text(entry, whole.substr(0, kept));
    EXPECT_EQ(starts_of(compile), 1) << kept << " bytes";
  }
  fs::last_write_time(CountedClang::instance().clang(),
                      fs::last_write_time(CountedClang::instance().clang()) + std::chrono::seconds(1));
  EXPECT_EQ(starts_of(compile), 1);
  EXPECT_EQ(starts_of(compile), 0);
}

TEST_F(Compile, RunsNothingThatOthersMayHaveWritten) {
  const Device device = cpu();
  const auto compile = [&] { run_twice(device, device.compile(twice, with_factor("2"))); };
  const mode_t before = ::umask(0);
  compile();
  ::umask(before);
  const fs::path entry = entries().at(0), tag = cache_.path() / "CACHEDIR.TAG";
  EXPECT_EQ(read_text(tag), cache_tag);
  for (const fs::path& path : {tag, entry, entry.parent_path(), entry.parent_path().parent_path()})
    EXPECT_TRUE(is_trusted(path)) << path;
  EXPECT_EQ(starts_of(compile), 0);

  // Folders below the cache's are this program's own, and closed again.
  for (const fs::path& path : {entry, entry.parent_path(), entry.parent_path().parent_path()}) {
    fs::permissions(path, fs::perms::group_write, fs::perm_options::add);
    EXPECT_EQ(starts_of(compile), 1) << path;
    EXPECT_EQ(starts_of(compile), 0) << path;
  }
  fs::permissions(cache_.path(), fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(starts_of(compile), 1);
  EXPECT_EQ(starts_of(compile), 1) << "it may be anybody's";
}

TEST_F(Compile, MarksNoFolderThatHoldsSomethingElse) {
  write_text(cache_.path() / "thesis.txt", "mine");
  run_twice(cpu(), cpu().compile(twice, with_factor("2")));
  EXPECT_FALSE(fs::exists(cache_.path() / "CACHEDIR.TAG"));
}

TEST_F(Compile, DoesWithoutACache) {
  const Device device = cpu();
  CompileOptions options = with_factor("2");
  options.is_cached = false;
  EXPECT_EQ(starts_of([&] { device.compile(twice, options); }), 1);
  EXPECT_EQ(starts_of([&] { device.compile(twice, options); }), 1);
  EXPECT_TRUE(entries().empty());
  // A file is in the folder's place.
  ::setenv("KERNELGEN_CACHE", (cache_.path() / "file").c_str(), 1);
  write_text(cache_.path() / "file", "");
  EXPECT_EQ(starts_of([&] { device.compile(twice, with_factor("2")); }), 1);
}

TEST_F(Compile, LeavesNothingInTheTemporaryFolder) {
  const test::TemporaryFolder folder("tmp");
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  cpu().compile(twice, with_factor("2"));
  expect_error(Code::invalid_argument, {"error"}, [] { cpu().compile("no source"); });
  EXPECT_TRUE(fs::is_empty(folder.path()));
  ::setenv("TMPDIR", (folder.path() / "none").c_str(), 1);
  expect_error(Code::io, {"cannot make a folder", "TMPDIR"}, [] { cpu().compile("int a;"); });
  ::unsetenv("TMPDIR");
}

}  // namespace
}  // namespace kernelgen
