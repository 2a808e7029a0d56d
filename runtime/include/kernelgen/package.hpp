#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "kernelgen/package_format.h"

namespace kernelgen {

/// A module's code for a target: bytes stored in the package, or decoded bytes that this object owns. Valid
/// as long as the object or a copy of it exists, even after the package is destroyed.
class PackageCode {
 public:
  PackageCode() = default;
  PackageCode(std::shared_ptr<const void> owner, std::span<const std::byte> bytes)
      : owner_(std::move(owner)), bytes_(bytes) {}

  bool empty() const { return bytes_.empty(); }
  std::size_t size() const { return bytes_.size(); }
  const std::byte* data() const { return bytes_.data(); }
  std::span<const std::byte>::iterator begin() const { return bytes_.begin(); }
  std::span<const std::byte>::iterator end() const { return bytes_.end(); }
  /// Only for lvalues: the bytes of a temporary could be freed before the span is used.
  operator std::span<const std::byte>() const& { return bytes_; }
  operator std::span<const std::byte>() const&& = delete;

 private:
  std::shared_ptr<const void> owner_;
  std::span<const std::byte> bytes_;
};

/// The kernels of a build for its targets, read-only. Copies share the bytes; all functions are thread-safe.
/// Everything is checked at open, so later lookups cannot fail on damaged data.
class Package {
 public:
  /// Reads a regular file. Throws Error(io), Error(bad_package) with the file and the defect,
  /// Error(out_of_memory).
  static Package open(const std::filesystem::path& file);
  /// Uses bytes that outlive the package. `name` appears in messages. Throws Error(bad_package).
  static Package from_memory(std::span<const std::byte> bytes, std::string_view name = "package in memory");
  /// Copies the bytes. Throws Error(bad_package), Error(out_of_memory).
  static Package from_copy(std::span<const std::byte> bytes, std::string_view name = "package in memory");
  /// The package linked into the program (library kernelgen::kernels), or the file named by KERNELGEN_PACKAGE
  /// if that variable is set. Throws Error(not_found) if neither exists.
  static Package embedded();

  /// The file's path, or the name passed to from_memory().
  const std::string& name() const;
  std::span<const std::byte> bytes() const;
  /// The decoded bytes that contain the header's tables.
  std::span<const std::byte> tables() const;
  std::string_view text(std::uint32_t string_offset) const;
  std::string_view provenance() const;

  std::span<const kernelgen_target_record> targets() const;
  std::span<const kernelgen_module_record> modules() const;
  std::span<const kernelgen_kernel_record> kernels() const;
  std::span<const kernelgen_operation_record> operations() const;
  std::span<const kernelgen_blob_record> blobs() const;

  std::span<const kernelgen_argument_record> arguments(std::uint32_t kernel) const;
  std::span<const kernelgen_operand_record> operands(const kernelgen_operation_record& operation) const;
  std::span<const kernelgen_variable_record> variables(const kernelgen_operation_record& operation) const;
  /// The rows of KERNELGEN_ELEMENT_CODES numbers that variables() refer to by first_digit.
  std::span<const std::uint8_t> digits() const;
  std::span<const std::uint32_t> forms(const kernelgen_operation_record& operation) const;
  std::span<const std::uint32_t> variants(const kernelgen_operation_record& operation) const;
  const kernelgen_resource_record& resources(std::uint32_t target, std::uint32_t kernel) const;
  /// Size in bytes of a module's code for a target (by index), without decoding it; 0 if the package has
  /// none.
  std::size_t code_size(std::uint32_t target, std::uint32_t module) const;
  /// A module's code for a target (by index); empty if the package has none. Code stored compressed is
  /// decoded and owned by the caller; the package caches the last blob that it decoded, which holds a module
  /// and its neighbours. Throws Error(bad_package) with the blob that cannot be decoded or does not match the
  /// hash in its name, Error(out_of_memory).
  PackageCode code(std::uint32_t target, std::uint32_t module) const;
  /// The same, kept until the package is destroyed, for callers that cannot own it.
  std::span<const std::byte> kept_code(std::uint32_t target, std::uint32_t module) const;

  /// Id of the kernel with this name; takes one hash and one comparison.
  std::optional<std::uint32_t> find_kernel(std::string_view name) const;
  std::optional<std::uint32_t> find_target(std::string_view name) const;
  const kernelgen_operation_record* find_operation(std::string_view name) const;

  /// Decodes and hashes every blob. Throws Error(bad_package) with the first blob that cannot be decoded or
  /// whose hash differs from its recorded name.
  void check_blobs() const;

  bool operator==(const Package& other) const { return data_ == other.data_; }

 private:
  struct Data;
  const kernelgen_object_record& object_of(std::uint32_t target, std::uint32_t module) const;
  explicit Package(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

}  // namespace kernelgen
