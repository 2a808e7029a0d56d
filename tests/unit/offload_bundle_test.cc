#include <gtest/gtest.h>
#include <llvm/Support/Compression.h>

#include <cstring>

#include "binary/bundle_writer.hpp"
#include "offload/bundle.hpp"
#include "offload/compressed_bundle.hpp"

namespace kernelgen::offload {
namespace {

using tool::compress_bundle;
using tool::write_bundle;

constexpr const char* gfx90a_id = "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+";

std::string two_entries() {
  return write_bundle({{"host-x86_64-unknown-linux-gnu-", ""}, {gfx90a_id, "the code"}});
}

/// The bytes with a number at an offset changed.
std::string with(std::string bytes, std::size_t offset, std::uint64_t number, std::size_t size = 8) {
  std::memcpy(bytes.data() + offset, &number, size);
  return bytes;
}

std::string message_of(const std::string& bytes) {
  try {
    is_compressed_bundle(bytes) ? void(decompress_bundle(bytes)) : void(read_bundle(bytes));
  } catch (const BadBundle& error) {
    return error.what();
  }
  return "read";
}

TEST(OffloadBundle, ReadsWhatIsWritten) {
  const std::string bytes = two_entries();
  const auto entries = read_bundle(bytes);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].bytes, "");
  EXPECT_EQ(entries[1].id, gfx90a_id);
  EXPECT_EQ(entries[1].bytes, "the code");
  EXPECT_EQ(entries[1].offset % 4096, 0u);
  EXPECT_EQ(bundle_size(bytes + "padding"), bytes.size());
  EXPECT_EQ(bundle_in_memory(bytes.data()), bytes);
}

TEST(OffloadBundle, TargetsOfEntries) {
  EXPECT_EQ(target_of(gfx90a_id), "gfx90a:sramecc+");
  EXPECT_EQ(target_of("hip-amdgcn-amd-amdhsa-unknown-gfx9-4-generic"), "gfx9-4-generic");
  EXPECT_EQ(target_of("hip-amdgcn-amd-amdhsa-gfx906"), "gfx906");
  EXPECT_EQ(target_of("hip-spirv64-amd-amdhsa--amdgcnspirv"), "amdgcnspirv");
  EXPECT_EQ(target_of("host-x86_64-unknown-linux-gnu-"), "");
}

TEST(OffloadBundle, DamageIsNamed) {
  const std::string bytes = two_entries();
  EXPECT_EQ(message_of("ELF"), "no offload bundle");
  EXPECT_EQ(message_of(bytes.substr(0, 30)), "offload bundle: ends in its header");
  EXPECT_EQ(message_of(with(bytes, 24, 1'000'000)),
            "offload bundle: 1000000 entries do not fit into its 4104 bytes");
  EXPECT_EQ(message_of(with(bytes, 32 + 16, ~std::uint64_t{0})),
            "offload bundle: the name of entry 0 reaches past the end, at offset 56");
  EXPECT_EQ(message_of(with(bytes, 32, ~std::uint64_t{0})),
            "offload bundle: entry 0 has 0 bytes at offset 18446744073709551615, past the end of the bundle "
            "at 4104");
  EXPECT_EQ(message_of(with(bytes, 40, 4105)),
            "offload bundle: entry 0 has 4105 bytes at offset 4096, past the end of the bundle at 4104");
  EXPECT_EQ(message_of(with(bytes.substr(0, 32 + 50), 24, 2)),
            "offload bundle: the name of entry 0 reaches past the end, at offset 56");
}

TEST(OffloadBundle, AMillionEntries) {
  std::string bytes = with(std::string(bundle_magic) + std::string(8, '\0'), bundle_magic.size(), 1'000'000);
  bytes.resize(bytes.size() + 24'000'000);
  EXPECT_EQ(read_bundle(bytes).size(), 1'000'000u);
}

TEST(CompressedBundle, EachVersionAndMethod) {
  const std::string plain = two_entries(), version_2 = compress_bundle(plain);
  EXPECT_LT(version_2.size(), plain.size() / 4);
  EXPECT_EQ(decompress_bundle(version_2 + "padding"), plain);
  EXPECT_EQ(compressed_bundle_in_memory(version_2.data()), version_2);
  const std::string frame = version_2.substr(24), hash = version_2.substr(16, 8);
  const auto number = [](std::uint64_t value, std::size_t size) {
    return std::string(reinterpret_cast<const char*>(&value), size);
  };
  const std::string version_1 = "CCOB" + number(1, 2) + number(1, 2) + number(plain.size(), 4) + hash + frame;
  EXPECT_EQ(decompress_bundle(version_1 + "padding"), plain);
  EXPECT_EQ(compressed_bundle_in_memory(version_1.data()), version_1);
  const std::string version_3 = "CCOB" + number(3, 2) + number(1, 2) + number(32 + frame.size(), 8) +
                                number(plain.size(), 8) + hash + frame;
  EXPECT_EQ(decompress_bundle(version_3), plain);
  EXPECT_EQ(compressed_bundle_in_memory(version_3.data()), version_3);

  llvm::SmallVector<std::uint8_t, 0> zlib;
  llvm::compression::zlib::compress({reinterpret_cast<const std::uint8_t*>(plain.data()), plain.size()},
                                    zlib);
  const std::string by_zlib = "CCOB" + number(2, 2) + number(0, 2) + number(24 + zlib.size(), 4) +
                              number(plain.size(), 4) + hash + std::string(zlib.begin(), zlib.end());
  EXPECT_EQ(decompress_bundle(by_zlib), plain);
}

TEST(CompressedBundle, DamageIsNamed) {
  const std::string bytes = compress_bundle(two_entries());
  EXPECT_EQ(message_of(bytes.substr(0, 20)), "compressed bundle: ends in its header");
  EXPECT_EQ(message_of(with(bytes, 4, 4, 2)), "compressed bundle: version 4 is none of 1 to 3");
  EXPECT_EQ(message_of(with(bytes, 6, 7, 2)), "compressed bundle: method 7 is neither zlib (0) nor zstd (1)");
  EXPECT_EQ(message_of(with(bytes, 8, 3, 4)),
            "compressed bundle: claims 3 bytes, there are " + std::to_string(bytes.size()));
  EXPECT_EQ(message_of(bytes.substr(0, bytes.size() - 1)),
            "compressed bundle: claims " + std::to_string(bytes.size()) + " bytes, there are " +
                std::to_string(bytes.size() - 1));
  EXPECT_EQ(message_of(with(bytes, 12, 4103, 4)).substr(0, 26), "compressed bundle: damaged");
  EXPECT_EQ(message_of(with(bytes, 12, 4105, 4)),
            "compressed bundle: holds 4104 bytes, its header claims 4105");
  EXPECT_EQ(message_of(with(bytes, 16, 1)), "compressed bundle: its bytes do not have the recorded hash");
  EXPECT_NE(message_of(with(bytes, 12, 0xffffffff, 4)).find("1024 times as many"), std::string::npos);
}

}  // namespace
}  // namespace kernelgen::offload
