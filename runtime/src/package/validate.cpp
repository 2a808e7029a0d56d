#include "package/validate.hpp"

#include <algorithm>
#include <bit>
#include <bitset>
#include <cstring>
#include <string>
#include <unordered_set>

#include "common/content_hash.hpp"
#include "common/format.hpp"
#include "common/utf8.hpp"
#include "kernelgen/dtype.hpp"
#include "kernelgen/name_hash.h"
#include "package/frame_decoder.hpp"
#include "package/operation_rule.hpp"
#include "package/table_reader.hpp"

namespace kernelgen {
namespace {

static_assert(std::endian::native == std::endian::little,
              "a package is read in place, and it is little-endian");

constexpr std::uint64_t table_alignment = 8;
constexpr std::uint64_t blob_alignment = 4096;
constexpr std::uint32_t largest_block = 1024;

class Validator {
 public:
  Validator(std::span<const std::byte> bytes, std::string_view origin) : read_(origin), origin_(origin) {
    view_.bytes = bytes;
  }

  PackageView run() {
    check_header(view_.bytes.size());
    check_content();
    decode_tables();
    read_tables();
    check_targets();
    check_modules();
    check_kernels();
    check_objects();
    check_name_hash();
    check_operations();
    return view_;
  }

  /// `bytes` are those of the whole package.
  void check_header(std::uint64_t bytes) {
    read_.require(bytes >= sizeof header_, "{} bytes are fewer than a package's header of {}", bytes,
                  sizeof header_);
    std::memcpy(&header_, view_.bytes.data(), sizeof header_);
    read_.require(std::memcmp(header_.magic, KERNELGEN_PACKAGE_MAGIC, sizeof header_.magic) == 0,
                  "this is not a kernel package (its first 8 bytes are not {} and a NUL)",
                  KERNELGEN_PACKAGE_MAGIC);
    read_.require(header_.version == KERNELGEN_PACKAGE_VERSION,
                  "package format version {}, this runtime reads {}", header_.version,
                  KERNELGEN_PACKAGE_VERSION);
    read_.require(header_.header_bytes == sizeof header_, "header of {} bytes, format version {} has {}",
                  header_.header_bytes, header_.version, sizeof header_);
    read_.require(header_.package_bytes == bytes, "the header says {} bytes, but there are {}",
                  header_.package_bytes, bytes);
  }

 private:
  void check_content() {
    read_.require(reinterpret_cast<std::uintptr_t>(view_.bytes.data()) % 8 == 0,
                  "the package is at address {}, which is not a multiple of 8",
                  static_cast<const void*>(view_.bytes.data()));
    const std::uint64_t hash = checksum(view_.bytes.subspan(sizeof header_));
    read_.require(header_.hash == hash, "the content hashes to {:016x}, the header says {:016x}", hash,
                  header_.hash);
  }

  /// Uncompressed tables stay in the package's bytes.
  void decode_tables() {
    const kernelgen_blob_record& tables = header_.tables;
    check_stored("the tables", tables, table_alignment);
    read_.require(tables.reference == KERNELGEN_NO_BLOB, "the tables refer to blob {}", tables.reference);
    const std::span<const std::byte> stored = view_.bytes.subspan(tables.offset, tables.stored_bytes);
    view_.tables = tables.codec == KERNELGEN_CODEC_NONE
                       ? DecodedBlob{nullptr, stored}
                       : FrameDecoder(origin_).decode(tables, stored, {}, "the tables");
    read_.set_bytes(view_.tables.bytes);
  }

