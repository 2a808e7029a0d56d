#include "compile/compile.hpp"

#include <string>
#include <utility>

#include "common/content_hash.hpp"
#include "common/environment.hpp"
#include "compile/code_cache.hpp"
#include "compile/kernel_headers.hpp"

namespace kernelgen {
namespace {

ContentHash hash_of(std::string_view text) { return content_hash(std::as_bytes(std::span(text))); }

/// Hashes everything passed to a compiler, and its identity.
ContentHash key_of(const CompileRequest& request) {
  const Environment environment = process_environment();
  std::string told;
  const auto add = [&](std::string_view text) { told.append(text).push_back('\0'); };
  const ContentHash headers = kernel_headers_hash();
  told.append(reinterpret_cast<const char*>(&headers), sizeof headers);
  told.push_back(static_cast<char>(request.kind));
  for (const char* variable : {"KERNELGEN_CLANG", "KERNELGEN_NVRTC_LIBRARY", "KERNELGEN_HIPRTC_LIBRARY"})
    add(environment(variable));
  add(request.name);
  for (const std::string& flag : flags_of(request)) add(flag);
  add("");
  add(request.source);
  return hash_of(told);
}

}  // namespace

CompiledCode compile(const CompileRequest& request, bool is_cached) {
  if (!is_cached) return compiler_for(request.kind).compile(request);
  const CodeCache cache(cache_directory(process_environment()));
  const ContentHash key = key_of(request);
  if (auto found = cache.find(key)) return std::move(*found);
  CompiledCode made = compiler_for(request.kind).compile(request);
  cache.store(key, made);
  return made;
}

}  // namespace kernelgen
