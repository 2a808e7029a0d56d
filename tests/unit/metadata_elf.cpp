#include "metadata_elf.hpp"

#include <cstring>

namespace kernelgen::tool {
namespace {

template <class T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void pad(std::string& bytes, std::size_t alignment) {
  while (bytes.size() % alignment != 0) bytes.push_back('\0');
}

template <class T>
void patch(std::string& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

void put_section(std::string& bytes, std::uint32_t name, std::uint32_t type, std::uint64_t offset,
                 std::uint64_t size, std::uint32_t link, std::uint64_t entry) {
  put<std::uint32_t>(bytes, name);
  put<std::uint32_t>(bytes, type);
  put<std::uint64_t>(bytes, 0);
  put<std::uint64_t>(bytes, 0);
  put<std::uint64_t>(bytes, offset);
  put<std::uint64_t>(bytes, size);
  put<std::uint32_t>(bytes, link);
  put<std::uint32_t>(bytes, type == 11 ? 1 : 0);
  put<std::uint64_t>(bytes, 8);
  put<std::uint64_t>(bytes, entry);
}

}  // namespace

std::string MetadataElf::bytes() const {
  std::string out = {
      '\x7f', 'E', 'L', 'F', 2, 1, 1, static_cast<char>(os_abi), static_cast<char>(abi_version)};
  out.resize(16);
  put<std::uint16_t>(out, 3);  // ET_DYN
  put<std::uint16_t>(out, machine);
  put<std::uint32_t>(out, 1);
  put<std::uint64_t>(out, 0);
  put<std::uint64_t>(out, 64);  // program headers
  put<std::uint64_t>(out, 0);   // section headers: patched below
  put<std::uint32_t>(out, flags);
  for (const std::uint16_t field : {64, 56, 1, 64, 3, 0}) put<std::uint16_t>(out, field);

  std::string content;
  put<std::uint32_t>(content, static_cast<std::uint32_t>(note_owner.size() + 1));
  put<std::uint32_t>(content, static_cast<std::uint32_t>(note.size() + extra_note_bytes));
  put<std::uint32_t>(content, note_type);
  content.append(note_owner).push_back('\0');
  pad(content, 4);
  content += note;
  pad(content, 4);

  put<std::uint32_t>(out, 4);  // PT_NOTE
  put<std::uint32_t>(out, 4);
  for (const std::uint64_t field :
       {std::uint64_t{120}, std::uint64_t{120}, std::uint64_t{120}, std::uint64_t{content.size()},
        std::uint64_t{content.size()}, std::uint64_t{4}})
    put<std::uint64_t>(out, field);
  out += content;

  std::string names(1, '\0');
  std::string table(24, '\0');
  for (const std::string& symbol : symbols) {
    put<std::uint32_t>(table, static_cast<std::uint32_t>(names.size()));
    put<std::uint8_t>(table, 0x11);  // STB_GLOBAL, STT_OBJECT
    put<std::uint8_t>(table, 0);
    put<std::uint16_t>(table, 1);
    put<std::uint64_t>(table, 0x1000);
    const auto size = sizes.find(symbol);
    put<std::uint64_t>(table, size == sizes.end() ? 64 : size->second);
    names.append(symbol).push_back('\0');
  }
  pad(out, 8);
  const std::size_t table_offset = out.size();
  out += table;
  const std::size_t names_offset = out.size();
  out += names;
  pad(out, 8);
  patch<std::uint64_t>(out, 40, out.size());
  put_section(out, 0, 0, 0, 0, 0, 0);
  put_section(out, 0, 11, table_offset, table.size(), 2, 24);  // SHT_DYNSYM
  put_section(out, 0, 3, names_offset, names.size(), 0, 0);    // SHT_STRTAB
  return out;
}

nlohmann::json kernel_metadata(const std::string& name) {
  return {{".name", name},
          {".symbol", name + ".kd"},
          {".vgpr_count", 12},
          {".agpr_count", 4},
          {".sgpr_count", 20},
          {".vgpr_spill_count", 0},
          {".sgpr_spill_count", 0},
          {".group_segment_fixed_size", 256},
          {".private_segment_fixed_size", 0},
          {".kernarg_segment_size", 24},
          {".wavefront_size", 64},
          {".max_flat_workgroup_size", 256},
          {".args",
           {{{".offset", 0}, {".size", 8}, {".value_kind", "global_buffer"}, {".name", "x"}},
            {{".offset", 8}, {".size", 8}, {".value_kind", "by_value"}},
            {{".offset", 16}, {".size", 4}, {".value_kind", "hidden_block_count_x"}}}}};
}

MetadataElf code_object_of(const std::vector<nlohmann::json>& kernels, const std::string& target) {
  MetadataElf elf;
  const std::vector<std::uint8_t> packed =
      nlohmann::json::to_msgpack({{"amdhsa.kernels", kernels},
                                  {"amdhsa.target", "amdgcn-amd-amdhsa--" + target},
                                  {"amdhsa.version", {1, 2}}});
  elf.note.assign(packed.begin(), packed.end());
  for (const nlohmann::json& kernel : kernels) elf.symbols.push_back(kernel.value(".symbol", ""));
  return elf;
}

}  // namespace kernelgen::tool