  void read_tables() {
    view_.strings = read_.read<char>(header_.strings, "strings");
    const auto provenance = read_.read<char>(header_.provenance, "provenance");
    view_.provenance = {provenance.data(), provenance.size()};
    view_.targets = read_.read<kernelgen_target_record>(header_.targets, "targets");
    view_.modules = read_.read<kernelgen_module_record>(header_.modules, "modules");
    view_.kernels = read_.read<kernelgen_kernel_record>(header_.kernels, "kernels");
    view_.arguments = read_.read<kernelgen_argument_record>(header_.arguments, "arguments");
    view_.resources = read_.read<kernelgen_resource_record>(header_.resources, "resources");
    view_.objects = read_.read<kernelgen_object_record>(header_.objects, "objects");
    view_.blobs = read_.read<kernelgen_blob_record>(header_.blobs, "blobs");
    view_.displacements = read_.read<std::uint32_t>(header_.displacements, "displacements");
    view_.slots = read_.read<std::uint32_t>(header_.slots, "slots");
    view_.operations = read_.read<kernelgen_operation_record>(header_.operations, "operations");
    view_.operands = read_.read<kernelgen_operand_record>(header_.operands, "operands");
    view_.variables = read_.read<kernelgen_variable_record>(header_.variables, "variables");
    view_.digits = read_.read<std::uint8_t>(header_.digits, "digits");
    view_.forms = read_.read<std::uint32_t>(header_.forms, "forms");
    view_.variants = read_.read<std::uint32_t>(header_.variants, "variants");
    read_.require(view_.strings.empty() || view_.strings.back() == '\0',
                  "the string table does not end with a NUL");
    read_.require(is_utf8(view_.strings), "the string table is not UTF-8");
    read_.require(is_utf8(provenance), "the provenance text is not UTF-8");
  }

  void check_string(std::uint32_t offset, std::string_view owner, std::uint64_t index) {
    read_.require(offset < view_.strings.size(), "{} {}: string at offset {} of a string table of {} bytes",
                  owner, index, offset, view_.strings.size());
    read_.require(view_.strings[offset] != '\0', "{} {}: its name at string offset {} is empty", owner, index,
                  offset);
  }

  void check_targets() {
    std::unordered_set<std::string_view> names;
    for (std::size_t i = 0; i < view_.targets.size(); ++i) {
      const auto& target = view_.targets[i];
      check_string(target.name, "target", i);
      const std::string_view name = view_.text(target.name);
      read_.require(names.insert(name).second, "target {} is listed twice", name);
      read_.require(target.kind <= 2, "target {}: kind {} is none of 0 (cpu), 1 (hip), 2 (cuda)", name,
                    target.kind);
      const bool wave_fits = target.kind == 0   ? target.wave_size == 1
                             : target.kind == 1 ? target.wave_size == 32 || target.wave_size == 64
                                                : target.wave_size == 32;
      read_.require(wave_fits, "target {}: wave size {}", name, target.wave_size);
    }
  }

  void check_modules() {
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < view_.modules.size(); ++i) {
      const auto& module = view_.modules[i];
      check_string(module.name, "module", i);
      read_.require(module.first_kernel == next, "module {}: its first kernel is {}, expected {}",
                    view_.text(module.name), module.first_kernel, next);
      next += module.kernel_count;
    }
    read_.require(next == view_.kernels.size(), "the modules hold {} kernels, the kernel table {}", next,
                  view_.kernels.size());
  }

  void check_kernels() {
    for (std::size_t i = 0; i < view_.kernels.size(); ++i) {
      const auto& kernel = view_.kernels[i];
      check_string(kernel.name, "kernel", i);
      const std::string_view name = view_.text(kernel.name);
      // Unsigned wrap-around makes ids in front of the module's first kernel fail too.
      read_.require(kernel.module < view_.modules.size() && i - view_.modules[kernel.module].first_kernel <
                                                                view_.modules[kernel.module].kernel_count,
                    "kernel {} says it is in module {}, whose kernels it is not among", name, kernel.module);
      read_.require(kernel.block >= 1 && kernel.block <= largest_block,
                    "kernel {}: block of {} threads (1 to {})", name, kernel.block, largest_block);
      read_.require(
          TableReader::in_range(kernel.first_argument, kernel.argument_count, view_.arguments.size()),
          "kernel {}: arguments {} to {} of a table of {}", name, kernel.first_argument,
          std::uint64_t{kernel.first_argument} + kernel.argument_count, view_.arguments.size());
      check_arguments(kernel, name);
    }
  }

