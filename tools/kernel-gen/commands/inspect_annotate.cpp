#include "commands/inspect_annotate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "commands/binary_file.hpp"
#include "commands/package_file.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

namespace {

constexpr std::size_t most_named_objects = 6;

/// A table of the header: its name there, and how wide a record is.
struct TableField {
  const char* name;
  std::size_t field;
  std::size_t record_bytes;
};

#define FIELD(name, record) {#name, offsetof(kernelgen_package_header, name), sizeof(record)}
constexpr TableField tables[] = {FIELD(strings, char),
                                 FIELD(provenance, char),
                                 FIELD(targets, kernelgen_target_record),
                                 FIELD(modules, kernelgen_module_record),
                                 FIELD(kernels, kernelgen_kernel_record),
                                 FIELD(arguments, kernelgen_argument_record),
                                 FIELD(resources, kernelgen_resource_record),
                                 FIELD(objects, kernelgen_object_record),
                                 FIELD(blobs, kernelgen_blob_record),
                                 FIELD(displacements, std::uint32_t),
                                 FIELD(slots, std::uint32_t),
                                 FIELD(operations, kernelgen_operation_record),
                                 FIELD(operands, kernelgen_operand_record),
                                 FIELD(variables, kernelgen_variable_record),
                                 FIELD(digits, std::uint8_t),
                                 FIELD(forms, std::uint32_t),
                                 FIELD(variants, std::uint32_t)};
#undef FIELD

class Annotator {
 public:
  explicit Annotator(const Package& package) : package_(package), bytes_(package.bytes()) {
    std::memcpy(&header_, bytes_.data(), sizeof header_);
  }

  std::vector<ByteRange> run() {
    add_header();
    name_objects();
    if (header_.tables.codec == KERNELGEN_CODEC_NONE) {
      add_records();
      add_operations();
      add_texts();
    } else {
      add_in_tables(0, header_.tables.stored_bytes,
                    fmt::format("all tables (Zstandard of {} bytes)", header_.tables.bytes));
    }
    add_blobs();
    return without_gaps();
  }

 private:
  void add(std::uint64_t offset, std::uint64_t bytes, std::string what) {
    if (bytes != 0) ranges_.push_back({offset, bytes, std::move(what)});
  }

  /// The same of tables that are stored as they are; `offset` is from their start.
  void add_in_tables(std::uint64_t offset, std::uint64_t bytes, std::string what) {
    add(header_.tables.offset + offset, bytes, std::move(what));
  }

  /// Adds each record of a table under the name that `name` gives its index, in groups of `group`.
  template <class Name>
  void add_table(const kernelgen_table& table, std::size_t record_bytes, Name name, std::uint64_t group = 1) {
    for (std::uint64_t i = 0; i < table.count; i += group)
      add_in_tables(table.offset + i * record_bytes, std::min(group, table.count - i) * record_bytes,
                    name(i));
  }

  std::string_view text(std::uint32_t offset) const { return package_.text(offset); }
  std::string_view target(std::uint64_t index) const { return text(package_.targets()[index].name); }
  std::string_view module(std::uint64_t index) const { return text(package_.modules()[index].name); }
  std::string_view kernel(std::uint64_t index) const { return text(package_.kernels()[index].name); }

  void add_header() {
    add(offsetof(kernelgen_package_header, magic), sizeof header_.magic, "header: magic");
    add(offsetof(kernelgen_package_header, version), sizeof header_.version,
        fmt::format("header: version {}", header_.version));
    add(offsetof(kernelgen_package_header, header_bytes), sizeof header_.header_bytes,
        fmt::format("header: {} bytes of header", header_.header_bytes));
    add(offsetof(kernelgen_package_header, package_bytes), sizeof header_.package_bytes,
        fmt::format("header: {} bytes of package", header_.package_bytes));
    add(offsetof(kernelgen_package_header, hash), sizeof header_.hash,
        fmt::format("header: XXH3-64 {:016x} of what follows the header", header_.hash));
    add(offsetof(kernelgen_package_header, tables), sizeof header_.tables,
        fmt::format("header: where all tables are: {} bytes from {}", header_.tables.stored_bytes,
                    header_.tables.offset));
    for (const TableField& field : tables) {
      kernelgen_table table;
      std::memcpy(&table, bytes_.data() + field.field, sizeof table);
      add(field.field, sizeof table,
          fmt::format("header: where in them {} are: {} of {} bytes from {}", field.name, table.count,
                      field.record_bytes, table.offset));
    }
  }

