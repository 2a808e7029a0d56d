// Compression of code for a package: which object refers to which, independent of threads and cache.
#include "build/packing.hpp"

#include <gtest/gtest.h>

#include <random>

#include "build/references.hpp"
#include "kernelgen/package_format.h"
#include "support/memory_disk.hpp"

namespace kernelgen::tool {
namespace {

/// Bytes that compress little.
std::string noise(unsigned seed, std::size_t bytes = 30000) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < bytes) text += static_cast<char>(random() % 64);
  return text;
}

/// Code of two groups: relatives of one another in the first, a stranger in the second.
struct Objects {
  std::vector<std::string> codes = {noise(1),       noise(1) + "b", noise(2),
                                    noise(2) + "d", noise(1),       noise(3, 8)};
  std::vector<Blob> blobs;

  Objects() {
    for (std::size_t i = 0; i < codes.size(); ++i)
      blobs.push_back({codes[i], hash128(codes[i]), i < 4 ? 0u : 1u});
  }
};

bool same(const std::vector<PackedBlob>& a, const std::vector<PackedBlob>& b) {
  return std::ranges::equal(a, b, [](const PackedBlob& x, const PackedBlob& y) {
    return x.codec == y.codec && x.reference == y.reference && x.bytes == y.bytes;
  });
}

TEST(Packing, Parse) {
  EXPECT_EQ(Packing::parse("none")->level, std::nullopt);
  EXPECT_EQ(Packing::parse("zstd")->level, Packing().level);
  EXPECT_EQ(Packing::parse("zstd:3")->level, 3);
  EXPECT_EQ(Packing::parse("zstd:22")->level, 22);
  for (const char* text :
       {"", "gzip", "zstd:", "zstd:0", "zstd:23", "zstd:-1", "zstd:3x", "zstd 3", "NONE", "solids", "solid:"})
    EXPECT_FALSE(Packing::parse(text)) << text;
  EXPECT_EQ(Packing::parse("solid")->text(), "solid:19");
  for (const char* text : {"none", "zstd:3", "zstd:19", "solid:3"})
    EXPECT_EQ(Packing::parse(text)->text(), text);
  EXPECT_EQ(Packing::parse("none")->spell(), "none");
  EXPECT_TRUE(Packing().spell().starts_with("zstd:19 ("));
}

TEST(Packing, CodeRefersToRelativesOfItsGroup) {
  const Objects objects;
  const std::vector<PackedBlob> packed = pack(objects.blobs, {});
  ASSERT_EQ(packed.size(), objects.blobs.size());
  for (const auto& [one, other] : {std::pair<std::uint32_t, std::uint32_t>{0, 1}, {2, 3}}) {
    const bool forward = packed[one].reference == other;
    const std::uint32_t from = forward ? one : other, to = forward ? other : one;
    EXPECT_EQ(packed[from].reference, to);
    EXPECT_EQ(packed[to].reference, KERNELGEN_NO_BLOB);
    EXPECT_LT(packed[from].bytes.size(), 100u);
  }
  EXPECT_EQ(packed[4].reference, KERNELGEN_NO_BLOB);
  EXPECT_EQ(packed[4].codec, static_cast<std::uint32_t>(KERNELGEN_CODEC_ZSTD));
  // Eight bytes do not become fewer.
  EXPECT_EQ(packed[5].codec, static_cast<std::uint32_t>(KERNELGEN_CODEC_NONE));
  EXPECT_TRUE(packed[5].bytes.empty());
}

TEST(Packing, NoneStoresEverything) {
  const Objects objects;
  for (const PackedBlob& blob : pack(objects.blobs, *Packing::parse("none"))) {
    EXPECT_EQ(blob.codec, static_cast<std::uint32_t>(KERNELGEN_CODEC_NONE));
    EXPECT_EQ(blob.reference, KERNELGEN_NO_BLOB);
  }
}

TEST(Packing, ThreadsAndTheCacheDoNotShow) {
  const Objects objects;
  const std::vector<PackedBlob> alone = pack(objects.blobs, {});
  MemoryDisk disk;
  Cache cache(disk, "/cache");
  Packing cached;
  cached.cache = &cache;
  cached.jobs = 3;
  EXPECT_TRUE(same(pack(objects.blobs, cached), alone));
  EXPECT_FALSE(disk.list("/cache/blobs").empty());
  EXPECT_TRUE(same(pack(objects.blobs, cached), alone));
  Packing lower = cached;
  lower.level = 1;
  EXPECT_FALSE(same(pack(objects.blobs, lower), alone));
}

TEST(References, ChainsAreShort) {
  // Each has most in common with the one before it.
  std::vector<std::string> codes;
  std::string window;
  for (unsigned i = 0; i < 12; ++i) {
    window += noise(100 + i, 4000);
    codes.push_back(window.size() > 16000 ? window.substr(window.size() - 16000) : window);
  }
  const std::vector<std::string_view> objects(codes.begin(), codes.end());
  const std::vector<std::uint32_t> references = choose_references(objects);
  std::size_t referring = 0;
  for (std::size_t i = 0; i < references.size(); ++i) {
    std::uint32_t steps = 0;
    for (std::uint32_t next = references[i]; next != KERNELGEN_NO_BLOB; next = references[next]) {
      ASSERT_LT(next, references.size());
      ASSERT_LE(++steps, KERNELGEN_MAX_REFERENCES);
    }
    referring += steps != 0;
  }
  EXPECT_GE(referring, 7u);
  EXPECT_TRUE(choose_references({}).empty());
}

}  // namespace
}  // namespace kernelgen::tool