  void check_arguments(const kernelgen_kernel_record& kernel, std::string_view kernel_name) {
    std::uint64_t end = 0;
    for (std::uint32_t i = 0; i < kernel.argument_count; ++i) {
      const auto& argument = view_.arguments[kernel.first_argument + i];
      check_string(argument.name, "argument", kernel.first_argument + i);
      check_string(argument.type, "argument", kernel.first_argument + i);
      const std::string_view name = view_.text(argument.name);
      read_.require(argument.size > 0 && argument.offset >= end,
                    "kernel {}, argument {}: {} bytes at offset {} after an argument that ends at {}",
                    kernel_name, name, argument.size, argument.offset, end);
      read_.require(argument.is_pointer <= 1 && argument.is_written <= argument.is_pointer &&
                        (argument.is_pointer == 0 || (argument.size == 8 && argument.offset % 8 == 0)),
                    "kernel {}, argument {}: is_pointer {}, is_written {}, {} bytes at offset {}",
                    kernel_name, name, argument.is_pointer, argument.is_written, argument.size,
                    argument.offset);
      end = std::uint64_t{argument.offset} + argument.size;
    }
    read_.require(kernel.kernarg_bytes == end,
                  "kernel {}: {} bytes of arguments, but the last one ends at {}", kernel_name,
                  kernel.kernarg_bytes, end);
    read_.require(end <= KERNELGEN_MAX_ARGUMENT_BYTES, "kernel {}: {} bytes of arguments (at most {})",
                  kernel_name, end, KERNELGEN_MAX_ARGUMENT_BYTES);
  }

  void check_objects() {
    // Counts are below 2^32 each, so the products fit.
    read_.require(view_.resources.size() == view_.targets.size() * view_.kernels.size(),
                  "{} resource records for {} targets and {} kernels", view_.resources.size(),
                  view_.targets.size(), view_.kernels.size());
    read_.require(view_.objects.size() == view_.targets.size() * view_.modules.size(),
                  "{} object records for {} targets and {} modules", view_.objects.size(),
                  view_.targets.size(), view_.modules.size());
    for (std::size_t i = 0; i < view_.blobs.size(); ++i) check_blob(i, view_.blobs[i]);
    for (std::size_t i = 0; i < view_.objects.size(); ++i) {
      const auto& object = view_.objects[i];
      if (object.bytes == 0) continue;  // the package holds no code of that module for that target
      read_.require(object.blob < view_.blobs.size(), "object {}: blob {} of {}", i, object.blob,
                    view_.blobs.size());
      read_.require(TableReader::in_range(object.offset, object.bytes, view_.blobs[object.blob].bytes),
                    "object {}: {} bytes at offset {} of blob {}, which has {}", i, object.bytes,
                    object.offset, object.blob, view_.blobs[object.blob].bytes);
    }
  }

  void check_blob(std::size_t index, const kernelgen_blob_record& blob) {
    check_stored(formatted("blob {}", index), blob, blob_alignment);
    read_.require(blob.codec != KERNELGEN_CODEC_NONE || blob.reference == KERNELGEN_NO_BLOB,
                  "blob {}: it is stored as it is, but refers to blob {}", index, blob.reference);
    std::uint32_t references = 0;
    for (std::uint32_t next = blob.reference; next != KERNELGEN_NO_BLOB; next = view_.blobs[next].reference) {
      read_.require(next < view_.blobs.size(), "blob {}: it refers to blob {} of {}", index, next,
                    view_.blobs.size());
      read_.require(++references <= KERNELGEN_MAX_REFERENCES, "blob {}: it refers to more than {} others",
                    index, KERNELGEN_MAX_REFERENCES);
    }
  }

  /// Checks that a record's bytes are inside the package, aligned if read in place, and of bounded decoded
  /// size.
  void check_stored(std::string_view what, const kernelgen_blob_record& record, std::uint64_t alignment) {
    const bool stored = record.codec == KERNELGEN_CODEC_NONE;
    read_.require(stored || record.codec == KERNELGEN_CODEC_ZSTD, "{}: codec {} is not known to this runtime",
                  what, record.codec);
    read_.require(TableReader::in_range(record.offset, record.stored_bytes, view_.bytes.size()) &&
                      (!stored || (record.offset % alignment == 0 && record.stored_bytes == record.bytes)),
                  "{}: {} bytes ({} decoded) at offset {} of a package of {}", what, record.stored_bytes,
                  record.bytes, record.offset, view_.bytes.size());
    read_.require(stored || record.bytes <= KERNELGEN_MAX_BLOB_BYTES,
                  "{}: {} stored bytes claim to hold {} (at most {})", what, record.stored_bytes,
                  record.bytes, KERNELGEN_MAX_BLOB_BYTES);
  }

