#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "kernelgen/package_format.h"
#include "package/decoded_blob.hpp"

namespace kernelgen {

/// The tables of a package, as spans into its bytes or into what those were decoded to, which the view keeps. Only
/// `validate` makes one, so every offset and index in a view may be followed without checking again.
struct PackageView {
  std::span<const std::byte> bytes;
  DecodedBlob tables;
  std::span<const char> strings;
  std::string_view provenance;
  std::span<const kernelgen_target_record> targets;
  std::span<const kernelgen_module_record> modules;
  std::span<const kernelgen_kernel_record> kernels;
  std::span<const kernelgen_argument_record> arguments;
  std::span<const kernelgen_resource_record> resources;
  std::span<const kernelgen_object_record> objects;
  std::span<const kernelgen_blob_record> blobs;
  std::span<const std::uint32_t> displacements;
  std::span<const std::uint32_t> slots;
  std::span<const kernelgen_operation_record> operations;
  std::span<const kernelgen_operand_record> operands;
  std::span<const kernelgen_variable_record> variables;
  std::span<const std::uint8_t> digits;
  std::span<const std::uint32_t> forms;
  std::span<const std::uint32_t> variants;

  /// The NUL-terminated string at a checked offset.
  std::string_view text(std::uint32_t offset) const { return strings.data() + offset; }
};

}  // namespace kernelgen
