// `kernel-gen export --kpack`, read back according to rocm-kpack's specification (ROCm/rocm-systems,
// shared/kpack/docs/multi_arch_packaging_with_kpack.md, section 2a), RFC 8878 and MessagePack's.
#include <gtest/gtest.h>
#include <zstd.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "base/disk.hpp"
#include "base/fault.hpp"
#include "binary/code_finder.hpp"
#include "commands/export.hpp"
#include "kernelgen/package.hpp"
#include "support/made_package.hpp"
#include "support/printed.hpp"
#include "support/temporary_folder.hpp"

namespace kernelgen::tool {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

template <class Number>
Number little_endian(const std::string& bytes, std::size_t at) {
  Number number;
  std::memcpy(&number, bytes.substr(at, sizeof number).data(), sizeof number);
  return number;
}

/// The maps, lists, texts and whole numbers of MessagePack (github.com/msgpack/msgpack, spec.md), nothing else.
class MessagePack {
 public:
  explicit MessagePack(const std::string& bytes) : bytes_(bytes) {}

  Json value() {
    const unsigned tag = number(1);
    if (tag < 0x80) return tag;
    if (tag < 0x90) return map(tag & 0x0f);
    if (tag < 0xa0) return list(tag & 0x0f);
    if (tag < 0xc0) return text(tag & 0x1f);
    switch (tag) {
      case 0xcc:
      case 0xcd:
      case 0xce:
      case 0xcf:
        return number(1u << (tag - 0xcc));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return text(number(1u << (tag - 0xd9)));
      case 0xdc:
      case 0xdd:
        return list(number(2u << (tag - 0xdc)));
      case 0xde:
      case 0xdf:
        return map(number(2u << (tag - 0xde)));
    }
    ADD_FAILURE() << "a value that begins with " << tag;
    return nullptr;
  }
  bool is_at_end() const { return at_ == bytes_.size(); }

 private:
  /// Big-endian.
  std::uint64_t number(std::size_t size) {
    std::uint64_t result = 0;
    for (; size > 0 && at_ < bytes_.size(); --size)
      result = result << 8 | static_cast<unsigned char>(bytes_[at_++]);
    EXPECT_EQ(size, 0u) << "cut off";
    return result;
  }
  Json text(std::size_t size) {
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  Json list(std::size_t size) {
    Json json = Json::array();
    for (; size > 0 && !is_at_end(); --size) json.push_back(value());
    return json;
  }
  Json map(std::size_t size) {
    Json json = Json::object();
    for (; size > 0 && !is_at_end(); --size) {
      const std::string key = value();
      json[key] = value();
    }
    return json;
  }

  const std::string& bytes_;
  std::size_t at_ = 0;
};

/// An archive as its document describes it.
struct Archive {
  explicit Archive(const std::string& bytes) {
    EXPECT_EQ(bytes.substr(0, 4), "KPAK");
    EXPECT_EQ(little_endian<std::uint32_t>(bytes, 4), 1u) << "version";
    const auto offset = little_endian<std::uint64_t>(bytes, 8);
    EXPECT_EQ(bytes.substr(16, 48), std::string(48, '\0')) << "padding to 64 bytes";
    const std::string text = bytes.substr(offset);
    MessagePack reader(text);
    contents = reader.value();
    EXPECT_TRUE(reader.is_at_end());
    EXPECT_EQ(contents["format_version"], 1);
    EXPECT_EQ(contents["compression_scheme"], "zstd-per-kernel");
    const std::size_t begin = contents["zstd_offset"], size = contents["zstd_size"];
    EXPECT_EQ(begin, 64u);
    EXPECT_EQ(begin + size, offset);
    std::size_t at = begin + 4;
    for (std::uint32_t left = little_endian<std::uint32_t>(bytes, begin); left > 0; --left) {
      const auto frame = little_endian<std::uint32_t>(bytes, at);
      objects.push_back(decoded(bytes.substr(at + 4, frame)));
      at += 4 + frame;
    }
    EXPECT_EQ(at, offset);
  }

  static std::string decoded(const std::string& frame) {
    std::string bytes(ZSTD_getFrameContentSize(frame.data(), frame.size()), '\0');
    EXPECT_EQ(ZSTD_decompress(bytes.data(), bytes.size(), frame.data(), frame.size()), bytes.size());
    return bytes;
  }
  /// What a loader that asks for a binary's first code object gets for a GPU.
  std::string find(const std::string& binary, const std::string& gpu) const {
    const Json& entry = contents.at("toc").at(binary + "#0").at(gpu);
    EXPECT_EQ(entry["type"], "hsaco");
    const std::string& bytes = objects.at(entry["ordinal"].get<std::size_t>());
    EXPECT_EQ(entry["original_size"], bytes.size());
    return bytes;
  }

  Json contents;
  std::vector<std::string> objects;
};

TEST(Kpack, HoldsEachModulesCodeAsItsSpecificationSays) {
  test::MadePackage made;
  made.manifests = {test::symbols_manifest("one", {"first", "second"}),
                    test::symbols_manifest("two", {"third"})};
  made.targets = {"gfx90a", "gfx11-generic"};
  const std::string bytes = made.bytes();
  const test::TemporaryFolder folder("kpack");
  RealDisk disk;
  ExportOptions options;
  options.package = folder.path() / "some.kgpkg";
  options.kpack = folder.path() / "out";
  disk.write_atomically(options.package, bytes);
  const std::string said =
      test::printed([&](std::FILE* out) { EXPECT_EQ(run_export(options, disk, out), 0); });
  EXPECT_TRUE(said.ends_with(": 4 code objects in 2 archives, and index.json\n")) << said;
  EXPECT_EQ(disk.list(options.kpack).size(), 3u);

  const Package package = Package::from_memory(std::as_bytes(std::span(bytes)));
  for (const std::string target : {"gfx90a", "gfx11-generic"}) {
    const Archive archive(disk.read(options.kpack / ("kernelgen-" + target + ".kpack")));
    EXPECT_EQ(archive.contents["group_name"], "kernelgen");
    EXPECT_EQ(archive.contents["gfx_arch_family"], target);
    EXPECT_EQ(archive.contents["gfx_arches"], Json::array({target}));
    EXPECT_EQ(archive.contents["toc"].size(), 2u);
    for (std::uint32_t m = 0; m < 2; ++m) {
      const PackageCode code = package.code(*package.find_target(target), m);
      EXPECT_EQ(archive.find(m == 0 ? "one" : "two", target),
                std::string(reinterpret_cast<const char*>(code.data()), code.size()));
    }
  }
  const FoundCodes found = find_code(disk.read(options.kpack / "kernelgen-gfx90a.kpack"), "file");
  ASSERT_EQ(found.codes.size(), 2u);
  EXPECT_EQ(found.codes[0].module, "one#0");
  EXPECT_EQ(found.codes[0].target, "gfx90a");
  EXPECT_EQ(found.codes[0].kernels + found.codes[1].kernels, 3u);
  EXPECT_TRUE(found.damages.empty());
  const Json index = Json::parse(disk.read(options.kpack / "index.json"));
  EXPECT_EQ(index["targets"][1]["files"][0]["file"], "kernelgen-gfx11-generic.kpack");
  EXPECT_EQ(index["targets"][1]["files"][0]["module"], "one");
}

}  // namespace
}  // namespace kernelgen::tool