  void check_name_hash() {
    const auto count = static_cast<std::uint32_t>(view_.kernels.size());
    read_.require(view_.slots.size() == count && (count == 0 || !view_.displacements.empty()),
                  "{} hash slots and {} displacements for {} kernels", view_.slots.size(),
                  view_.displacements.size(), count);
    // When every name finds its own id, names are unique and a lookup stays in range for any input.
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::string_view name = view_.text(view_.kernels[i].name);
      const std::uint64_t hash = kernelgen_name_hash(name.data(), name.size());
      const std::uint32_t bucket =
          kernelgen_name_bucket(hash, static_cast<std::uint32_t>(view_.displacements.size()));
      const std::uint32_t slot = kernelgen_name_slot(hash, view_.displacements[bucket], count);
      read_.require(view_.slots[slot] == i, "the name hash sends kernel {} (id {}) to id {}", name, i,
                    view_.slots[slot]);
    }
  }

  void check_operations() {
    for (std::size_t i = 0; i < view_.forms.size(); ++i) check_string(view_.forms[i], "form", i);
    for (std::size_t i = 0; i < view_.variants.size(); ++i)
      read_.require(view_.variants[i] < view_.kernels.size() || view_.variants[i] == KERNELGEN_NO_KERNEL,
                    "variant {}: kernel {} of {}", i, view_.variants[i], view_.kernels.size());
    check_variables();
    std::unordered_set<std::string_view> names;
    for (std::size_t i = 0; i < view_.operations.size(); ++i) {
      const auto& operation = view_.operations[i];
      check_string(operation.name, "operation", i);
      const std::string_view name = view_.text(operation.name);
      read_.require(names.insert(name).second, "operation {} is listed twice", name);
      check_operation(operation, name);
    }
  }

  void check_operation(const kernelgen_operation_record& operation, std::string_view name) {
    const bool is_map = operation.kind == KERNELGEN_OPERATION_MAP;
    const bool is_reduction = operation.kind == KERNELGEN_OPERATION_REDUCE;
    const bool is_row = operation.kind == KERNELGEN_OPERATION_ROW;
    const bool is_matmul = operation.kind == KERNELGEN_OPERATION_MATMUL;
    read_.require(operation.kind <= KERNELGEN_OPERATION_MATMUL, "operation {}: kind {}", name,
                  operation.kind);
    const bool is_swappable = is_map && operation.input_count == 2;
    const std::uint32_t flag = is_reduction ? KERNELGEN_STATE_COUNTS_ONE : 0;
    read_.require((operation.state & ~flag) <= (is_reduction   ? KERNELGEN_STATE_EXPRESSION
                                                : is_swappable ? 1
                                                               : 0),
                  "operation {}: state {}", name, operation.state);
    read_.require(
        operation.input_count <= KERNELGEN_MAX_INPUTS && operation.scalar_count <= KERNELGEN_MAX_SCALARS,
        "operation {}: {} inputs and {} scalars (at most {} and {})", name, operation.input_count,
        operation.scalar_count, KERNELGEN_MAX_INPUTS, KERNELGEN_MAX_SCALARS);
    read_.require(!is_map || operation.input_count > 0, "operation {} is element-wise, but has no input",
                  name);
    read_.require(!is_reduction || (operation.input_count > 0 && operation.variable_count == 1),
                  "operation {} is a reduction, but has {} inputs and {} type variables", name,
                  operation.input_count, operation.variable_count);
    read_.require(!is_row || (operation.input_count > 0 && operation.variable_count == 1),
                  "operation {} is on rows, but has {} inputs and {} type variables", name,
                  operation.input_count, operation.variable_count);
    read_.require(!is_matmul || operation.input_count >= 2, "operation {} is a matmul, but has {} inputs",
                  name, operation.input_count);
    check_operands(operation, name);
    const std::string objection = rule_objection(operation, view_);
    read_.require(objection.empty(), "operation {}: its rule {}", name, objection);
    read_.require(TableReader::in_range(operation.first_form, operation.form_count, view_.forms.size()),
                  "operation {}: {} forms from {} of a table of {}", name, operation.form_count,
                  operation.first_form, view_.forms.size());
    read_.require(!is_map || begins_with(operation, {"contiguous", "strided"}),
                  "operation {} is element-wise, but its first forms are not contiguous and strided", name);
    read_.require(!is_row || begins_with(operation, {"rows"}),
                  "operation {} is on rows, but its first form is not rows", name);
    read_.require(!is_matmul || begins_with(operation, {"tiled", "vector", "mapped"}),
                  "operation {} is a matmul, but its first forms are not tiled, vector and mapped", name);
    read_.require(!is_reduction || begins_with(operation, {"rows", "columns", "combine"}),
                  "operation {} is a reduction, but its first forms are not rows, columns and combine", name);
    read_.require(
        operation.variable_count <= KERNELGEN_MAX_TYPE_VARIABLES &&
            TableReader::in_range(operation.first_variable, operation.variable_count, view_.variables.size()),
        "operation {}: {} type variables (at most {}) from {} of a table of {}", name,
        operation.variable_count, KERNELGEN_MAX_TYPE_VARIABLES, operation.first_variable,
        view_.variables.size());
    // A few numbers below 256 and one of 32 bits: the product fits.
    std::uint64_t variants = operation.form_count;
    for (std::uint32_t i = 0; i < operation.variable_count; ++i)
      variants *= view_.variables[operation.first_variable + i].radix;
    read_.require(operation.variant_count == variants &&
                      TableReader::in_range(operation.first_variant, variants, view_.variants.size()),
                  "operation {}: {} variants from {} of a table of {}, expected {}", name,
                  operation.variant_count, operation.first_variant, view_.variants.size(), variants);
  }

