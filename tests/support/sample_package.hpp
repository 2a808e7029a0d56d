#pragma once
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "support/package_builder.hpp"

namespace kernelgen::test {

inline constexpr Argument scale_arguments[] = {
    {"x", "const f32*", 8, true, false}, {"y", "f32*", 8, true, true}, {"n", "u64", 8}, {"factor", "f32", 4}};
inline constexpr Argument visit_arguments[] = {{"visits", "u32*", 8, true, true}};

struct SampleTarget {
  std::string_view name;
  std::uint32_t kind;
  std::uint32_t wave_size;
  std::span<const std::byte> code;
};

enum class Compressed { no, yes };

/// A package of two modules: "scale" with the kernels of support/cpu_kernels.c and one that no code object has
/// ("missing_kernel"), and "absent", for which there is no code. Operation "scale" has kernels for f32 only.
inline std::vector<std::byte> sample_package(std::span<const SampleTarget> targets,
                                             Compressed compressed = Compressed::no) {
  PackageBuilder builder;
  for (const SampleTarget& target : targets) builder.add_target(target.name, target.kind, target.wave_size);
  builder.add_module("scale");
  const std::uint32_t scale = builder.add_kernel("kg_scale_f32", scale_arguments);
  builder.add_kernel("kg_visit", visit_arguments);
  builder.add_kernel("missing_kernel", visit_arguments);
  for (std::uint32_t i = 0; i < targets.size(); ++i)
    if (!targets[i].code.empty() && compressed == Compressed::yes)
      builder.add_compressed(i, 0, targets[i].code);
    else if (!targets[i].code.empty())
      builder.add_code(i, 0, targets[i].code);
  builder.add_module("absent");
  builder.add_kernel("kg_absent", visit_arguments);
  constexpr std::string_view inputs[] = {"x"}, forms[] = {"contiguous", "strided"};
  constexpr std::uint32_t f32[] = {7};
  const TypeVariable variables[] = {{"T", f32}};
  const std::uint32_t variants[] = {scale, KERNELGEN_NO_KERNEL};
  builder.add_operation("scale", inputs, forms, variables, variants);
  return builder.finish();
}

/// A package of one kernel, which takes that argument. Its module has code for the targets that bring some.
inline std::vector<std::byte> kernel_package(std::span<const SampleTarget> targets,
                                             const Argument& argument) {
  PackageBuilder builder;
  for (const SampleTarget& target : targets) builder.add_target(target.name, target.kind, target.wave_size);
  builder.add_module("module");
  builder.add_kernel("kernel", {&argument, 1});
  for (std::uint32_t i = 0; i < targets.size(); ++i)
    if (!targets[i].code.empty()) builder.add_code(i, 0, targets[i].code);
  return builder.finish();
}

}  // namespace kernelgen::test
