#pragma once
#include <string>

#include "support/sample_package.hpp"

namespace kernelgen::test {

/// A form of an operation, and how many bytes of arguments its kernel takes.
struct SampleForm {
  std::string_view name;
  std::uint32_t bytes;
};

struct SampleOperation {
  std::string_view name;
  std::span<const std::string_view> inputs;
  std::span<const SampleForm> forms;
  std::uint32_t variables = 1;  ///< the second one is that of indices
};

/// A package of operations, each form of which has one kernel for all dtypes, "NAME_FORM".
inline std::vector<std::byte> operation_package(const SampleTarget& target,
                                                std::span<const SampleOperation> operations) {
  constexpr std::size_t element_codes = 14, dtypes = 10;
  PackageBuilder builder;
  builder.add_target(target.name, target.kind, target.wave_size);
  builder.add_module("operations");
  builder.add_code(0, 0, target.code);
  for (const auto& [name, inputs, forms, variables] : operations) {
    const std::size_t index_codes = variables == 1 ? 1 : element_codes;
    std::vector<std::string_view> form_names;
    std::vector<std::uint32_t> variants(element_codes * index_codes * forms.size(), KERNELGEN_NO_KERNEL);
    for (std::size_t form = 0; form < forms.size(); ++form) {
      form_names.push_back(forms[form].name);
      const Argument arguments[] = {{"block", "Block", forms[form].bytes}};
      const std::uint32_t kernel =
          builder.add_kernel(std::string(name) + "_" + std::string(forms[form].name), arguments);
      for (std::size_t code = 0; code < dtypes; ++code)
        for (std::size_t index = 0; index < std::min(dtypes, index_codes); ++index)
          variants[(code * index_codes + index) * forms.size() + form] = kernel;
    }
    builder.add_operation(name, inputs, form_names, variants, variables);
  }
  return builder.finish();
}

}  // namespace kernelgen::test
