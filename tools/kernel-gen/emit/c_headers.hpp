#pragma once

namespace kernelgen::tool {

/// The texts of kernelgen/name_hash.h and kernelgen/package_format.h, include guards and all: the registry's header
/// holds them, so that it compiles without this library's headers and, thanks to the guards, with them too.
extern const char* const name_hash_header;
extern const char* const package_format_header;

}  // namespace kernelgen::tool
