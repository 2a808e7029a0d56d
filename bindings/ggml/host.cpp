#include "host.hpp"

#include <dlfcn.h>

#include <cstdio>

namespace kernelgen::ggml {
namespace {

/// The program's libggml-base. It need not be in the global scope: Python loads it into a local one.
void* library() {
  if (dlsym(RTLD_DEFAULT, "ggml_backend_buffer_init") != nullptr) return RTLD_DEFAULT;
  for (const char* name : {"libggml-base.so.0", "libggml-base.so"})
    if (void* const handle = dlopen(name, RTLD_NOLOAD | RTLD_LAZY)) return handle;
  return RTLD_DEFAULT;
}

template <class Function>
bool find(void* from, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(from, name));
  if (function == nullptr)
    std::fprintf(stderr,
                 "libggml-kernelgen: the program's ggml has no function %s; the plug-in needs ggml 0.9.5 or "
                 "later, and is loaded by ggml (GGML_BACKEND_PATH)\n",
                 name);
  return function != nullptr;
}

/// Version 3 brought this function. A ggml of a later version compares the registry's number with its own and
/// refuses the plug-in by name of both.
int version_of(void* from) { return dlsym(from, "ggml_backend_buft_alloc_buffer_n") != nullptr ? 3 : 2; }

Host found;

}  // namespace

const Host* Host::find() {
  void* const from = library();
  const bool has_all = ggml::find(from, "ggml_backend_buffer_init", found.buffer_init) &&
                       ggml::find(from, "ggml_op_name", found.op_name) &&
                       ggml::find(from, "ggml_unary_op_name", found.unary_op_name) &&
                       ggml::find(from, "ggml_glu_op_name", found.glu_op_name) &&
                       ggml::find(from, "ggml_nbytes", found.nbytes) &&
                       ggml::find(from, "ggml_log_internal", found.log_internal);
  if (!has_all) return nullptr;
  found.api_version = version_of(from);
  return &found;
}

void Host::log(LogLevel level, const std::string& text) const {
  log_internal(static_cast<int>(level), "libggml-kernelgen: %s\n", text.c_str());
}

const Host& host() { return found; }

}  // namespace kernelgen::ggml
