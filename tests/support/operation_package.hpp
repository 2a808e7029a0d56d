#pragma once
#include <string>

#include "support/sample_package.hpp"

namespace kernelgen::test {

/// A form of an operation, and how many bytes of arguments and of shared memory its kernel takes.
struct SampleForm {
  std::string_view name;
  std::uint32_t bytes;
  std::uint32_t lds_bytes = 0;
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
  constexpr std::uint32_t dtypes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const TypeVariable variables[] = {{"T", dtypes}, {"Id", dtypes}};
  PackageBuilder builder;
  builder.add_target(target.name, target.kind, target.wave_size);
  builder.add_module("operations");
  builder.add_code(0, 0, target.code);
  for (const auto& [name, inputs, forms, variable_count] : operations) {
    std::vector<std::string_view> form_names;
    std::vector<std::uint32_t> kernels;
    for (const SampleForm& form : forms) {
      form_names.push_back(form.name);
      const Argument arguments[] = {{"block", "Block", form.bytes}};
      kernels.push_back(
          builder.add_kernel(std::string(name) + "_" + std::string(form.name), arguments, form.lds_bytes));
    }
    std::size_t rows = 1;
    for (std::uint32_t v = 0; v < variable_count; ++v) rows *= std::size(dtypes);
    std::vector<std::uint32_t> variants;
    for (std::size_t row = 0; row < rows; ++row)
      variants.insert(variants.end(), kernels.begin(), kernels.end());
    builder.add_operation(name, inputs, form_names, std::span(variables).first(variable_count), variants);
  }
  return builder.finish();
}

}  // namespace kernelgen::test
