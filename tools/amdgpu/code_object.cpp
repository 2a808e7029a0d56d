#include "code_object.hpp"

#include <fmt/format.h>
#include <llvm/BinaryFormat/MsgPackDocument.h>
#include <llvm/Object/ELF.h>
#include <llvm/Object/ELFObjectFile.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "fault.hpp"

namespace kernelgen::amdgpu {
namespace {

namespace elf = llvm::ELF;
using Elf = llvm::object::ELF64LE;

[[noreturn]] void bad(const std::string& text) {
  throw Fault(Fault::Kind::code_object, "code object: " + text);
}

template <class T>
T value(llvm::Expected<T> expected) {
  if (!expected) bad(llvm::toString(expected.takeError()));
  return std::move(*expected);
}

std::uint64_t number(llvm::msgpack::MapDocNode& map, llvm::StringRef key, std::uint64_t otherwise = 0) {
  const auto found = map.find(key);
  if (found == map.end()) return otherwise;
  if (found->second.getKind() == llvm::msgpack::Type::UInt) return found->second.getUInt();
  if (found->second.getKind() == llvm::msgpack::Type::Int)
    return static_cast<std::uint64_t>(found->second.getInt());
  if (found->second.getKind() == llvm::msgpack::Type::Boolean) return found->second.getBool() ? 1 : 0;
  bad(fmt::format("metadata: '{}' is not a number", key.str()));
}

std::string text(llvm::msgpack::MapDocNode& map, llvm::StringRef key) {
  const auto found = map.find(key);
  if (found == map.end()) return {};
  if (found->second.getKind() != llvm::msgpack::Type::String)
    bad(fmt::format("metadata: '{}' is not a text", key.str()));
  return found->second.getString().str();
}

std::vector<Argument> arguments(llvm::msgpack::MapDocNode& kernel) {
  std::vector<Argument> list;
  const auto found = kernel.find(".args");
  if (found == kernel.end()) return list;
  if (!found->second.isArray()) bad("metadata: '.args' is not a list");
  for (llvm::msgpack::DocNode& node : found->second.getArray()) {
    if (!node.isMap()) bad("metadata: an argument is not a map");
    auto& map = node.getMap();
    list.push_back({static_cast<std::uint32_t>(number(map, ".offset")),
                    static_cast<std::uint32_t>(number(map, ".size")), text(map, ".value_kind")});
  }
  return list;
}

/// What the metadata says; descriptors are added later.
void add_kernels(llvm::StringRef note, std::map<std::string, Kernel>& kernels,
                 std::map<std::string, std::string>& descriptors) {
  llvm::msgpack::Document document;
  if (!document.readFromBlob(note, false) || !document.getRoot().isMap()) bad("metadata: not readable");
  auto& root = document.getRoot().getMap();
  const auto list = root.find("amdhsa.kernels");
  if (list == root.end()) return;
  if (!list->second.isArray()) bad("metadata: 'amdhsa.kernels' is not a list");
  for (llvm::msgpack::DocNode& node : list->second.getArray()) {
    if (!node.isMap()) bad("metadata: a kernel is not a map");
    auto& map = node.getMap();
    Kernel kernel;
    kernel.name = text(map, ".name");
    kernel.kernarg_bytes = static_cast<std::uint32_t>(number(map, ".kernarg_segment_size"));
    kernel.lds_bytes = static_cast<std::uint32_t>(number(map, ".group_segment_fixed_size"));
    kernel.private_bytes = static_cast<std::uint32_t>(number(map, ".private_segment_fixed_size"));
    kernel.dynamic_stack = number(map, ".uses_dynamic_stack") != 0;
    kernel.wave_size = static_cast<std::uint32_t>(number(map, ".wavefront_size", 64));
    kernel.vgprs = static_cast<std::uint32_t>(number(map, ".vgpr_count"));
    kernel.sgprs = static_cast<std::uint32_t>(number(map, ".sgpr_count"));
    kernel.max_block = static_cast<std::uint32_t>(number(map, ".max_flat_workgroup_size", 1024));
    kernel.arguments = arguments(map);
    if (kernel.wave_size != 32 && kernel.wave_size != 64)
      bad(fmt::format("kernel '{}': waves of {} lanes", kernel.name, kernel.wave_size));
    for (const Argument& argument : kernel.arguments) {
      if (std::uint64_t{argument.offset} + argument.bytes > kernel.kernarg_bytes)
        bad(fmt::format("kernel '{}': an argument ends after its kernarg segment", kernel.name));
      if (!argument.is_hidden())
        kernel.explicit_bytes = std::max(kernel.explicit_bytes, argument.offset + argument.bytes);
    }
    descriptors[text(map, ".symbol")] = kernel.name;
    kernels[kernel.name] = std::move(kernel);
  }
}

/// One of each file that the code object was linked from, if the linker did not merge them: Tensile's have one a kernel.
std::vector<llvm::StringRef> metadata_notes(const llvm::object::ELFFile<Elf>& file) {
  std::vector<llvm::StringRef> notes;
  const auto segments = value(file.program_headers());
  for (const Elf::Phdr& segment : segments) {
    if (segment.p_type != elf::PT_NOTE) continue;
    llvm::Error error = llvm::Error::success();
    for (const Elf::Note& note : file.notes(segment, error)) {
      if (note.getName() != "AMDGPU" || note.getType() != elf::NT_AMDGPU_METADATA) continue;
      const llvm::ArrayRef<std::uint8_t> bytes = note.getDesc(4);
      notes.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    llvm::consumeError(std::move(error));
  }
  if (notes.empty()) bad("no metadata; code objects of version 3 and later have them");
  return notes;
}

/// Makes functions of kernels in [begin, end) whose symbols have no size, as an assembler's labels: up to what comes next.
void add_unsized(const std::map<std::string, Kernel>& kernels, std::map<std::string, Symbol>& functions,
                 std::uint64_t begin, std::uint64_t end) {
  std::set<std::uint64_t> starts{end};
  for (const auto& [name, kernel] : kernels) starts.insert(kernel.entry);
  for (const auto& [name, symbol] : functions) starts.insert(symbol.address);
  for (const auto& [name, kernel] : kernels) {
    const auto holds_entry = [&](const auto& function) {
      const Symbol& symbol = function.second;
      return kernel.entry >= symbol.address && kernel.entry - symbol.address < symbol.bytes;
    };
    if (kernel.entry < begin || kernel.entry >= end || std::ranges::any_of(functions, holds_entry)) continue;
    functions[name] = {kernel.entry, *starts.upper_bound(kernel.entry) - kernel.entry};
  }
}

}  // namespace

CodeObject::CodeObject(std::span<const std::byte> bytes) {
  try {
    load(bytes);
  } catch (...) {
    if (image_ != nullptr) munmap(image_, size_);
    throw;
  }
}

CodeObject::~CodeObject() { munmap(image_, size_); }

void CodeObject::load(std::span<const std::byte> bytes) {
  // Reading wants the file at an even address.
  const std::vector<std::byte> aligned(bytes.begin(), bytes.end());
  const llvm::StringRef file_text(reinterpret_cast<const char*>(aligned.data()), aligned.size());
  if (!file_text.starts_with("\x7f"
                             "ELF"))
    bad("not an ELF file");
  const auto object =
      value(llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(file_text, "code object")));
  const auto* const elf_object = llvm::dyn_cast<llvm::object::ELFObjectFile<Elf>>(object.get());
  if (elf_object == nullptr || elf_object->getELFFile().getHeader().e_machine != elf::EM_AMDGPU)
    bad("not for an AMD GPU");
  const auto name = elf_object->tryGetCPUName();
  if (!name) bad("an AMD GPU that LLVM does not know");
  processor_ = name->str();
  const llvm::object::ELFFile<Elf>& file = elf_object->getELFFile();
  for (const llvm::object::SectionRef section : elf_object->sections())
    if (value(section.getName()) == ".debug_line") debug_file_ = aligned;

