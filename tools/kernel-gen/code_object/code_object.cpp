#include "code_object/code_object.hpp"

#include <algorithm>

#include "code_object/cubin.hpp"
#include "code_object/elf_image.hpp"
#include "code_object/host_object.hpp"
#include "code_object/hsaco.hpp"

namespace kernelgen::tool {
namespace {

constexpr std::string_view elf_magic =
    "\x7f"
    "ELF";

bool is_elf(std::string_view bytes) { return bytes.starts_with(elf_magic); }

bool is_ptx(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 4096);
  return head.find(".version ") != std::string_view::npos &&
         head.find(".target sm_") != std::string_view::npos;
}

CodeObject read_elf(std::string_view bytes) {
  const ElfImage image(bytes);
  if (image.machine() == llvm::ELF::EM_AMDGPU) return read_hsaco(image);
  if (image.machine() == llvm::ELF::EM_CUDA) return read_cubin(image);
  return read_host_object(image);
}

}  // namespace

std::string_view name_of(CodeKind kind) {
  switch (kind) {
    case CodeKind::hsaco:
      return "hsaco";
    case CodeKind::host:
      return "host";
    case CodeKind::cubin:
      return "cubin";
    case CodeKind::ptx:
      return "ptx";
  }
  return "";
}

CodeObject read_code_object(std::string_view bytes) {
  if (!is_elf(bytes) && !is_ptx(bytes)) throw BadCodeObject("neither an ELF file nor PTX");
  CodeObject object = is_elf(bytes) ? read_elf(bytes) : read_ptx(bytes);
  std::sort(object.kernels.begin(), object.kernels.end(),
            [](const CodeKernel& a, const CodeKernel& b) { return a.name < b.name; });
  const auto twice =
      std::adjacent_find(object.kernels.begin(), object.kernels.end(),
                         [](const CodeKernel& a, const CodeKernel& b) { return a.name == b.name; });
  if (twice != object.kernels.end()) throw BadCodeObject("kernel " + twice->name + " appears twice");
  return object;
}

bool looks_like_code_object(std::string_view bytes) { return is_elf(bytes) || is_ptx(bytes); }

}  // namespace kernelgen::tool
