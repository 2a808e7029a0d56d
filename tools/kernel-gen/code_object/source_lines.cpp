#include "code_object/source_lines.hpp"

#include <llvm/DebugInfo/DIContext.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ObjectFile.h>

namespace kernelgen::tool {

struct SourceLines::Data {
  std::unique_ptr<llvm::object::ObjectFile> file;
  std::unique_ptr<llvm::DWARFContext> context;
};

SourceLines::SourceLines(std::span<const std::byte> code_object) : data_(std::make_unique<Data>()) {
  const llvm::StringRef bytes(reinterpret_cast<const char*>(code_object.data()), code_object.size());
  auto file = llvm::object::ObjectFile::createELFObjectFile({bytes, ""});
  if (!file) {
    llvm::consumeError(file.takeError());
    return;
  }
  data_->file = std::move(*file);
  // A damaged table counts as absent: the code is what matters here.
  const auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
  data_->context = llvm::DWARFContext::create(
      *data_->file, llvm::DWARFContext::ProcessDebugRelocations::Process, nullptr, "", ignore, ignore);
}

SourceLines::~SourceLines() = default;

std::optional<SourceLine> SourceLines::at(std::uint64_t address) const {
  if (!data_->context) return std::nullopt;
  using Kind = llvm::DILineInfoSpecifier::FileLineInfoKind;
  const llvm::DIInliningInfo frames =
      data_->context->getInliningInfoForAddress({address, llvm::object::SectionedAddress::UndefSection},
                                                llvm::DILineInfoSpecifier(Kind::AbsoluteFilePath));
  if (frames.getNumberOfFrames() == 0 || frames.getFrame(0).Line == 0) return std::nullopt;
  return SourceLine{frames.getFrame(0).FileName, frames.getFrame(0).Line};
}

}  // namespace kernelgen::tool