  const auto segments = value(file.program_headers());
  std::uint64_t end = 0;
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  for (const Elf::Phdr& segment : segments) {
    if (segment.p_type != elf::PT_LOAD) continue;
    if (segment.p_vaddr > most || segment.p_memsz > most || segment.p_filesz > segment.p_memsz ||
        segment.p_offset > bytes.size() || segment.p_filesz > bytes.size() - segment.p_offset)
      bad("a segment outside the file");
    end = std::max<std::uint64_t>(end, segment.p_vaddr + segment.p_memsz);
  }
  if (end == 0) bad("nothing to load");
  size_ = end;
  void* const mapped = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  image_ = static_cast<std::byte*>(mapped);
  for (const Elf::Phdr& segment : segments)
    if (segment.p_type == elf::PT_LOAD)
      std::memcpy(image_ + segment.p_vaddr, bytes.data() + segment.p_offset, segment.p_filesz);
  const auto base = reinterpret_cast<std::uint64_t>(image_);

  std::map<std::string, std::string> descriptors;
  for (const llvm::StringRef note : metadata_notes(file)) add_kernels(note, kernels_, descriptors);
  for (const llvm::object::ELFSymbolRef symbol : elf_object->getDynamicSymbolIterators()) {
    const std::string symbol_name = value(symbol.getName()).str();
    const std::uint64_t at = value(symbol.getValue()), symbol_bytes = symbol.getSize();
    if (at >= size_ || symbol_bytes > size_ - at) continue;
    const std::uint8_t type = symbol.getELFType();
    if (type == elf::STT_FUNC) functions_[symbol_name] = {base + at, symbol_bytes};
    if (type == elf::STT_OBJECT) variables_[symbol_name] = {base + at, symbol_bytes};
    const auto described = descriptors.find(symbol_name);
    if (described == descriptors.end() || type != elf::STT_OBJECT) continue;
    if (symbol_bytes < 64) bad(fmt::format("'{}' is too short for a kernel descriptor", symbol_name));
    const auto read = [&](std::uint64_t offset, auto field) {
      std::memcpy(&field, image_ + at + offset, sizeof field);
      return field;
    };
    Kernel& kernel = kernels_.at(described->second);
    kernel.lds_bytes = std::max(kernel.lds_bytes, read(0, std::uint32_t{}));
    kernel.private_bytes = std::max(kernel.private_bytes, read(4, std::uint32_t{}));
    kernel.entry = base + at + read(16, std::uint64_t{});
    kernel.rsrc3 = read(44, std::uint32_t{});
    kernel.rsrc1 = read(48, std::uint32_t{});
    kernel.rsrc2 = read(52, std::uint32_t{});
    kernel.properties = read(56, std::uint16_t{});
  }
  // Functions that are not exported are found by the other table of symbols.
  for (const llvm::object::ELFSymbolRef symbol : elf_object->symbols()) {
    const std::uint64_t at = value(symbol.getValue()), symbol_bytes = symbol.getSize();
    if (symbol.getELFType() != elf::STT_FUNC || at >= size_ || symbol_bytes > size_ - at) continue;
    functions_.try_emplace(value(symbol.getName()).str(), Symbol{base + at, symbol_bytes});
  }

