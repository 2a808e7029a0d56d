#include "compile/manifest_compiler.hpp"
#include "device/compile.hpp"
#include "device/target_select.hpp"

namespace kernelgen {
AddedPackage Device::add(const Package& package) const { return {package, state_->kernels().add(package)}; }

AddedPackage Device::compile_manifest(std::string_view manifest, const ManifestOptions& options) const {
  check_source_name("compile_manifest", options.name);
  const std::string target = build_target(kind(), state_->driver().info().architecture, location());
  const CompiledCode made =
      kernelgen::compile_manifest({target, options.name, manifest, options.headers}, options.is_cached);
  return add(Package::from_copy(made.code, options.name));
}

}  // namespace kernelgen
