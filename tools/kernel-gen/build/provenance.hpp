#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.hpp"
#include "manifest/filter.hpp"
#include "manifest/kernel.hpp"
#include "manifest/node.hpp"
#include "manifest/target.hpp"

namespace kernelgen::tool {

/// Adds to a package's provenance what its tables were made from: the manifests' text under plain file names, the
/// --only texts, and the targets' rows. No path: the same inputs give the same bytes in any folder.
void record_inputs(Json& provenance, std::span<const Manifest> manifests, std::span<const std::string> only,
                   std::span<const Target* const> targets);

/// What record_inputs() recorded, read again.
struct RecordedInputs {
  std::vector<Manifest> manifests;
  std::vector<std::string> only;
  std::vector<Target> targets;
};

/// Adds what is wrong to `faults`; the inputs may be used only when nothing was added. `origin` is what the faults
/// name, in addition to the manifest.
RecordedInputs read_inputs(std::string_view provenance, const std::string& origin, Faults& faults);

}  // namespace kernelgen::tool
