// Compressed code of packages: what is decoded and for which target; inconsistent or damaged records are refused.
#include <gtest/gtest.h>
#include <zstd.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kernelgen/package.hpp"
#include "support/expect_error.hpp"
#include "support/package_builder.hpp"
#include "support/temporary_file.hpp"

namespace kernelgen {
namespace {

using test::bytes_of;
using test::expect_error;

constexpr std::string_view origin = "hostile.kgpkg";

/// Something that compresses, but not to nothing.
std::string sample_code(std::string_view name) {
  std::mt19937 random(7);
  std::string code;
  while (code.size() < 20000) code += std::to_string(random() % 500);
  return code.append(name);
}

/// One module for four targets: stored, compressed, and two that refer to the one before.
struct Sample {
  std::vector<std::string> codes = {std::string(20000, 'a'), sample_code("b"), sample_code("c"),
                                    sample_code("d")};
  std::vector<std::byte> bytes = make();

  std::vector<std::byte> make() const {
    test::PackageBuilder builder;
    for (const char* name : {"gfx900", "gfx906", "gfx90a", "gfx942"}) builder.add_target(name, 1, 64);
    builder.add_module("module");
    builder.add_kernel("kernel", {});
    builder.add_code(0, 0, bytes_of(codes[0]));
    builder.add_compressed(1, 0, bytes_of(codes[1]));
    builder.add_compressed(2, 0, bytes_of(codes[2]), 1);
    builder.add_compressed(3, 0, bytes_of(codes[3]), 2);
    return builder.finish();
  }

  kernelgen_blob_record& blob(std::size_t index) {
    kernelgen_package_header header;
    std::memcpy(&header, bytes.data(), sizeof header);
    return reinterpret_cast<kernelgen_blob_record*>(bytes.data() + header.tables.offset +
                                                    header.blobs.offset)[index];
  }

  std::byte* stored(std::size_t index) { return bytes.data() + blob(index).offset; }

  /// Replaces what is stored of the last blob.
  void store(std::string_view frame) {
    bytes.resize(blob(3).offset);
    const auto more = bytes_of(frame);
    bytes.insert(bytes.end(), more.begin(), more.end());
    blob(3).stored_bytes = frame.size();
    blob(3).reference = KERNELGEN_NO_BLOB;
    reinterpret_cast<kernelgen_package_header*>(bytes.data())->package_bytes = bytes.size();
  }

  Package open() {
    test::reseal(bytes);
    return Package::from_memory(bytes, origin);
  }

  void refused_at_once(std::string_view what) {
    expect_error(Code::bad_package, {origin, what, "kernel-gen build"}, [&] { open(); });
  }

  /// Refused when the blob's code is read; the package itself opens.
  void refused_when_decoded(std::uint32_t index, std::string_view what) {
    const Package package = open();
    const std::string blob_name = "blob " + std::to_string(index) + ":";
    const std::initializer_list<std::string_view> parts = {origin, blob_name, what, "kernel-gen build"};
    expect_error(Code::bad_package, parts, [&] { package.code(index, 0); });
    expect_error(Code::bad_package, parts, [&] { package.kept_code(index, 0); });
    expect_error(Code::bad_package, parts, [&] { package.check_blobs(); });
  }
};

std::string text(std::span<const std::byte> code) {
  return {reinterpret_cast<const char*>(code.data()), code.size()};
}

std::string frame_of(std::string_view content, bool with_size = true) {
  std::string frame(ZSTD_compressBound(content.size()), '\0');
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, with_size ? 1 : 0);
  frame.resize(ZSTD_compress2(context, frame.data(), frame.size(), content.data(), content.size()));
  ZSTD_freeCCtx(context);
  return frame;
}

TEST(PackageCodec, DecodesThroughReferences) {
  Sample sample;
  EXPECT_LT(sample.blob(2).stored_bytes, 100u);
  const Package package = sample.open();
  package.check_blobs();
  for (std::uint32_t target = 0; target < 4; ++target) {
    const PackageCode code = package.code(target, 0);
    EXPECT_EQ(text(code), sample.codes[target]);
    EXPECT_EQ(package.code_size(target, 0), code.size());
    EXPECT_EQ(text(package.kept_code(target, 0)), sample.codes[target]);
  }
}

TEST(PackageCodec, CodeIsTheCallersAndKeptCodeThePackages) {
  Sample sample;
  PackageCode code;
  std::span<const std::byte> kept;
  {
    const Package package = sample.open();
    code = package.code(3, 0);
    EXPECT_NE(code.data(), package.code(3, 0).data());
    kept = package.kept_code(3, 0);
    EXPECT_EQ(kept.data(), package.kept_code(3, 0).data());
    EXPECT_EQ(package.code(0, 0).data(), sample.stored(0));
  }
  EXPECT_EQ(text(code), sample.codes[3]);
}

TEST(PackageCodec, ManyThreadsDecode) {
  Sample sample;
  const Package package = sample.open();
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (std::uint32_t round = 0; round < 20; ++round) {
        const PackageCode code = package.code(round % 4, 0);
        EXPECT_EQ(text(code), sample.codes[round % 4]);
        EXPECT_EQ(text(package.kept_code(round % 4, 0)), sample.codes[round % 4]);
      }
    });
}

