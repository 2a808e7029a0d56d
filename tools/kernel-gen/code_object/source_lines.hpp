#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace kernelgen::tool {

/// A location in a source file.
struct SourceLine {
  std::string file;
  std::uint32_t line = 0;

  bool operator==(const SourceLine&) const = default;
};

/// Where an ELF file's instructions come from, by its DWARF tables. Borrows the bytes.
class SourceLines {
 public:
  explicit SourceLines(std::span<const std::byte> code_object);
  ~SourceLines();
  SourceLines(const SourceLines&) = delete;
  SourceLines& operator=(const SourceLines&) = delete;

  /// The line that the instruction at an address was compiled from, the innermost of those inlined into each other. Nothing
  /// where the file does not say, which most do not.
  std::optional<SourceLine> at(std::uint64_t address) const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace kernelgen::tool
