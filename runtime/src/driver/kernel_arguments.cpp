#include "driver/kernel_arguments.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "driver/code_object.hpp"
#include "driver/msgpack.hpp"

namespace kernelgen {
namespace {

constexpr std::uint32_t note_metadata = 32;  // NT_AMDGPU_METADATA
constexpr char note_owner[] = "AMDGPU";

/// The metadata in a segment of notes; empty if it has none.
std::span<const std::byte> metadata_of(std::span<const std::byte> notes) {
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data(), sizeof note);
    const auto padded = [](std::uint32_t bytes) { return (std::uint64_t{bytes} + 3) / 4 * 4; };
    const std::uint64_t begin = sizeof note + padded(note.n_namesz), end = begin + padded(note.n_descsz);
    if (begin + note.n_descsz > notes.size()) return {};
    if (note.n_type == note_metadata && note.n_namesz == sizeof note_owner &&
        std::memcmp(notes.data() + sizeof note, note_owner, sizeof note_owner) == 0)
      return notes.subspan(begin, note.n_descsz);
    notes = notes.subspan(std::min<std::uint64_t>(end, notes.size()));
  }
  return {};
}

std::span<const std::byte> find_metadata(std::span<const std::byte> code) {
  if (code_object_version(code) == 0 || !image_defect(code).empty()) return {};
  Elf64_Ehdr header;
  std::memcpy(&header, code.data(), sizeof header);
  for (std::uint16_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, code.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_NOTE) continue;
    if (const auto found = metadata_of(code.subspan(segment.p_offset, segment.p_filesz)); !found.empty())
      return found;
  }
  return {};
}

/// Adds the argument that begins here, unless it is one that the compiler adds.
void read_argument(MsgpackReader& reader, std::vector<KernelArgument>& arguments) {
  KernelArgument argument{};
  bool is_hidden = false;
  for (std::uint32_t entries = reader.map(); entries > 0 && reader.is_good(); --entries) {
    const std::string_view key = reader.text();
    if (key == ".offset")
      argument.offset = static_cast<std::uint32_t>(reader.number());
    else if (key == ".size")
      argument.size = static_cast<std::uint32_t>(reader.number());
    else if (key == ".value_kind")
      is_hidden = reader.text().starts_with("hidden_");
    else
      reader.skip();
  }
  if (!is_hidden) arguments.push_back(argument);
}

/// The kernel that begins here, if it is of that name.
std::optional<std::vector<KernelArgument>> read_kernel(MsgpackReader& reader, std::string_view wanted) {
  std::vector<KernelArgument> arguments;
  bool is_wanted = false;
  for (std::uint32_t entries = reader.map(); entries > 0 && reader.is_good(); --entries) {
    const std::string_view key = reader.text();
    if (key == ".name")
      is_wanted = reader.text() == wanted;
    else if (key == ".args")
      for (std::uint32_t left = reader.array(); left > 0 && reader.is_good(); --left)
        read_argument(reader, arguments);
    else
      reader.skip();
  }
  if (!is_wanted || !reader.is_good()) return std::nullopt;
  return arguments;
}

}  // namespace

std::optional<std::vector<KernelArgument>> code_object_arguments(std::span<const std::byte> code,
                                                                 std::string_view kernel) {
  MsgpackReader reader(find_metadata(code));
  for (std::uint32_t entries = reader.map(); entries > 0 && reader.is_good(); --entries) {
    if (reader.text() != "amdhsa.kernels") {
      reader.skip();
      continue;
    }
    for (std::uint32_t kernels = reader.array(); kernels > 0 && reader.is_good(); --kernels)
      if (auto found = read_kernel(reader, kernel)) return found;
  }
  return std::nullopt;
}

}  // namespace kernelgen
