#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kernelgen::amdgpu {

/// An argument of a kernel, from the metadata.
struct Argument {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  std::string kind;  ///< `.value_kind`: by_value, global_buffer, hidden_block_count_x, ...
  bool is_hidden() const { return kind.starts_with("hidden_"); }
};

/// A kernel of a code object: its descriptor (AMDGPUUsage, "Kernel Descriptor") and metadata.
struct Kernel {
  std::string name;
  std::uint64_t entry = 0;  ///< address of the first instruction
  std::uint32_t kernarg_bytes = 0;
  std::uint32_t explicit_bytes = 0;  ///< of the arguments before the hidden ones
  std::uint32_t lds_bytes = 0;
  std::uint32_t private_bytes = 0;  ///< a lane
  bool dynamic_stack = false;
  std::uint32_t wave_size = 64;
  std::uint32_t vgprs = 0, sgprs = 0;
  std::uint32_t max_block = 1024;
  std::uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;  ///< COMPUTE_PGM_RSRC1 to 3
  std::uint32_t properties = 0;                   ///< kernel_code_properties
  std::vector<Argument> arguments;
};

/// A function or variable of a code object.
struct Symbol {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

/// An ELF image of an AMD GPU, loaded at an address of this process and relocated. Throws Fault (code_object).
class CodeObject {
 public:
  explicit CodeObject(std::span<const std::byte> bytes);
  ~CodeObject();
  CodeObject(const CodeObject&) = delete;
  CodeObject& operator=(const CodeObject&) = delete;

  const std::string& processor() const { return processor_; }
  const std::map<std::string, Kernel>& kernels() const { return kernels_; }
  const std::map<std::string, Symbol>& functions() const { return functions_; }
  const std::map<std::string, Symbol>& variables() const { return variables_; }
  std::span<const std::byte> image() const { return {image_, size_}; }

  /// `FILE:LINE` of an address of the image, and where that is inlined; empty where the code object has no debug
  /// information for it.
  std::string source_line(std::uint64_t address) const;

 private:
  void load(std::span<const std::byte> bytes);

  std::byte* image_ = nullptr;
  std::size_t size_ = 0;
  std::vector<std::byte> debug_file_;  ///< the whole ELF file, if it has debug information
  std::string processor_;
  std::map<std::string, Kernel> kernels_;
  std::map<std::string, Symbol> functions_, variables_;
};

}  // namespace kernelgen::amdgpu
