#pragma once
#include <string>
#include <string_view>

namespace kernelgen {

/// Why `text` cannot stand as a kernel's body in a generated source; empty when it can. Bodies call templates of the
/// manifest's header, so this does not parse C++: it refuses anything but one expression on one line, and the compiler
/// judges the rest. Reads on from the key's name.
std::string body_objection(std::string_view text);

}  // namespace kernelgen