  const auto sections = value(file.sections());
  for (const Elf::Shdr& section : sections) {
    if (section.sh_type != elf::SHT_RELA) continue;
    const auto relocations = value(file.relas(section));
    for (const Elf::Rela& relocation : relocations) {
      if (relocation.r_offset > size_ - 8) bad("a relocation outside the image");
      std::uint64_t target = base + static_cast<std::uint64_t>(relocation.r_addend);
      const std::uint32_t type = relocation.getType(false);
      if (type == elf::R_AMDGPU_ABS64) {
        const auto* const symbol =
            value(file.getRelocationSymbol(relocation, value(file.getSection(section.sh_link))));
        if (symbol != nullptr) target += symbol->st_value;
      } else if (type != elf::R_AMDGPU_RELATIVE64) {
        bad(fmt::format("relocation {} is not known", type));
      }
      std::memcpy(image_ + relocation.r_offset, &target, 8);
    }
  }
  for (const auto& [kernel_name, kernel] : kernels_)
    if (kernel.entry < base || kernel.entry >= base + size_)
      bad(fmt::format("kernel '{}' has no descriptor or no code", kernel_name));
  for (const Elf::Phdr& segment : segments)
    if (segment.p_type == elf::PT_LOAD && (segment.p_flags & elf::PF_X) != 0)
      add_unsized(kernels_, functions_, base + segment.p_vaddr, base + segment.p_vaddr + segment.p_memsz);
}

}  // namespace kernelgen::amdgpu
