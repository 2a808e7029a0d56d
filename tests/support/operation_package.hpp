#pragma once
#include <string>

#include "support/sample_package.hpp"

namespace kernelgen::test {

struct SampleOperation {
  std::string_view name;
  std::span<const std::string_view> inputs, forms;
};

/// A package of operations, each form of which has one kernel for all floating-point dtypes, "NAME_FORM".
inline std::vector<std::byte> operation_package(const SampleTarget& target,
                                                std::span<const SampleOperation> operations) {
  constexpr std::size_t element_codes = 14, first_float = 5, floats = 5;
  PackageBuilder builder;
  builder.add_target(target.name, target.kind, target.wave_size);
  builder.add_module("operations");
  builder.add_code(0, 0, target.code);
  for (const auto& [name, inputs, forms] : operations) {
    std::vector<std::uint32_t> variants(element_codes * forms.size(), KERNELGEN_NO_KERNEL);
    for (std::size_t form = 0; form < forms.size(); ++form) {
      const std::string kernel_name = std::string(name) + "_" + std::string(forms[form]);
      const std::uint32_t kernel = builder.add_kernel(kernel_name, visit_arguments);
      for (std::size_t code = first_float; code < first_float + floats; ++code)
        variants[code * forms.size() + form] = kernel;
    }
    builder.add_operation(name, inputs, forms, variants);
  }
  return builder.finish();
}

}  // namespace kernelgen::test
