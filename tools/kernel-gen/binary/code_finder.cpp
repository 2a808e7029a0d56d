#include "binary/code_finder.hpp"

#include <fmt/format.h>
#include <llvm/Object/Archive.h>

#include <algorithm>

#include "binary/cuda_fatbin.hpp"
#include "binary/kpack.hpp"
#include "code_object/elf_image.hpp"
#include "offload/bundle.hpp"
#include "offload/compressed_bundle.hpp"

namespace kernelgen::tool {
namespace {

namespace elf = llvm::ELF;

constexpr int most_levels = 8;
constexpr std::size_t most_codes = 1'000'000;
constexpr std::string_view elf_magic =
                               "\x7f"
                               "ELF",
                           archive_magic = "!<arch>\n", thin_archive_magic = "!<thin>\n",
                           bitcode_magic = "BC\xc0\xde", spirv_magic = "\x03\x02\x23\x07";
constexpr std::string_view rdc_section = "__CLANG_OFFLOAD_BUNDLE__";

/// Where some bytes are, and what their containers say of them.
struct Location {
  std::string module;
  std::string target;
  std::uint64_t offset = 0;  ///< in the file
  std::uint64_t stored = 0;
  std::vector<Step> steps;

  /// A part of it.
  Location part(std::uint64_t begin, std::uint64_t bytes) const {
    Location location = *this;
    location.steps.push_back({begin, bytes, PackedAs::none, bytes});
    if (stored == 0) location.offset += begin;
    return location;
  }
  Location named(std::string_view name) const {
    Location location = *this;
    location.module += (module.empty() ? "" : ".") + std::string(name);
    return location;
  }
};

class Finder {
 public:
  Finder(FoundCodes& found, const std::function<void(std::uint64_t)>& reached)
      : found_(found), reached_(reached) {}

  /// Whether the bytes are of a kind that is known.
  bool visit(std::string_view bytes, const Location& location) {
    if (static_cast<int>(location.steps.size()) > 2 * most_levels)
      return damage(location, "nested too deeply");
    if (found_.codes.size() >= most_codes)
      return damage(location, "too many code objects; the rest is not read");
    try {
      return visit_known(bytes, location);
    } catch (const BadCodeObject& error) {
      return damage(location, error.what());
    } catch (const offload::BadBundle& error) {
      return damage(location, error.what());
    }
  }

 private:
  bool damage(const Location& location, std::string_view what) {
    const std::string where = location.module.empty() ? "" : location.module + ": ";
    found_.damages.push_back({location.offset, where + std::string(what)});
    return true;
  }

  bool visit_known(std::string_view bytes, const Location& location) {
    if (offload::is_bundle(bytes)) return visit_bundle(bytes, location);
    if (offload::is_compressed_bundle(bytes)) return visit_compressed(bytes, location);
    if (bytes.starts_with(elf_magic)) return visit_elf(bytes, location);
    if (is_kpack(bytes)) return visit_kpack(bytes, location);
    if (is_cuda_fatbin(bytes)) return visit_cuda(bytes, location);
    if (bytes.starts_with(archive_magic)) return visit_archive(bytes, location);
    if (bytes.starts_with(thin_archive_magic))
      return damage(location, "a thin archive, whose members are files of their own; name those");
    if (bytes.starts_with(bitcode_magic))
      return damage(location, "LLVM bitcode, which a linker makes code of; not read");
    if (bytes.starts_with(spirv_magic))
      return damage(location, "SPIR-V, which the driver makes code of; not read");
    if (!looks_like_code_object(bytes)) return false;
    add(read_code_object(bytes), bytes, location);
    return true;
  }

  bool visit_bundle(std::string_view bytes, const Location& location) {
    const std::vector<offload::BundleEntry> entries = offload::read_bundle(bytes);
    std::uint64_t sum = 0;
    for (const offload::BundleEntry& entry : entries) sum += entry.bytes.size();
    if (sum > bytes.size()) return damage(location, "offload bundle: its entries overlap");
    for (const offload::BundleEntry& entry : entries) {
      if (entry.bytes.empty()) continue;
      Location part = location.part(entry.offset, entry.bytes.size());
      part.target = offload::target_of(entry.id);
      if (!visit(entry.bytes, part) && !entry.id.starts_with("host"))
        damage(part, fmt::format("the entry '{}' is not a code object", entry.id));
    }
    return true;
  }

