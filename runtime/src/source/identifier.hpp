#pragma once
#include <string>
#include <string_view>

namespace kernelgen {

/// Why `name` is not of the form of C identifiers, as symbols of object files are; empty when it is. Reads on from "'name' ".
std::string symbol_objection(std::string_view name);

/// Why `name` cannot be a name in both C and C++; empty when it can. Reads on from "'name' ".
std::string identifier_objection(std::string_view name);

/// Why a generated source must not use `name`, which the compiler or the kernels' vocabulary may have defined
/// as a macro; empty when it may. Reads on from "'name' ". identifier_objection() asks this too.
std::string reserved_objection(std::string_view name);

}  // namespace kernelgen
