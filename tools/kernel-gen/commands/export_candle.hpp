#pragma once
#include <vector>

#include "commands/code_files.hpp"

namespace kernelgen::tool {

/// A crate of Rust in the place of candle-kernels, which candle takes by `[patch.crates-io]`: Cargo.toml, src/lib.rs with
/// candle's `Id` and `Module` for each module of the package, and the code objects, whose bytes are included. Nothing in it
/// needs a kernel compiler. Throws BadInput for modules whose names are not Rust identifiers.
std::vector<FileText> candle_crate(const Package& package, const std::vector<CodeFile>& files);

}  // namespace kernelgen::tool
