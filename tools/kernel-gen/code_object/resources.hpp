#pragma once
#include <string_view>

#include "code_object/code_object.hpp"
#include "kernelgen/package_format.h"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// Calls f(name, member of CodeKernel, member of kernelgen_resource_record) for each figure that a code object gives of
/// a kernel: the one list of them.
template <class F>
void for_each_resource(F f) {
  using K = CodeKernel;
  using R = kernelgen_resource_record;
  f("vgprs", &K::vgprs, &R::vgprs);
  f("agprs", &K::agprs, &R::agprs);
  f("sgprs", &K::sgprs, &R::sgprs);
  f("vgpr_spills", &K::vgpr_spills, &R::vgpr_spills);
  f("sgpr_spills", &K::sgpr_spills, &R::sgpr_spills);
  f("lds_bytes", &K::lds_bytes, &R::lds_bytes);
  f("scratch_bytes", &K::scratch_bytes, &R::scratch_bytes);
  f("kernarg_bytes", &K::kernarg_bytes, &R::kernarg_bytes);
  f("wave_size", &K::wave_size, &R::wave_size);
  f("max_block", &K::max_block, &R::max_block);
}

/// The kernel's row of a package; figures too large for their field are its largest value.
kernelgen_resource_record resource_record(const CodeKernel& kernel);

/// Adds the figures to a JSON object.
void add_resources(const CodeKernel& kernel, Json& row);

}  // namespace kernelgen::tool
