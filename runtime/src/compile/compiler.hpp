#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernelgen/device_kind.hpp"

namespace kernelgen {

/// A source and its compilation target.
struct CompileRequest {
  DeviceKind kind;
  std::string_view architecture;  ///< as DeviceInfo has it
  int wave_size;
  std::string_view name;  ///< what the compiler calls the source
  std::string_view source;
  std::span<const std::string> flags;  ///< after the library's own
};

struct CompiledCode {
  std::vector<std::byte> code;
  std::string log;       ///< the compiler's warnings
  std::string compiler;  ///< its file, by which it is known to be the same
};

/// Compiles what includes kernels/ for devices of a kind. Thread-safe.
class Compiler {
 public:
  virtual ~Compiler() = default;
  /// Throws Error(invalid_argument) with the compiler's errors, Error(unsupported) if it cannot compile for
  /// the architecture, Error(io).
  virtual CompiledCode compile(const CompileRequest& request) const = 0;
};

/// clang for the CPU, hipRTC, NVRTC: found, or opened, at the first call and never given up. Throws Error(unsupported)
/// listing all that was tried.
const Compiler& compiler_for(DeviceKind kind);

/// All flags but file names: the library's own, then the request's.
std::vector<std::string> flags_of(const CompileRequest& request);

/// "cannot compile scale.cu for sm_90: ", for messages.
std::string compile_of(const CompileRequest& request);

}  // namespace kernelgen
