// `kernel-gen inspect --annotate`: every byte of a package has exactly one name.
#include <gtest/gtest.h>
#include <xxhash.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "commands/inspect_annotate.hpp"
#include "support/made_package.hpp"
#include "support/printed.hpp"
#include "support/temporary_file.hpp"

namespace kernelgen::tool {
namespace {

class Annotate : public testing::Test {
 protected:
  Annotate() {
    made_.manifests = {test::symbols_manifest("one", {"first", "second"}),
                       test::symbols_manifest("two", {"third"})};
    made_.targets = {"gfx90a", "gfx942"};
    made_.is_compressed = false;
  }

  static Package open(const std::string& bytes) {
    return Package::from_memory(std::as_bytes(std::span(bytes)));
  }

  /// What names each byte; fails where one has none or two.
  static std::vector<ByteRange> ranges_of(const std::string& bytes) {
    std::vector<ByteRange> ranges = annotate(open(bytes));
    std::uint64_t at = 0;
    for (const ByteRange& range : ranges) {
      EXPECT_EQ(range.offset, at) << range.what;
      EXPECT_GT(range.bytes, 0u) << range.what;
      EXPECT_FALSE(range.what.empty());
      at = range.offset + range.bytes;
    }
    EXPECT_EQ(at, bytes.size());
    return ranges;
  }
  static std::size_t count(const std::vector<ByteRange>& ranges, std::string_view what) {
    return static_cast<std::size_t>(std::ranges::count_if(
        ranges, [&](const ByteRange& range) { return range.what.find(what) != std::string::npos; }));
  }
  /// As if a writer had meant it so.
  static void sign(std::string& bytes) {
    kernelgen_package_header header;
    std::memcpy(&header, bytes.data(), sizeof header);
    header.package_bytes = bytes.size();
    header.hash = XXH3_64bits(bytes.data() + sizeof header, bytes.size() - sizeof header);
    std::memcpy(bytes.data(), &header, sizeof header);
  }

  test::MadePackage made_;
};

TEST_F(Annotate, NamesEveryByteOnce) {
  const std::string bytes = made_.bytes();
  const std::vector<ByteRange> ranges = ranges_of(bytes);
  EXPECT_EQ(count(ranges, "bytes of nothing"), 0u);
  EXPECT_EQ(count(ranges, "begins before"), 0u);
  EXPECT_EQ(count(ranges, "header: where in them "), 17u);
  EXPECT_EQ(ranges[0].what, "header: magic");
  for (const char* name :
       {"target 1: gfx942", "module 0: one, 2 kernels from kernel 0", "kernel 2: third, of module two",
        "resources of second for gfx942", "object of two for gfx90a", "record of blob 0", "string 'first'",
        "provenance (JSON)", "perfect hash of the kernels' names: displacements"})
    EXPECT_EQ(count(ranges, name), 1u) << name;
  EXPECT_GE(count(ranges, "blob 0: "), 1u);
  EXPECT_GE(count(ranges, "padding to "), 1u);
  // What a range says is what is there.
  for (const ByteRange& range : ranges)
    if (range.what.starts_with("string '")) {
      EXPECT_EQ(range.what, "string '" + bytes.substr(range.offset, range.bytes - 1) + "'");
    }
}

TEST_F(Annotate, CompressedTablesAreOneRange) {
  made_.is_compressed = true;
  const std::vector<ByteRange> ranges = ranges_of(made_.bytes());
  EXPECT_EQ(count(ranges, "bytes of nothing"), 0u);
  EXPECT_EQ(count(ranges, "all tables (Zstandard of "), 1u);
  EXPECT_EQ(count(ranges, "two for gfx942"), 1u) << "of the blob";
}

TEST_F(Annotate, SaysWhatNothingAccountsFor) {
  std::string bytes = made_.bytes();
  const std::size_t end = bytes.size();
  bytes += "smuggled";
  sign(bytes);
  const std::vector<ByteRange> ranges = ranges_of(bytes);
  EXPECT_EQ(ranges.back().offset, end);
  EXPECT_EQ(ranges.back().bytes, 8u);
  EXPECT_EQ(ranges.back().what, "bytes of nothing");
  // Zeros that no alignment asks for are nothing too.
  bytes = made_.bytes() + std::string(5000, '\0');
  sign(bytes);
  EXPECT_EQ(ranges_of(bytes).back().what, "bytes of nothing");
}

TEST_F(Annotate, SaysWhatLiesOverSomethingElse) {
  std::string bytes = made_.bytes();
  kernelgen_package_header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.provenance.offset = header.strings.offset;
  header.provenance.count = 1;
  std::memcpy(bytes.data(), &header, sizeof header);
  sign(bytes);
  EXPECT_EQ(count(annotate(open(bytes)), "(begins before the range above has ended)"), 1u);
}

TEST_F(Annotate, PrintsATableAndJson) {
  const std::string bytes = made_.bytes();
  const test::TemporaryFile file("some.kgpkg", std::as_bytes(std::span(bytes)));
  InspectOptions options;
  options.file = file.path();
  const RealDisk disk;
  const std::string text =
      test::printed([&](std::FILE* out) { EXPECT_EQ(run_inspect_annotate(options, disk, out), 0); });
  EXPECT_TRUE(text.starts_with("offset")) << text.substr(0, 200);
  EXPECT_NE(text.find("0x8"), std::string::npos);
  options.json = true;
  const auto json = nlohmann::json::parse(
      test::printed([&](std::FILE* out) { EXPECT_EQ(run_inspect_annotate(options, disk, out), 0); }));
  EXPECT_EQ(json.size(), annotate(open(bytes)).size());
  EXPECT_EQ(json[0], (nlohmann::json{{"offset", 0}, {"bytes", 8}, {"what", "header: magic"}}));
}

}  // namespace
}  // namespace kernelgen::tool