  bool visit_compressed(std::string_view bytes, const Location& location) {
    if (location.stored != 0) return damage(location, "a compressed bundle inside of packed code; not read");
    const std::uint64_t stored = offload::read_compressed_header(bytes).file_bytes;
    return visit_packed(bytes, location, {0, stored, PackedAs::bundle, 0});
  }

  bool visit_packed(std::string_view bytes, Location location, const Step& step) {
    if (step.packing == PackedAs::none)
      return visit(bytes.substr(step.offset, step.bytes), location.part(step.offset, step.bytes));
    if (location.stored == 0) location.offset += step.offset;
    location.stored = step.bytes;
    location.steps.push_back(step);
    try {
      const std::string plain = unpack(step.packing, bytes.substr(step.offset, step.bytes), step.plain_bytes);
      return visit(plain, location);
    } catch (const BadCodeObject& error) {
      return damage(location, error.what());
    }
  }

  bool visit_elf(std::string_view bytes, const Location& location) {
    const ElfImage image(bytes);
    if (image.machine() == elf::EM_AMDGPU && !location.target.empty()) {
      // What the container says is enough to list it: metadata are read when they are wanted.
      FoundCode code = code_of(CodeKind::hsaco, bytes, location);
      code.kernels = count_kernels(image);
      return append(std::move(code));
    }
    if (image.machine() == elf::EM_AMDGPU || image.machine() == elf::EM_CUDA) {
      add(read_code_object(bytes), bytes, location);
      return true;
    }
    visit_host(image, bytes, location);
    return true;
  }

  /// Kernels are functions with a descriptor; code objects of version 2 mark them by the symbol's type.
  static std::size_t count_kernels(const ElfImage& image) {
    std::size_t count = 0;
    for (const ElfSymbol& symbol : image.symbols(elf::SHT_DYNSYM))
      count +=
          symbol.is_defined && (symbol.name.ends_with(".kd") || symbol.type == elf::STT_AMDGPU_HSA_KERNEL);
    return count;
  }

  void visit_host(const ElfImage& image, std::string_view bytes, const Location& location) {
    bool has_section = false;
    for (const ElfSection& section : image.sections()) {
      if (section.bytes.empty()) continue;
      const auto offset = static_cast<std::uint64_t>(section.bytes.data() - bytes.data());
      const Location part = location.part(offset, section.bytes.size());
      if (section.name == ".hip_fatbin")
        visit_fat_section(section.bytes, part);
      else if (section.name == ".nv_fatbin")
        visit_cuda(section.bytes, part);
      else if (section.name.starts_with(rdc_section))
        visit_rdc(section, part);
      else if (section.name == ".rocm_kpack_ref")
        damage(part, "its code objects are in archives of rocm-kpack; name those");
      else
        continue;
      has_section = true;
    }
    if (has_section) return;
    CodeObject code;
    try {
      code = read_code_object(bytes);
    } catch (const BadCodeObject&) {
      return;  // a program that has nothing to do with GPUs
    }
    if (!code.kernels.empty()) add(code, bytes, location);
  }

  void visit_fat_section(std::string_view bytes, const Location& location) {
    const FatSection section = read_fat_section(bytes);
    for (std::size_t i = 0; i < section.bundles.size(); ++i) {
      const SectionBundle& bundle = section.bundles[i];
      visit(bytes.substr(bundle.offset, bundle.bytes),
            location.part(bundle.offset, bundle.bytes).named(fmt::format("bundle{}", i)));
    }
    for (const Damage& one : section.damages)
      damage(location.part(one.offset, 0).named(".hip_fatbin"), one.what);
  }