  /// Which objects each blob has.
  void name_objects() {
    const auto* objects = records<kernelgen_object_record>(header_.objects);
    for (std::uint64_t i = 0; i < header_.objects.count; ++i)
      if (objects[i].bytes != 0) objects_of_blob_[objects[i].blob].push_back(object(i));
  }

  std::string object(std::uint64_t index) const {
    const std::uint64_t modules = header_.modules.count;
    return fmt::format("{} for {}", module(index % modules), target(index / modules));
  }

  void add_records() {
    const std::uint64_t kernels = header_.kernels.count;
    add_table(header_.targets, sizeof(kernelgen_target_record),
              [&](std::uint64_t i) { return fmt::format("target {}: {}", i, target(i)); });
    add_table(header_.modules, sizeof(kernelgen_module_record), [&](std::uint64_t i) {
      const kernelgen_module_record& row = package_.modules()[i];
      return fmt::format("module {}: {}, {} from kernel {}", i, module(i),
                         spell_count(row.kernel_count, "kernel"), row.first_kernel);
    });
    add_table(header_.kernels, sizeof(kernelgen_kernel_record), [&](std::uint64_t i) {
      const kernelgen_kernel_record& row = package_.kernels()[i];
      return fmt::format("kernel {}: {}, of module {}, {} from {}", i, kernel(i), module(row.module),
                         spell_count(row.argument_count, "argument"), row.first_argument);
    });
    const auto* arguments = records<kernelgen_argument_record>(header_.arguments);
    add_table(header_.arguments, sizeof(kernelgen_argument_record), [&](std::uint64_t i) {
      return fmt::format("argument {}: {} {}", i, text(arguments[i].type), text(arguments[i].name));
    });
    add_table(header_.resources, sizeof(kernelgen_resource_record), [&](std::uint64_t i) {
      return fmt::format("resources of {} for {}", kernel(i % kernels), target(i / kernels));
    });
    const auto* objects = records<kernelgen_object_record>(header_.objects);
    add_table(header_.objects, sizeof(kernelgen_object_record), [&](std::uint64_t i) {
      return fmt::format("object of {}: {} bytes from {} of blob {}", object(i), objects[i].bytes,
                         objects[i].offset, objects[i].blob);
    });
    add_table(header_.blobs, sizeof(kernelgen_blob_record),
              [&](std::uint64_t i) { return fmt::format("record of blob {}", i); });
    add_in_tables(header_.displacements.offset, header_.displacements.count * sizeof(std::uint32_t),
                  "perfect hash of the kernels' names: displacements");
    add_in_tables(header_.slots.offset, header_.slots.count * sizeof(std::uint32_t),
                  "perfect hash of the kernels' names: kernels by slot");
    add_table(
        header_.digits, 1, [&](std::uint64_t i) { return fmt::format("digits from {}", i); },
        KERNELGEN_ELEMENT_CODES);
  }

  template <class Record>
  const Record* records(const kernelgen_table& table) const {
    return reinterpret_cast<const Record*>(package_.tables().data() + table.offset);
  }

  /// Operations, and of each what it alone has in other tables.
  void add_operations() {
    for (std::size_t i = 0; i < package_.operations().size(); ++i) {
      const kernelgen_operation_record& operation = package_.operations()[i];
      const std::string name = fmt::format("operation {}", text(operation.name));
      add_in_tables(header_.operations.offset + i * sizeof operation, sizeof operation, name);
      const auto add_part = [&](const kernelgen_table& table, std::uint64_t first, std::uint64_t count,
                                std::size_t record_bytes, const char* what) {
        add_in_tables(table.offset + first * record_bytes, count * record_bytes,
                      fmt::format("{}: {}", name, what));
      };
      add_part(header_.variables, operation.first_variable, operation.variable_count,
               sizeof(kernelgen_variable_record), "type variables");
      add_part(header_.operands, operation.first_operand, package_.operands(operation).size(),
               sizeof(kernelgen_operand_record), "operands");
      add_part(header_.forms, operation.first_form, operation.form_count, sizeof(std::uint32_t), "forms");
      add_part(header_.variants, operation.first_variant, operation.variant_count, sizeof(std::uint32_t),
               "kernels by types and form");
    }
  }

  void add_texts() {
    add_in_tables(header_.provenance.offset, header_.provenance.count, "provenance (JSON)");
    const std::uint64_t end = header_.strings.offset + header_.strings.count;
    for (std::uint64_t at = header_.strings.offset; at < end;) {
      const std::string_view string = text(static_cast<std::uint32_t>(at - header_.strings.offset));
      add_in_tables(at, string.size() + 1, fmt::format("string '{}'", string));
      at += string.size() + 1;
    }
  }

