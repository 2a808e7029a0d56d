#pragma once
#include <string>
#include <string_view>

#include "interface.hpp"

namespace kernelgen::ggml {

/// The functions of the program's ggml, looked up in its libggml-base when the plug-in is initialised. So the plug-in is
/// built without ggml and serves each version of it that has them.
struct Host {
  int api_version = 0;  ///< GGML_BACKEND_API_VERSION of the program's ggml: 2 or 3
  BufferHandle* (*buffer_init)(BufferType*, BufferCalls, void*, std::size_t) = nullptr;
  const char* (*op_name)(int) = nullptr;
  const char* (*unary_op_name)(int) = nullptr;
  const char* (*glu_op_name)(int) = nullptr;
  std::size_t (*nbytes)(const Node*) = nullptr;
  void (*log_internal)(int, const char*, ...) = nullptr;

  /// Null, with a reason on stderr, if the process has no ggml or one without these functions.
  static const Host* find();
  /// Prints a line by ggml's log.
  void log(LogLevel level, const std::string& text) const;
};

/// The functions found. Host::find() has succeeded.
const Host& host();

}  // namespace kernelgen::ggml
