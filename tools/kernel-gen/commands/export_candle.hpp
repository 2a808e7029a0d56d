#pragma once
#include <string_view>
#include <vector>

#include "commands/code_files.hpp"

namespace kernelgen::tool {

/// A crate of Rust in the place of candle-kernels, which candle takes by `[patch.crates-io]`: Cargo.toml, src/lib.rs with
/// candle's `Id` and `Module` for each module of the package, the code objects, whose bytes are included, and the launchers
/// of candle-kernels' module ffi if the package has their kernels. Nothing in it needs a kernel compiler. `candle` is
/// candle's version: "0.11" or "0.11.1". Throws BadInput for other versions, and for modules whose names are not Rust
/// identifiers.
std::vector<FileText> candle_crate(const Package& package, const std::vector<CodeFile>& files,
                                   std::string_view candle);

/// The first PTX, which candle's CUDA back end takes; null without one.
const CodeFile* ptx_of(const std::vector<CodeFile>& files);

}  // namespace kernelgen::tool
