#include "support/assembled.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "base/process.hpp"
#include "support/temporary_file.hpp"

namespace kernelgen::test {
namespace {

std::string source(std::string_view processor, const AssembledKernel& kernel) {
  return fmt::format(R"(.text
.globl {0}
.type {0},@function
.p2align 8
{0}:
{1}
s_endpgm
.size {0}, .-{0}
.rodata
.globl {0}.kd
.type {0}.kd,@object
.size {0}.kd, 64
.p2align 6
{0}.kd: .zero 64
.amdgpu_metadata
{{amdhsa.target: "amdgcn-amd-amdhsa--{7}", amdhsa.version: [1, 2], amdhsa.kernels: [{{.name: {0}, .symbol: {0}.kd, .vgpr_count: {2}, .agpr_count: {3},
  .sgpr_count: 16, .vgpr_spill_count: 0, .sgpr_spill_count: 0, .group_segment_fixed_size: {4},
  .private_segment_fixed_size: 0, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .wavefront_size: {5},
  .max_flat_workgroup_size: {6}}}]}}
.end_amdgpu_metadata
)",
                     kernel.name, kernel.body, kernel.vgprs, kernel.agprs, kernel.lds_bytes, kernel.wave_size,
                     kernel.block, processor);
}

}  // namespace

std::vector<std::byte> assembled(std::string_view processor, const AssembledKernel& kernel) {
  const std::string text = source(processor, kernel);
  const TemporaryFile file("assembled.s", std::as_bytes(std::span(text)));
  const TemporaryFile object("assembled.hsaco", {});
  const auto runner = tool::make_process_runner();
  const tool::ProcessResult result =
      tool::run_process(*runner, {KERNELGEN_CLANG, "-target", "amdgcn-amd-amdhsa", "-nogpulib",
                                  fmt::format("-mcpu={}", processor), "-mcode-object-version=5",
                                  kernel.wave_size == 64 ? "-mwavefrontsize64" : "-mno-wavefrontsize64",
                                  file.path().string(), "-o", object.path().string()});
  if (!result.ok())
    throw std::runtime_error(fmt::format("{}: {}\n{}", KERNELGEN_CLANG, result.outcome(), result.err));
  return read_file(object.path());
}

}  // namespace kernelgen::test
