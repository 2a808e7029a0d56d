#include "code_object/code_object.hpp"

#include <gtest/gtest.h>

#include "metadata_elf.hpp"

namespace kernelgen::tool {
namespace {

/// Why the bytes are refused; empty when they are not.
std::string refusal(const std::string& bytes) {
  try {
    read_code_object(bytes);
    return "";
  } catch (const BadCodeObject& error) {
    return error.what();
  }
}

TEST(Hsaco, ReadsEverythingTheBuildChecks) {
  const CodeObject object =
      read_code_object(code_object_of({kernel_metadata("b"), kernel_metadata("a")}).bytes());
  EXPECT_EQ(object.kind, CodeKind::hsaco);
  EXPECT_EQ(object.processor, "gfx942");
  EXPECT_EQ(object.code_object_version, 5);
  ASSERT_EQ(object.kernels.size(), 2u);
  const CodeKernel& kernel = object.kernels.front();
  EXPECT_EQ(kernel.name, "a");
  EXPECT_EQ(kernel.vgprs, 12u);
  EXPECT_EQ(kernel.agprs, 4u);
  EXPECT_EQ(kernel.sgprs, 20u);
  EXPECT_EQ(kernel.lds_bytes, 256u);
  EXPECT_EQ(kernel.kernarg_bytes, 24u);
  EXPECT_EQ(kernel.wave_size, 64u);
  EXPECT_EQ(kernel.max_block, 256u);
  ASSERT_EQ(kernel.arguments.size(), 2u);
  EXPECT_EQ(kernel.arguments[0].value_kind, "global_buffer");
  EXPECT_EQ(kernel.arguments[1].offset, 8u);
  ASSERT_EQ(kernel.hidden_arguments.size(), 1u);
  EXPECT_EQ(kernel.hidden_arguments[0].value_kind, "hidden_block_count_x");
}

TEST(Hsaco, ReadsEachVersionsHeader) {
  struct Case {
    std::uint8_t abi_version;
    std::uint32_t flags;
    int version;
    std::string target_id;
  };
  const Case cases[] = {
      {2, 0x03f | 0x100 | 0x400, 4, "gfx90a"},
      {2, 0x03f | 0x300 | 0x800, 4, "gfx90a:sramecc-:xnack+"},
      {3, 0x04c | 0x200 | 0xc00, 5, "gfx942:sramecc+:xnack-"},
      {4, 0x054 | 0x01000000, 6, "gfx11-generic"},
  };
  for (const Case& c : cases) {
    MetadataElf elf = code_object_of({kernel_metadata("k")}, c.target_id);
    elf.abi_version = c.abi_version;
    elf.flags = c.flags;
    const CodeObject object = read_code_object(elf.bytes());
    EXPECT_EQ(object.code_object_version, c.version);
    EXPECT_EQ(object.target_id, c.target_id);
    EXPECT_EQ(object.flags, c.flags);
    EXPECT_EQ(object.machine, c.flags & 0xff);
  }
}

TEST(Hsaco, RefusesWhatItIsNot) {
  EXPECT_EQ(refusal(""), "neither an ELF file nor PTX");
  EXPECT_EQ(refusal("hello"), "neither an ELF file nor PTX");
  MetadataElf elf = code_object_of({kernel_metadata("k")});
  elf.abi_version = 0;
  EXPECT_EQ(refusal(elf.bytes()),
            "no NT_AMD_HSA_ISA_VERSION note, which names the GPU in code objects of version 2");
  elf.abi_version = 9;
  EXPECT_EQ(refusal(elf.bytes()), "ELF header: ABI version 9 is none of code object versions 2 to 6");
  elf.abi_version = 3;
  elf.os_abi = 0;
  EXPECT_EQ(refusal(elf.bytes()), "ELF header: OS/ABI 0 is not AMDGPU-HSA");
  elf.os_abi = 64;
  elf.machine = 8;  // MIPS
  EXPECT_EQ(refusal(elf.bytes()), "ELF header: machine 8 is none that kernels are built for");
  std::string narrow = code_object_of({}).bytes();
  narrow[4] = 1;
  EXPECT_EQ(refusal(narrow), "ELF header: not a 64-bit little-endian file");
}

TEST(Hsaco, NamesGpusThatNoTableKnows) {
  // LLVM 20 and later spell out the part of the triple that was empty before.
  MetadataElf elf = code_object_of({kernel_metadata("k")}, "");
  for (const std::string target :
       {"amdgcn-amd-amdhsa--gfx9-9-generic:xnack-", "amdgcn-amd-amdhsa-unknown-gfx9-9-generic"}) {
    const std::vector<std::uint8_t> packed =
        nlohmann::json::to_msgpack({{"amdhsa.kernels", {kernel_metadata("k")}}, {"amdhsa.target", target}});
    elf.note.assign(packed.begin(), packed.end());
    elf.flags = 0xff;
    EXPECT_EQ(read_code_object(elf.bytes()).processor, "gfx9-9-generic");
    EXPECT_EQ(read_code_object(elf.bytes()).machine, 0xffu);
  }
  elf.note = "\x80";  // an empty map
  EXPECT_EQ(refusal(elf.bytes()), "metadata: amdhsa.target '' names no GPU");
}

TEST(Hsaco, RefusesDamagedNotes) {
  MetadataElf elf = code_object_of({kernel_metadata("k")});
  elf.note_owner = "AMD";
  EXPECT_EQ(refusal(elf.bytes()), "no NT_AMDGPU_METADATA note");
  elf.note_owner = "AMDGPU";
  elf.extra_note_bytes = 100;
  EXPECT_NE(refusal(elf.bytes()).find("note segment: "), std::string::npos);
  elf.extra_note_bytes = 0xffffff00;
  EXPECT_NE(refusal(elf.bytes()).find("note segment: "), std::string::npos);
  elf.extra_note_bytes = 0;
  elf.note.resize(elf.note.size() / 2);
  EXPECT_NE(refusal(elf.bytes()).find("metadata: "), std::string::npos);
  elf.note = std::string(1000, '\x91');  // a list in a list in a list …
  EXPECT_EQ(refusal(elf.bytes()), "metadata: nested too deeply");
  elf.note = "\x81\x90\x90";  // a map with a list for a key
  EXPECT_EQ(refusal(elf.bytes()), "metadata: a key that is not a string");
  elf.note = "\x93";
  EXPECT_EQ(refusal(elf.bytes()), "metadata: ends in the middle of a value");
}

TEST(Hsaco, RefusesWrongMetadata) {
  nlohmann::json kernel = kernel_metadata("k");
  kernel[".vgpr_count"] = -1;
  EXPECT_EQ(refusal(code_object_of({kernel}).bytes()), "metadata: kernel k: .vgpr_count is no 32-bit number");
  kernel = kernel_metadata("k");
  kernel[".args"] = 7;
  EXPECT_EQ(refusal(code_object_of({kernel}).bytes()), "metadata: kernel k: .args is not a list");
  kernel = kernel_metadata("k");
  kernel[".name"] = "a\x1b[0m";
  EXPECT_EQ(refusal(code_object_of({kernel}).bytes()),
            "metadata: amdhsa.kernels: .name holds unprintable characters");
  MetadataElf hidden = code_object_of({kernel_metadata("k")});
  hidden.symbols.clear();
  EXPECT_EQ(refusal(hidden.bytes()), "kernel k: its symbol 'k.kd' is not exported");
  EXPECT_EQ(refusal(code_object_of({kernel_metadata("k"), kernel_metadata("k")}).bytes()),
            "kernel k appears twice");
}

TEST(Hsaco, TruncationAtEveryByteIsAnErrorAndNoCrash) {
  const std::string whole = code_object_of({kernel_metadata("k")}).bytes();
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(refusal(std::string(whole, 0, size)), "") << size;
}

TEST(Hsaco, FlippedBytesNeverCrash) {
  const std::string whole = code_object_of({kernel_metadata("k")}).bytes();
  std::uint32_t state = 1;
  const auto random = [&state] { return (state = state * 1664525u + 1013904223u) >> 8; };
  for (int round = 0; round < 5000; ++round) {
    std::string damaged = whole;
    for (int flips = 0; flips < 3; ++flips) damaged[random() % damaged.size()] = static_cast<char>(random());
    refusal(damaged);
  }
}

TEST(Ptx, ReadsParametersByTheirAlignment) {
  const CodeObject object = read_code_object(
      ".version 9.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(\n\t.param .u64 k_0,\n\t.param .u16 k_1,\n\t.param .align 8 .b8 "
      "k_2[104]\n)\n.maxntid 256, 1, 1\n{\n}\n");
  EXPECT_EQ(object.kind, CodeKind::ptx);
  EXPECT_EQ(object.processor, "compute_80");
  ASSERT_EQ(object.kernels.size(), 1u);
  const CodeKernel& kernel = object.kernels[0];
  EXPECT_EQ(kernel.name, "k");
  EXPECT_EQ(kernel.max_block, 256u);
  ASSERT_EQ(kernel.arguments.size(), 3u);
  EXPECT_EQ(kernel.arguments[1].size, 2u);
  EXPECT_EQ(kernel.arguments[2].offset, 16u);
  EXPECT_EQ(kernel.kernarg_bytes, 120u);
}

TEST(Ptx, RefusesDamagedText) {
  const std::string head = ".version 9.0\n.target sm_80\n";
  EXPECT_NE(refusal(head + ".entry k("), "");
  EXPECT_NE(refusal(head + ".entry k(.param .q64 a)"), "");
  EXPECT_NE(refusal(head + ".entry k(.param .b8 a[99999999])"), "");
}

}  // namespace
}  // namespace kernelgen::tool
