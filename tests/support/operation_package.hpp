#pragma once
#include "support/sample_package.hpp"

namespace kernelgen::test {

/// A package of one operation, each form of which has one kernel for all floating-point dtypes.
inline std::vector<std::byte> operation_package(const SampleTarget& target, std::string_view name,
                                                std::span<const std::string_view> inputs,
                                                std::span<const std::string_view> forms) {
  constexpr std::size_t element_codes = 14, first_float = 5, floats = 5;
  PackageBuilder builder;
  builder.add_target(target.name, target.kind, target.wave_size);
  builder.add_module(name);
  std::vector<std::uint32_t> variants(element_codes * forms.size(), KERNELGEN_NO_KERNEL);
  for (std::size_t form = 0; form < forms.size(); ++form) {
    const std::uint32_t kernel = builder.add_kernel(forms[form], visit_arguments);
    for (std::size_t code = first_float; code < first_float + floats; ++code)
      variants[code * forms.size() + form] = kernel;
  }
  builder.add_code(0, 0, target.code);
  builder.add_operation(name, inputs, forms, variants);
  return builder.finish();
}

}  // namespace kernelgen::test
