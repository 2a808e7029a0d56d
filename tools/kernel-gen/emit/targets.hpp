#pragma once
#include <string>

#include "manifest/target.hpp"

namespace kernelgen::tool {

/// targets.inc: a line KERNELGEN_TARGET(name, kind, isa, wave_size, generic, code_object_version) for each
/// target, for a reader that defines the macro. `kind` is the word cpu, hip or cuda; `generic` is "" where
/// the target has none.
std::string emit_targets(const TargetTable& table);

}  // namespace kernelgen::tool
