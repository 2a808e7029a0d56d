// Kernel arguments read from the metadata of AMD code objects.
#include "driver/kernel_arguments.hpp"

#include <gtest/gtest.h>

#include <random>

#include "metadata_elf.hpp"

namespace kernelgen {
namespace {

using tool::code_object_of;
using tool::kernel_metadata;

std::optional<std::vector<KernelArgument>> read(const std::string& code, std::string_view kernel) {
  return code_object_arguments(std::as_bytes(std::span(code)), kernel);
}

const std::vector<KernelArgument> of_the_source = {{0, 8}, {8, 8}};

TEST(KernelArguments, AreThoseOfTheSource) {
  nlohmann::json other = kernel_metadata("other");
  other[".args"] = nlohmann::json::array();
  // Of every form that LLVM may write: texts, maps and numbers of each length.
  other[".long"] = std::string(300, 'x');
  other[".signed"] = {-1, -1000, -100000, -5000000000, 1.5, nullptr, true};
  for (int i = 0; i < 20; ++i) other["." + std::to_string(i)] = 1000 << i;
  const std::string code = code_object_of({other, kernel_metadata("wanted")}).bytes();
  EXPECT_EQ(read(code, "wanted"), of_the_source);
  EXPECT_EQ(read(code, "other"), std::vector<KernelArgument>());
  EXPECT_EQ(read(code, "none"), std::nullopt);
}

TEST(KernelArguments, OfOtherFilesAreUnknown) {
  EXPECT_EQ(read("", "wanted"), std::nullopt);
  EXPECT_EQ(read("\x7f"
                 "ELF",
                 "wanted"),
            std::nullopt);
  tool::MetadataElf elf = code_object_of({kernel_metadata("wanted")});
  elf.note_owner = "NVIDIA";
  EXPECT_EQ(read(elf.bytes(), "wanted"), std::nullopt);
  elf = code_object_of({kernel_metadata("wanted")});
  elf.note_type = 33;
  EXPECT_EQ(read(elf.bytes(), "wanted"), std::nullopt);
  elf = code_object_of({kernel_metadata("wanted")});
  elf.machine = 62;
  EXPECT_EQ(read(elf.bytes(), "wanted"), std::nullopt);
  elf = code_object_of({kernel_metadata("wanted")});
  elf.extra_note_bytes = 1000;
  EXPECT_EQ(read(elf.bytes(), "wanted"), std::nullopt);
}

TEST(KernelArguments, DamagedMetadataIsReadToItsEndAtMost) {
  const tool::MetadataElf whole = code_object_of({kernel_metadata("wanted")});
  for (std::size_t kept = 0; kept < whole.note.size(); ++kept) {
    tool::MetadataElf cut = whole;
    cut.note.resize(kept);
    read(cut.bytes(), "wanted");
  }
  constexpr unsigned seed = 1;
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  for (int turn = 0; turn < 20000; ++turn) {
    tool::MetadataElf damaged = whole;
    for (int change = 0; change < 3; ++change)
      damaged.note[random() % damaged.note.size()] = static_cast<char>(random());
    read(damaged.bytes(), "wanted");
  }
  tool::MetadataElf deep = whole;
  deep.note = "\x81\xa1x" + std::string(100000, '\x91');
  EXPECT_EQ(read(deep.bytes(), "wanted"), std::nullopt);
}

}  // namespace
}  // namespace kernelgen