/// A package whose tables are compressed and stored last.
struct SampleTables {
  std::vector<std::byte> bytes = test::with_compressed_tables(Sample().bytes);

  kernelgen_package_header& header() { return *reinterpret_cast<kernelgen_package_header*>(bytes.data()); }
  Package open() {
    header().package_bytes = bytes.size();
    test::reseal(bytes);
    return Package::from_memory(bytes, origin);
  }
  void refused(std::string_view what) {
    expect_error(Code::bad_package, {origin, what, "kernel-gen build"}, [&] { open(); });
  }
};

TEST(PackageCodec, TablesAreDecodedOnce) {
  const Sample sample;
  std::optional<Package> package;
  {
    SampleTables tables;
    EXPECT_LT(tables.header().tables.stored_bytes, tables.header().tables.bytes);
    const auto file = test::TemporaryFile("tables.kgpkg", (tables.open(), tables.bytes));
    package = Package::open(file.path());
  }
  EXPECT_EQ(package->text(package->kernels()[0].name), "kernel");
  EXPECT_EQ(package->find_kernel("kernel"), 0u);
  EXPECT_EQ(text(package->code(3, 0)), sample.codes[3]);
  const Package copy = *package;
  package.reset();
  EXPECT_EQ(copy.text(copy.targets()[3].name), "gfx942");
}

TEST(HostilePackage, TablesThatLie) {
  SampleTables bomb;
  bomb.header().tables.bytes = KERNELGEN_MAX_BLOB_BYTES + 1;
  bomb.refused("the tables: ");
  SampleTables larger;
  larger.header().tables.bytes += 8;
  larger.refused("the tables: its zstd frame holds");
  SampleTables outside;
  outside.header().tables.offset += 1;
  outside.refused("the tables: ");
  SampleTables cut;
  cut.header().tables.stored_bytes -= 1;
  cut.refused("the tables: its zstd frame is cut off or damaged");
  SampleTables foreign;
  std::memset(foreign.bytes.data() + foreign.header().tables.offset, 'x', 4);
  foreign.refused("the tables: its bytes are no zstd frame");
  SampleTables renamed;
  renamed.header().tables.hash_high ^= 1;
  renamed.refused("the tables: its bytes do not hash to its recorded name");
  SampleTables codec;
  codec.header().tables.codec = 2;
  codec.refused("the tables: codec 2 is not known");
  SampleTables plain;
  plain.header().tables.codec = KERNELGEN_CODEC_NONE;
  plain.refused("the tables: ");
  SampleTables referring;
  referring.header().tables.reference = 0;
  referring.refused("the tables refer to blob 0");
  SampleTables beyond;
  beyond.header().strings.offset = beyond.header().tables.bytes / 8 * 8;
  beyond.refused("is outside the tables'");
}

TEST(HostilePackage, ChangedBitsOfTables) {
  std::mt19937_64 random(20261123);
  SampleTables sample;
  const kernelgen_blob_record tables = sample.header().tables;
  for (int round = 0; round < 2000; ++round) {
    const std::size_t at = tables.offset + random() % tables.stored_bytes;
    const auto flip = static_cast<std::byte>(1u << (random() % 8));
    sample.bytes[at] ^= flip;
    try {
      EXPECT_EQ(sample.open().text(sample.open().kernels()[0].name), "kernel");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::bad_package) << error.what();
    }
    sample.bytes[at] ^= flip;
  }
}

