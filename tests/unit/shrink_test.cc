#include "binary/shrink.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "binary/bundle_writer.hpp"
#include "binary/code_finder.hpp"
#include "code_object/code_object.hpp"
#include "support/host_program.hpp"
#include "unit/metadata_elf.hpp"

namespace kernelgen::tool {
namespace {

/// Random bytes, which do not compress, of several pages.
std::string code(const std::string& target) {
  std::string bytes = code_object_of({kernel_metadata("first")}, target).bytes();
  std::uint32_t state = 1;
  for (int i = 0; i < 20'000; ++i) bytes += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

std::string bundle() {
  const std::string one = code("gfx90a"), other = code("gfx942"), third = code("gfx1100");
  return write_bundle({{"host-x86_64-unknown-linux-gnu-", ""},
                       {"hipv4-amdgcn-amd-amdhsa--gfx90a", one},
                       {"hipv4-amdgcn-amd-amdhsa--gfx942", other},
                       {"hipv4-amdgcn-amd-amdhsa--gfx1100", third}});
}

ShrinkOptions keep(std::string_view target, bool compress = false) {
  return {[target](std::string_view one) { return one == target; }, compress};
}

std::vector<std::string> targets_of(const std::string& bytes) {
  std::vector<std::string> targets;
  const FoundCodes found = find_code(bytes, "file");
  EXPECT_TRUE(found.damages.empty());
  for (const FoundCode& one : found.codes) targets.push_back(one.target);
  return targets;
}

std::string refusal(const std::string& bytes, const ShrinkOptions& options) {
  try {
    shrink(bytes, options);
  } catch (const CannotShrink& error) {
    return error.what();
  }
  return "shrunk";
}

template <class T>
T at(const std::string& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// The bytes at an address, as a loader maps the file.
std::string mapped(const std::string& bytes, std::uint64_t address, std::size_t size) {
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto segment = at<Elf64_Phdr>(bytes, header.e_phoff + i * sizeof(Elf64_Phdr));
    EXPECT_EQ(segment.p_offset % 4096, segment.p_vaddr % 4096);
    if (address >= segment.p_vaddr && address + size <= segment.p_vaddr + segment.p_filesz)
      return bytes.substr(segment.p_offset + (address - segment.p_vaddr), size);
  }
  return "not mapped";
}

TEST(Shrink, BundlesPlainAndCompressed) {
  const std::string plain = shrink(bundle(), keep("gfx942"));
  EXPECT_EQ(targets_of(plain), std::vector<std::string>{"gfx942"});
  EXPECT_LT(plain.size(), bundle().size() - 20'000);
  const std::string packed = shrink(compress_bundle(bundle()), keep("gfx942"));
  EXPECT_EQ(targets_of(packed), std::vector<std::string>{"gfx942"});
  EXPECT_TRUE(packed.starts_with("CCOB"));
  EXPECT_TRUE(shrink(bundle(), keep("gfx942", true)).starts_with("CCOB"));
}

TEST(Shrink, PaddingIsNotCompressedBeyondWhatReadersAccept) {
  const std::string object = code_object_of({kernel_metadata("first")}, "gfx942").bytes();
  const std::string padded =
      write_bundle({{"hipv4-amdgcn-amd-amdhsa--gfx942", object + std::string(8 << 20, '\0')}});
  const std::string left = shrink(padded, keep("gfx942", true));
  EXPECT_EQ(targets_of(left), std::vector<std::string>{"gfx942"});
  EXPECT_FALSE(left.starts_with("CCOB"));
}

TEST(Shrink, LibrariesKeepWhatFollowsAtItsAddress) {
  const std::string before = host_program(bundle()), after = shrink(before, keep("gfx942"));
  EXPECT_EQ(targets_of(after), std::vector<std::string>{"gfx942"});
  EXPECT_LT(after.size(), before.size() - 16'000);
  const std::uint64_t rodata = 4096 + bundle().size();
  EXPECT_EQ(mapped(before, rodata, 14), "after the code");
  EXPECT_EQ(mapped(after, rodata, 14), "after the code");
  EXPECT_EQ(mapped(after, 4096, 24), "__CLANG_OFFLOAD_BUNDLE__");
}

TEST(Shrink, OnceMore) {
  const std::string once =
      shrink(host_program(bundle()), {[](std::string_view target) { return target != "gfx90a"; }, false});
  EXPECT_EQ(targets_of(once), (std::vector<std::string>{"gfx942", "gfx1100"}));
  const std::string twice = shrink(once, keep("gfx942"));
  EXPECT_EQ(targets_of(twice), std::vector<std::string>{"gfx942"});
  EXPECT_LT(twice.size(), once.size() - 16'000);
  EXPECT_EQ(mapped(twice, 4096 + bundle().size(), 14), "after the code");
}

TEST(Shrink, PointersMoveWithTheirBundles) {
  const std::string second = bundle(), first = bundle() + std::string(4096 - bundle().size() % 4096, '\0');
  std::string before = host_program(first + second);
  // The wrapper registers the second bundle only.
  const std::size_t rela = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr);
  EXPECT_EQ(
      refusal(before, keep("gfx942")),
      fmt::format("the bundle at offset {:#x} of .hip_fatbin is registered by no wrapper", first.size()));
  auto relocation = at<Elf64_Rela>(before, rela);
  relocation.r_addend = static_cast<Elf64_Sxword>(4096 + first.size() + 8);
  std::memcpy(before.data() + rela, &relocation, sizeof relocation);
  EXPECT_EQ(refusal(before, keep("gfx942")),
            fmt::format("something points into a bundle, to address {:#x}", relocation.r_addend));
}

TEST(Shrink, WhatCouldBreakIsRefused) {
  EXPECT_EQ(refusal("text", keep("gfx942")), "neither an ELF file nor an offload bundle");
  EXPECT_EQ(refusal(code("gfx942").substr(0, 2000), keep("gfx942")).substr(0, 6), "it has");
  EXPECT_EQ(refusal(host_program(bundle()) + "signature", keep("gfx942")),
            "9 bytes after its last section, such as a signature, would move");
  EXPECT_EQ(refusal(host_program(bundle() + "unknown"), keep("gfx942")).substr(0, 18), ".hip_fatbin: offse");
  EXPECT_EQ(refusal(host_program(shrink(bundle(), keep("gfx942"))), keep("gfx942")),
            "nothing would be saved");
}

TEST(Shrink, RefusesBundlesInATable) {
  std::string file = host_program(bundle());
  const std::size_t section = at<Elf64_Ehdr>(file, 0).e_shoff + 2 * sizeof(Elf64_Shdr);
  const std::uint32_t symbols = SHT_SYMTAB;
  std::memcpy(file.data() + section + offsetof(Elf64_Shdr, sh_type), &symbols, sizeof symbols);
  EXPECT_EQ(refusal(file, keep("gfx90a")), "its .hip_fatbin is a section of type 0x2, not of bytes (1)");
}

TEST(Shrink, RefusesWhatOverlapsTheBundles) {
  const std::string file = host_program(bundle());
  const auto header = at<Elf64_Ehdr>(file, 0);
  const auto section = [&](std::size_t index) { return header.e_shoff + index * sizeof(Elf64_Shdr); };
  const auto put = [](std::string& bytes, std::size_t offset, std::uint64_t value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
  };
  std::string inside = file;
  put(inside, section(3) + offsetof(Elf64_Shdr, sh_offset), at<Elf64_Shdr>(file, section(3)).sh_offset - 100);
  EXPECT_EQ(refusal(inside, keep("gfx90a")), "section 3 overlaps .hip_fatbin");

  // The table of sections, in the first code object.
  std::string table = file;
  const auto names = at<Elf64_Shdr>(file, section(5));
  const std::size_t place = at<Elf64_Shdr>(file, section(2)).sh_offset + 8192;
  table.replace(place, 6 * sizeof(Elf64_Shdr), file, header.e_shoff, 6 * sizeof(Elf64_Shdr));
  table.resize(names.sh_offset + names.sh_size);
  put(table, offsetof(Elf64_Ehdr, e_shoff), place);
  EXPECT_EQ(refusal(table, keep("gfx90a")), "the table of sections overlaps .hip_fatbin");
}

}  // namespace
}  // namespace kernelgen::tool