  void add_blobs() {
    for (std::size_t i = 0; i < package_.blobs().size(); ++i) {
      const kernelgen_blob_record& blob = package_.blobs()[i];
      std::vector<std::string> names = objects_of_blob_[i];
      if (names.size() > most_named_objects) {
        const std::size_t more = names.size() - most_named_objects;
        names.resize(most_named_objects);
        names.push_back(fmt::format("{} more", more));
      }
      const bool is_stored = blob.codec == KERNELGEN_CODEC_NONE;
      const std::string after = is_stored || blob.reference == KERNELGEN_NO_BLOB
                                    ? ""
                                    : fmt::format(" after blob {}", blob.reference);
      add(blob.offset, blob.stored_bytes,
          fmt::format("blob {}: {} ({}{})", i, fmt::join(names, ", "),
                      is_stored ? "as it is" : fmt::format("Zstandard of {} bytes", blob.bytes), after));
    }
  }

  std::vector<ByteRange> without_gaps() {
    std::ranges::stable_sort(ranges_, {}, &ByteRange::offset);
    std::vector<ByteRange> all;
    std::uint64_t at = 0;
    for (ByteRange& range : ranges_) {
      if (range.offset > at) all.push_back(gap(at, range.offset));
      if (range.offset < at) range.what += " (begins before the range above has ended)";
      at = std::max(at, range.offset + range.bytes);
      all.push_back(std::move(range));
    }
    if (at < bytes_.size()) all.push_back(gap(at, bytes_.size()));
    return all;
  }

  ByteRange gap(std::uint64_t begin, std::uint64_t end) const {
    const auto bytes = bytes_.subspan(begin, end - begin);
    const bool is_zero = std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
    for (const std::uint64_t alignment : {8u, 4096u})
      if (is_zero && end % alignment == 0 && bytes.size() < alignment)
        return {begin, bytes.size(), fmt::format("padding to {} bytes", alignment)};
    return {begin, bytes.size(), "bytes of nothing"};
  }

  const Package& package_;
  std::span<const std::byte> bytes_;
  kernelgen_package_header header_;
  std::vector<ByteRange> ranges_;
  std::map<std::uint64_t, std::vector<std::string>> objects_of_blob_;
};

}  // namespace

std::vector<ByteRange> annotate(const Package& package) { return Annotator(package).run(); }

std::vector<ByteRange> annotate(const Binary& binary) {
  std::vector<ByteRange> ranges;
  std::uint64_t at = 0;
  const auto add_gap = [&](std::uint64_t end) {
    if (end > at) ranges.push_back({at, end - at, "no code for GPUs"});
  };
  std::map<std::uint64_t, ByteRange> parts;  // by offset; what is packed together is one
  for (const Binary::Code& code : binary.codes()) {
    ByteRange& part = parts[code.offset];
    const std::string what =
        fmt::format("{} for {}, {}", name_of(code.kind), code.target, spell_count(code.kernels, "kernel"));
    part = {code.offset, code.stored == 0 ? code.bytes : code.stored,
            part.what.empty() ? fmt::format("{}: {}", code.module, what) : part.what + "; " + what};
  }
  for (auto& [offset, part] : parts) {
    add_gap(offset);
    at = std::max(at, offset + part.bytes);
    ranges.push_back(std::move(part));
  }
  add_gap(binary.bytes());
  return ranges;
}

int run_inspect_annotate(const InspectOptions& options, const Disk& disk, std::FILE* out) {
  std::vector<ByteRange> ranges;
  int code = exit_ok;
  if (is_binary(disk, options.file)) {
    if (disk.is_directory(options.file))
      throw BadInput(
          Fault{options.file.string(), "", "--annotate names the bytes of one file; this is a folder", {}});
    const Binary binary = open_binary(options.file);
    ranges = annotate(binary);
    code = report_damages(binary);
  } else {
    ranges = annotate(open_package(disk, options.file));
  }
  if (options.json) {
    Json json = Json::array();
    for (const ByteRange& range : ranges)
      json.push_back({{"offset", range.offset}, {"bytes", range.bytes}, {"what", range.what}});
    fmt::print(out, "{}", json_text(json));
    return code;
  }
  Table table({"offset", "bytes", "what"});
  for (const ByteRange& range : ranges)
    table.add({fmt::format("0x{:x}", range.offset), std::to_string(range.bytes), printable(range.what)});
  table.print(out);
  return code;
}

}  // namespace kernelgen::tool