TEST(HostilePackage, RecordsThatPromiseTooMuch) {
  Sample bomb;
  bomb.blob(1).bytes = KERNELGEN_MAX_BLOB_BYTES + 1;
  bomb.refused_at_once("(at most 67108864)");
  Sample codec;
  codec.blob(1).codec = 2;
  codec.refused_at_once("blob 1: codec 2 is not known");
  Sample stored;
  stored.blob(0).reference = 1;
  stored.refused_at_once("blob 0: it is stored as it is, but refers to blob 1");
  Sample outside;
  outside.blob(1).stored_bytes = ~std::uint64_t{0};
  outside.refused_at_once("blob 1");
  Sample plain;
  plain.blob(1).codec = KERNELGEN_CODEC_NONE;
  plain.refused_at_once("blob 1");
}

TEST(HostilePackage, ReferencesThatDoNotEnd) {
  Sample circle;
  circle.blob(1).reference = 1;
  circle.refused_at_once("blob 1: it refers to more than 2 others");
  Sample far;
  far.blob(1).reference = 0;
  far.refused_at_once("blob 3: it refers to more than 2 others");
  Sample outside;
  outside.blob(1).reference = 4;
  outside.refused_at_once("it refers to blob 4 of 4");
  Sample other;
  other.blob(3).reference = 0;
  other.refused_when_decoded(3, "");
}

TEST(HostilePackage, FramesThatLie) {
  Sample cut;
  cut.blob(3).stored_bytes -= 1;
  cut.refused_when_decoded(3, "its zstd frame is cut off or damaged");
  Sample larger;
  larger.blob(1).bytes += 1;
  larger.refused_when_decoded(1, "its zstd frame holds 20001 bytes, 20002 are recorded");
  Sample smaller;
  smaller.blob(1).bytes -= 1;
  expect_error(Code::bad_package, {"object"}, [&] { smaller.open(); });
  Sample foreign;
  std::memset(foreign.stored(1), 'x', 4);
  foreign.refused_when_decoded(1, "its bytes are no zstd frame");
  Sample renamed;
  renamed.blob(1).hash_low ^= 1;
  renamed.refused_when_decoded(1, "its bytes do not hash to its recorded name");

  const std::string frame = frame_of(sample_code("d"));
  Sample good;
  good.store(frame);
  EXPECT_EQ(text(good.open().kept_code(3, 0)), good.codes[3]);
  Sample trailing;
  trailing.store(frame + "x");
  trailing.refused_when_decoded(3, "its zstd frame ends after");
  Sample twice;
  twice.store(frame + frame);
  twice.refused_when_decoded(3, "its zstd frame ends after");
  Sample silent;
  silent.store(frame_of(sample_code("d"), false));
  silent.refused_when_decoded(3, "its zstd frame does not say its size");
  Sample empty;
  empty.store("");
  empty.refused_when_decoded(3, "its bytes are no zstd frame");
  Sample other;
  other.store(frame_of(sample_code("e")));
  other.refused_when_decoded(3, "its bytes do not hash to its recorded name");
}

TEST(HostilePackage, AFrameThatHoldsLessThanItSays) {
  Sample sample;
  std::string frame = frame_of(std::string(sample.codes[3]));
  // RFC 8878, 3.1.1.1: a single segment with a size of two bytes, which is 256 more than they say.
  ASSERT_EQ(static_cast<unsigned char>(frame[4]) >> 5, 3);
  frame[6] = static_cast<char>(frame[6] + 1);
  sample.store(frame);
  sample.blob(3).bytes += 256;
  sample.refused_when_decoded(3, "");
}

TEST(HostilePackage, ChangedBitsOfFrames) {
  const char* named = std::getenv("KERNELGEN_SEED");
  const unsigned long seed = named != nullptr ? std::strtoul(named, nullptr, 10) : 20261122;
  SCOPED_TRACE("KERNELGEN_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  Sample sample;
  for (int round = 0; round < 4000; ++round) {
    const std::uint32_t index = 1 + round % 3;
    const std::size_t at = random() % sample.blob(index).stored_bytes;
    const auto flip = static_cast<std::byte>(1u << (random() % 8));
    sample.stored(index)[at] ^= flip;
    try {
      EXPECT_EQ(text(sample.open().kept_code(index, 0)), sample.codes[index]);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::bad_package) << error.what();
    }
    sample.stored(index)[at] ^= flip;
  }
}

}  // namespace
}  // namespace kernelgen
