#include "fault.hpp"

#include <fmt/format.h>
#include <llvm/Support/JSON.h>

namespace kernelgen::amdgpu {
namespace {

std::string spell(const FaultSite& site) {
  return fmt::format("simulated {}: kernel '{}': block ({}, {}, {}), wave {}{}: at {:#x} `{}`{}: {}",
                     site.processor, site.kernel, site.block[0], site.block[1], site.block[2], site.wave,
                     site.lane < 0 ? "" : fmt::format(", lane {}", site.lane), site.address, site.instruction,
                     site.source.empty() ? "" : fmt::format(" ({})", site.source), site.what);
}

}  // namespace

Fault::Fault(Kind kind, const FaultSite& site) : std::runtime_error(spell(site)), kind_(kind), site_(site) {}

std::string to_json(const Fault& fault) {
  llvm::json::Object object;
  object["kind"] = std::string(name_of(fault.kind()));
  object["report"] = fault.what();
  if (const auto& site = fault.site()) {
    object["gpu"] = site->processor;
    object["kernel"] = site->kernel;
    object["block"] = llvm::json::Array(site->block);
    object["wave"] = static_cast<std::int64_t>(site->wave);
    if (site->lane >= 0) object["lane"] = site->lane;
    object["address"] = static_cast<std::int64_t>(site->address);
    object["instruction"] = site->instruction;
    if (!site->source.empty()) object["source"] = site->source;
    object["what"] = site->what;
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(object));
  return text;
}

}  // namespace kernelgen::amdgpu
