#include "binary/code_finder.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "binary/bundle_writer.hpp"
#include "unit/metadata_elf.hpp"

namespace kernelgen::tool {
namespace {

using Rows = std::vector<std::string>;

std::string hsaco(const std::string& target) {
  MetadataElf elf = code_object_of({kernel_metadata("first"), kernel_metadata("second")}, target);
  return elf.bytes();
}

std::string bundle() {
  const std::string one = hsaco("gfx942"), other = hsaco("gfx90a");
  return write_bundle({{"host-x86_64-unknown-linux-gnu-", ""},
                       {"hipv4-amdgcn-amd-amdhsa--gfx942", one},
                       {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", other}});
}

/// A member of a static archive, as ar writes it.
std::string archive(const std::string& name, const std::string& member) {
  char header[61];
  std::snprintf(header, sizeof header, "%-16s%-12d%-6d%-6d%-8d%-10zu`\n", (name + "/").c_str(), 0, 0, 0, 644,
                member.size());
  return "!<arch>\n" + std::string(header, 60) + member + (member.size() % 2 == 1 ? "\n" : "");
}

Rows codes_of(const std::string& bytes) {
  Rows rows;
  for (const FoundCode& code : find_code(bytes, "file").codes)
    rows.push_back(code.target + " " + code.module + " " + std::to_string(code.kernels));
  return rows;
}

Rows damages_of(const std::string& bytes) {
  Rows rows;
  for (const Damage& damage : find_code(bytes, "file").damages)
    rows.push_back(std::to_string(damage.offset) + ": " + damage.what);
  return rows;
}

TEST(CodeFinder, FilesThatAreCodeObjects) {
  EXPECT_EQ(codes_of(hsaco("gfx942")), Rows{"gfx942 file 2"});
  EXPECT_FALSE(find_code("text", "file").is_known);
}

TEST(CodeFinder, BundlesPlainCompressedAndInEachOther) {
  const Rows both = {"gfx942 file 2", "gfx90a:xnack+ file 2"};
  EXPECT_EQ(codes_of(bundle()), both);
  EXPECT_EQ(codes_of(compress_bundle(bundle())), both);
  const std::string inner = compress_bundle(bundle());
  EXPECT_EQ(codes_of(write_bundle({{"hip-amdgcn-amd-amdhsa--gfx942", inner}})), both);
  const FoundCode packed = find_code(inner, "file").codes[1];
  EXPECT_EQ(packed.offset, 0u);
  EXPECT_EQ(packed.stored, inner.size());
}

TEST(CodeFinder, StaticArchives) {
  EXPECT_EQ(codes_of(archive("a.hipfb", bundle())), (Rows{"gfx942 a.hipfb 2", "gfx90a:xnack+ a.hipfb 2"}));
  EXPECT_EQ(damages_of("!<thin>\n"),
            Rows{"0: a thin archive, whose members are files of their own; name those"});
}

TEST(CodeFinder, WhatCannotBeReadIsNamedAndTheRestIsFound) {
  const std::string good = hsaco("gfx90a");
  const std::string mixed = write_bundle({{"hip-amdgcn-amd-amdhsa--gfx942",
                                           "BC\xc0\xde"
                                           "code"},
                                          {"hip-amdgcn-amd-amdhsa--gfx906", "nothing"},
                                          {"hip-amdgcn-amd-amdhsa--gfx90a", good}});
  EXPECT_EQ(codes_of(mixed), Rows{"gfx90a file 2"});
  EXPECT_EQ(damages_of(mixed),
            (Rows{"4096: LLVM bitcode, which a linker makes code of; not read",
                  "8192: the entry 'hip-amdgcn-amd-amdhsa--gfx906' is not a code object"}));
  std::string damaged = compress_bundle(bundle());
  damaged[16] ^= 1;
  EXPECT_EQ(damages_of(damaged), Rows{"0: compressed bundle: its bytes do not have the recorded hash"});
  EXPECT_EQ(damages_of(compress_bundle(compress_bundle(bundle()))),
            Rows{"0: a compressed bundle inside of packed code; not read"});
}

/// A bundle whose only entry is the bundle itself.
std::string endless_bundle() {
  std::string bytes = write_bundle({{"hip-amdgcn-amd-amdhsa--gfx942", "code"}});
  const std::uint64_t range[2] = {0, bytes.size()};
  std::memcpy(bytes.data() + 32, range, sizeof range);
  return bytes;
}

TEST(CodeFinder, CyclesAndOverlapsEnd) {
  EXPECT_EQ(damages_of(endless_bundle()), Rows{"0: nested too deeply"});
  std::string twice = write_bundle(
      {{"hip-amdgcn-amd-amdhsa--gfx942", hsaco("gfx942")}, {"hip-amdgcn-amd-amdhsa--gfx90a", ""}});
  const std::uint64_t range[2] = {0, twice.size()};
  std::memcpy(twice.data() + 32, range, sizeof range);
  std::memcpy(twice.data() + 32 + 24 + std::strlen("hip-amdgcn-amd-amdhsa--gfx942"), range, sizeof range);
  EXPECT_EQ(damages_of(twice), Rows{"0: offload bundle: its entries overlap"});
}

std::string unpacked(const std::string& block, std::uint64_t bytes) {
  try {
    return unpack(PackedAs::lz4, block, bytes);
  } catch (const BadCodeObject& error) {
    return error.what();
  }
}

TEST(PackedBytes, Lz4) {
  // Four literals, a match of eight that overlaps what it makes, a literal.
  const std::string block(
      "\x44"
      "abcd"
      "\x04\x00"
      "\x10"
      "e",
      9);
  EXPECT_EQ(unpacked(block, 13), "abcdabcdabcde");
  EXPECT_EQ(unpacked(block, 12), "LZ4 block: holds more than the 12 bytes that are recorded");
  EXPECT_EQ(unpacked(block, 14), "LZ4 block: holds 13 bytes, 14 are recorded");
  EXPECT_EQ(unpacked(std::string("\x44"
                                 "abcd"
                                 "\x05\x00",
                                 7),
                     13),
            "LZ4 block: a match begins before its first byte");
  EXPECT_EQ(unpacked("\xf0", 13), "LZ4 block: ends in the middle of a sequence");
  EXPECT_NE(unpacked(block, 1 << 20).find("1024 times as many"), std::string::npos);
}

/// A CUDA fat binary with one entry of PTX.
std::string cuda_fatbin(std::uint16_t kind, const std::string& text) {
  std::string bytes(16 + 64, '\0');
  const auto put = [&](std::size_t offset, auto number) {
    std::memcpy(bytes.data() + offset, &number, sizeof number);
  };
  put(0, std::uint32_t{0xba55ed50});
  put(4, std::uint16_t{1});
  put(6, std::uint16_t{16});
  put(8, std::uint64_t{64 + text.size()});
  put(16, kind);
  put(20, std::uint32_t{64});
  put(24, std::uint64_t{text.size()});
  put(44, std::uint32_t{80});
  return bytes + text;
}

TEST(CodeFinder, CudaFatBinaries) {
  const std::string ptx =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(\n)\n{\nret;\n}\n";
  EXPECT_EQ(codes_of(cuda_fatbin(1, ptx)), Rows{"compute_80 entry0 1"});
  EXPECT_EQ(damages_of(cuda_fatbin(64, ptx)),
            Rows{"16: CUDA fat binary: an entry of kind 64 is neither cubin nor PTX"});
  EXPECT_EQ(damages_of(cuda_fatbin(1, ptx).substr(0, 90)),
            Rows{"0: neither a CUDA fat binary nor padding; what follows is not read"});
}

TEST(CodeFinder, OlderCodeObjects) {
  MetadataElf elf = code_object_of({kernel_metadata("first")}, "");
  elf.abi_version = 1;
  elf.flags = 0x02f | 0x100;  // gfx906 with xnack
  EXPECT_EQ(codes_of(elf.bytes()), Rows{"gfx906:xnack+ file 1"});
  elf.flags = 0x100;
  EXPECT_EQ(damages_of(elf.bytes()), Rows{"0: ELF header: machine 0x0 is no GPU of code object version 3"});
  elf.abi_version = 0;
  EXPECT_EQ(damages_of(elf.bytes()),
            Rows{"0: no NT_AMD_HSA_ISA_VERSION note, which names the GPU in code objects of version 2"});
}

}  // namespace
}  // namespace kernelgen::tool