  /// An object compiled with -fgpu-rdc has a section for each entry of a bundle.
  void visit_rdc(const ElfSection& section, const Location& location) {
    const std::string_view id = section.name.substr(rdc_section.size());
    if (id.starts_with("host")) return;
    Location part = location.named(id);
    part.target = offload::target_of(id);
    if (!visit(section.bytes, part)) damage(part, "is not a code object");
  }

  bool visit_cuda(std::string_view bytes, const Location& location) {
    const CudaFatbin fatbin = read_cuda_fatbin(bytes);
    for (std::size_t i = 0; i < fatbin.entries.size(); ++i) {
      const CudaEntry& entry = fatbin.entries[i];
      Location part = location.named(fmt::format("entry{}", i));
      if (entry.packing != PackedAs::none && location.stored != 0)
        damage(part, "a compressed entry inside of packed code; not read");
      else if (!visit_packed(bytes, part, {entry.offset, entry.bytes, entry.packing, entry.plain_bytes}))
        damage(part.part(entry.offset, entry.bytes), "neither a cubin nor PTX");
    }
    for (const Damage& one : fatbin.damages) damage(location.part(one.offset, 0), one.what);
    return true;
  }

  bool visit_kpack(std::string_view bytes, const Location& location) {
    for (const KpackEntry& entry : read_kpack(bytes)) {
      Location part = location.named(entry.name);
      part.target = entry.target;
      if (entry.packing != PackedAs::none && location.stored != 0)
        damage(part, "packed code inside of packed code; not read");
      else if (!visit_packed(bytes, part, {entry.offset, entry.bytes, entry.packing, entry.plain_bytes}))
        damage(part.part(entry.offset, entry.bytes), "is not a code object");
    }
    return true;
  }

  bool visit_archive(std::string_view bytes, const Location& location) {
    const auto archive = value_or_throw(
        llvm::object::Archive::create({llvm::StringRef(bytes.data(), bytes.size()), ""}), "static archive");
    llvm::Error error = llvm::Error::success();
    for (const llvm::object::Archive::Child& child : archive->children(error)) {
      const llvm::StringRef member = value_or_throw(child.getBuffer(), "static archive"),
                            name = value_or_throw(child.getName(), "static archive");
      const auto begin = static_cast<std::uint64_t>(member.data() - bytes.data());
      const Location part = location.part(begin, member.size()).named({name.data(), name.size()});
      // LLVM does not compare the last member's size with the file's.
      if (begin > bytes.size() || member.size() > bytes.size() - begin)
        damage(part, "static archive: the member reaches past the end of the file");
      else
        visit({member.data(), member.size()}, part);
    }
    if (error) return damage(location, "static archive: " + llvm::toString(std::move(error)));
    return true;
  }

  static FoundCode code_of(CodeKind kind, std::string_view bytes, const Location& location) {
    return {kind, location.target, location.module, location.offset, bytes.size(), location.stored,
            0,    location.steps};
  }

  void add(const CodeObject& object, std::string_view bytes, const Location& location) {
    FoundCode code = code_of(object.kind, bytes, location);
    if (code.target.empty()) code.target = object.target_id;
    code.kernels = object.kernels.size();
    append(std::move(code));
  }

  bool append(FoundCode code) {
    if (reached_) reached_(code.offset);
    found_.codes.push_back(std::move(code));
    return true;
  }

  FoundCodes& found_;
  const std::function<void(std::uint64_t)>& reached_;
};

}  // namespace

bool may_hold_code(std::string_view head) {
  return offload::is_bundle(head) || offload::is_compressed_bundle(head) || is_kpack(head) ||
         is_cuda_fatbin(head) || head.starts_with(archive_magic) || head.starts_with(thin_archive_magic) ||
         looks_like_code_object(head);
}

FoundCodes find_code(std::string_view file, const std::string& name,
                     const std::function<void(std::uint64_t)>& reached) {
  FoundCodes found;
  Location location;
  // A file that is one code object has no other name; those inside are named by where they are.
  found.is_known = Finder(found, reached).visit(file, location);
  for (FoundCode& code : found.codes)
    if (code.module.empty()) code.module = name;
  return found;
}

}  // namespace kernelgen::tool