  void check_operands(const kernelgen_operation_record& operation, std::string_view name) {
    const std::uint64_t operands = std::uint64_t{operation.input_count} + 1 + operation.scalar_count;
    read_.require(TableReader::in_range(operation.first_operand, operands, view_.operands.size()),
                  "operation {}: {} operands from {} of a table of {}", name, operands,
                  operation.first_operand, view_.operands.size());
    for (std::uint64_t i = 0; i < operands; ++i) {
      const auto& operand = view_.operands[operation.first_operand + i];
      check_string(operand.name, "operand", operation.first_operand + i);
      // Raw types are for type variables: a tensor has a dtype.
      const bool known = (operand.type & KERNELGEN_TYPE_VARIABLE) != 0
                             ? (operand.type & ~KERNELGEN_TYPE_VARIABLE) < operation.variable_count
                             : operand.type < dtype_count;
      read_.require(known, "operation {}, operand {}: type {:#x}", name, view_.text(operand.name),
                    operand.type);
    }
  }

  void check_variables() {
    for (std::size_t i = 0; i < view_.variables.size(); ++i) {
      const auto& variable = view_.variables[i];
      check_string(variable.name, "type variable", i);
      const std::string_view name = view_.text(variable.name);
      read_.require(TableReader::in_range(variable.first_digit, KERNELGEN_ELEMENT_CODES, view_.digits.size()),
                    "type variable {} ({}): digits from {} of a table of {}", i, name, variable.first_digit,
                    view_.digits.size());
      std::bitset<KERNELGEN_ELEMENT_CODES> taken;
      for (std::uint32_t code = 0; code < KERNELGEN_ELEMENT_CODES; ++code) {
        const std::uint8_t digit = view_.digits[variable.first_digit + code];
        if (digit == KERNELGEN_NO_DIGIT) continue;
        read_.require(digit < variable.radix && digit < taken.size() && !taken[digit],
                      "type variable {} ({}): digit {} of element code {} is none of {} or is taken", i, name,
                      digit, code, variable.radix);
        read_.require(is_element_code(code), "type variable {} ({}): there is no element code {}", i, name,
                      code);
        taken.set(digit);
      }
      read_.require(taken.count() == variable.radix && variable.radix > 0,
                    "type variable {} ({}): takes {} element codes, its radix is {}", i, name, taken.count(),
                    variable.radix);
    }
  }

  /// Whether these are the operation's first forms.
  bool begins_with(const kernelgen_operation_record& operation,
                   std::initializer_list<std::string_view> names) const {
    if (operation.form_count < names.size()) return false;
    std::size_t index = operation.first_form;
    return std::ranges::all_of(
        names, [&](std::string_view name) { return view_.text(view_.forms[index++]) == name; });
  }

  TableReader read_;
  std::string_view origin_;
  kernelgen_package_header header_{};
  PackageView view_;
};

}  // namespace

void check_header(std::span<const std::byte> start, std::uint64_t package_bytes, std::string_view origin) {
  Validator(start, origin).check_header(package_bytes);
}

PackageView validate(std::span<const std::byte> bytes, std::string_view origin) {
  return Validator(bytes, origin).run();
}

}  // namespace kernelgen
