#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ELFObjectFile.h>

#include "code_object.hpp"

namespace kernelgen::amdgpu {

std::string CodeObject::source_line(std::uint64_t address) const {
  if (debug_file_.empty()) return {};
  const llvm::StringRef bytes(reinterpret_cast<const char*>(debug_file_.data()), debug_file_.size());
  auto object = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(bytes, "code object"));
  if (!object) {
    llvm::consumeError(object.takeError());
    return {};
  }
  const auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
  const auto context = llvm::DWARFContext::create(
      **object, llvm::DWARFContext::ProcessDebugRelocations::Process, nullptr, "", ignore, ignore);
  const llvm::DIInliningInfo frames = context->getInliningInfoForAddress(
      {address - reinterpret_cast<std::uint64_t>(image_), llvm::object::SectionedAddress::UndefSection},
      {llvm::DILineInfoSpecifier::FileLineInfoKind::RawValue});
  std::string text;
  for (std::uint32_t i = 0; i < frames.getNumberOfFrames(); ++i) {
    const llvm::DILineInfo& frame = frames.getFrame(i);
    if (frame && frame.Line != 0)
      text += (text.empty() ? "" : ", inlined at ") + frame.FileName + ":" + std::to_string(frame.Line);
  }
  return text;
}

}  // namespace kernelgen::amdgpu
