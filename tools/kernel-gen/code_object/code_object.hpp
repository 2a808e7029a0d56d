#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kernelgen::tool {

/// What a compiler made: an AMD GPU's ELF, a host shared object, an NVIDIA ELF or PTX text.
enum class CodeKind { hsaco, host, cubin, ptx };

std::string_view name_of(CodeKind kind);

struct CodeArgument {
  std::string name;  ///< Empty where the code object does not say.
  std::string
      value_kind;  ///< As in HSACO metadata ("global_buffer", "by_value"); empty where it does not say.
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

/// One kernel as its code object describes it. Counts that a kind of code object does not record are 0.
struct CodeKernel {
  std::string name;
  std::vector<CodeArgument> arguments;         ///< By offset.
  std::vector<CodeArgument> hidden_arguments;  ///< What the driver fills in, by offset.
  std::uint64_t code_bytes = 0;                ///< Of its instructions.
  std::uint32_t vgprs = 0;
  std::uint32_t agprs = 0;
  std::uint32_t sgprs = 0;
  std::uint32_t vgpr_spills = 0;
  std::uint32_t sgpr_spills = 0;
  std::uint32_t lds_bytes = 0;
  std::uint32_t scratch_bytes = 0;
  std::uint32_t kernarg_bytes = 0;
  std::uint32_t wave_size = 0;
  std::uint32_t max_block = 0;
};

struct CodeObject {
  CodeKind kind = CodeKind::hsaco;
  std::string processor;    ///< "gfx90a", "gfx11-generic", "x86-64", "sm_90", "compute_80"
  std::string target_id;    ///< The processor with its features: "gfx90a:xnack+:sramecc-"; "any" is left out.
  std::uint32_t flags = 0;  ///< e_flags of an ELF.
  std::uint32_t machine = 0;        ///< The GPU's number in the flags of HSACO, else 0.
  int code_object_version = 0;      ///< 2 to 6 for HSACO, else 0.
  std::vector<CodeKernel> kernels;  ///< By name.
  /// The section of a host program or library that holds a GPU's code objects (".hip_fatbin"); empty if the file has none.
  std::string bundle;
};

/// Bytes that are no code object, or a damaged one. what() says where and what.
class BadCodeObject : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads any kind; the bytes are not trusted. Throws BadCodeObject.
CodeObject read_code_object(std::string_view bytes);

/// True for the magic of an ELF file or the start of PTX text.
bool looks_like_code_object(std::string_view bytes);

}  // namespace kernelgen::tool
