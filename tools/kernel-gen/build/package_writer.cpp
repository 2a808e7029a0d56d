#include "build/package_writer.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "base/digest.hpp"
#include "base/version.hpp"
#include "build/blobs.hpp"
#include "code_object/resources.hpp"
#include "emit/kernel_tables.hpp"
#include "emit/perfect_hash.hpp"
#include "kernelgen/package_format.h"

namespace kernelgen::tool {
namespace {

constexpr std::size_t table_alignment = 8;
constexpr std::size_t blob_alignment = 4096;

std::uint32_t count_of(std::size_t n) { return static_cast<std::uint32_t>(n); }

class Writer {
 public:
  Writer(const KernelSet& set, const std::vector<BuiltTarget>& targets, const Packing& packing)
      : set_(set), targets_(targets), packing_(packing), tables_(make_kernel_tables(set)) {}

  std::string run(const std::string& provenance) {
    add_targets();
    add_operations();
    add_resources();
    header_.provenance = append(provenance);
    header_.targets = append(target_records_);
    header_.modules = append(tables_.modules);
    header_.kernels = append(tables_.kernels);
    header_.arguments = append(tables_.arguments);
    header_.resources = append(resources_);
    const BlobPlan code = plan_blobs(set_, targets_, packing_.grouping());
    header_.objects = append(code.objects);
    const PerfectHash names = build_perfect_hash(set_.kernel_names());
    header_.displacements = append(names.displacements);
    header_.slots = append(names.slots);
    header_.operations = append(operations_);
    header_.operands = append(operands_);
    header_.variables = append(variables_);
    header_.digits = append(digits_);
    header_.forms = append(forms_);
    header_.variants = append(variants_);
    header_.strings = append(tables_.strings.bytes());
    bytes_.resize(sizeof header_);
    header_.blobs = append(append_blobs(code.blobs));
    append_tables();
    finish_header();
    return std::move(bytes_);
  }

 private:
  void add_targets() {
    for (const BuiltTarget& built : targets_) {
      const Target& target = *built.target;
      target_records_.push_back({tables_.strings.add(target.name), static_cast<std::uint32_t>(target.kind),
                                 target.wave_sizes.front(), target.code_object_version});
    }
  }

  void add_operations() {
    for (const Operation& operation : set_.operations) {
      operations_.push_back({tables_.strings.add(operation.name), operation.kind(),
                             count_of(variables_.size()), count_of(operation.variables.size()),
                             count_of(operands_.size()), operation.input_count, operation.scalar_count,
                             count_of(forms_.size()), count_of(operation.forms.size()), operation.state(),
                             operation.rule ? tables_.strings.add(operation.rule->text()) : 0, 0,
                             variants_.size(), operation.variants.size()});
      for (const TypeVariable& variable : operation.variables)
        variables_.push_back({tables_.strings.add(variable.name), count_of(variable.values.size()),
                              add_digits(variable.values)});
      for (const Operand& operand : operation.operands)
        operands_.push_back({tables_.strings.add(operand.name), operation.type_code(operand)});
      for (const std::string& form : operation.forms) forms_.push_back(tables_.strings.add(form));
      variants_.insert(variants_.end(), operation.variants.begin(), operation.variants.end());
    }
  }

  std::uint32_t add_digits(const std::vector<ElementCode>& codes) {
    const auto [entry, is_new] = digit_rows_.try_emplace(codes, count_of(digits_.size()));
    if (is_new) {
      digits_.resize(digits_.size() + KERNELGEN_ELEMENT_CODES, KERNELGEN_NO_DIGIT);
      for (std::size_t i = 0; i < codes.size(); ++i)
        digits_[entry->second + codes[i]] = static_cast<std::uint8_t>(i);
    }
    return entry->second;
  }

  void add_resources() {
    for (const BuiltTarget& built : targets_)
      for (std::size_t m = 0; m < set_.modules.size(); ++m)
        for (const Kernel& kernel : set_.kernels_of(set_.modules[m]))
          resources_.push_back(resources(built.target->kind, kernel, built.objects[m].code));
  }

  static kernelgen_resource_record resources(TargetKind kind, const Kernel& kernel, const CodeObject& code) {
    if (kind == TargetKind::cpu) return {};
    const auto found = std::lower_bound(
        code.kernels.begin(), code.kernels.end(), kernel.name,
        [](const CodeKernel& candidate, const std::string& name) { return candidate.name < name; });
    return resource_record(*found);
  }

  static void align(std::string& bytes, std::size_t alignment) {
    bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
  }

  template <class Records>
  kernelgen_table append(const Records& records) {
    align(table_bytes_, table_alignment);
    const kernelgen_table table = {table_bytes_.size(), records.size()};
    table_bytes_.append(reinterpret_cast<const char*>(records.data()), records.size() * sizeof(records[0]));
    return table;
  }

  std::vector<kernelgen_blob_record> append_blobs(const std::vector<Blob>& blobs) {
    const std::vector<PackedBlob> packed = pack(blobs, packing_);
    std::vector<kernelgen_blob_record> records;
    for (std::size_t i = 0; i < blobs.size(); ++i)
      records.push_back(append_stored(packed[i], blobs[i].bytes, blobs[i].name, blob_alignment));
    return records;
  }

  /// After the blobs, whose offsets they contain.
  void append_tables() {
    header_.tables = append_stored(pack_tables(table_bytes_, packing_), table_bytes_, hash128(table_bytes_),
                                   table_alignment);
  }

  /// Bytes as `packed` says that they are stored; `alignment` is for those that are read in place.
  kernelgen_blob_record append_stored(const PackedBlob& packed, const std::string& bytes, const Hash128& name,
                                      std::size_t alignment) {
    const bool is_plain = packed.codec == KERNELGEN_CODEC_NONE;
    const std::string& stored = is_plain ? bytes : packed.bytes;
    if (is_plain) align(bytes_, alignment);
    const std::uint64_t offset = bytes_.size();
    bytes_.append(stored);
    return {offset, stored.size(), bytes.size(), packed.codec, packed.reference, name.low, name.high};
  }

  void finish_header() {
    std::memcpy(header_.magic, KERNELGEN_PACKAGE_MAGIC, sizeof header_.magic);
    header_.version = KERNELGEN_PACKAGE_VERSION;
    header_.header_bytes = sizeof header_;
    header_.package_bytes = bytes_.size();
    header_.hash = XXH3_64bits(bytes_.data() + sizeof header_, bytes_.size() - sizeof header_);
    std::memcpy(bytes_.data(), &header_, sizeof header_);
  }

  const KernelSet& set_;
  const std::vector<BuiltTarget>& targets_;
  const Packing& packing_;
  std::string bytes_;        ///< of the package
  std::string table_bytes_;  ///< of its tables
  kernelgen_package_header header_ = {};
  KernelTables tables_;
  std::vector<kernelgen_target_record> target_records_;
  std::vector<kernelgen_resource_record> resources_;
  std::vector<kernelgen_operation_record> operations_;
  std::vector<kernelgen_operand_record> operands_;
  std::vector<kernelgen_variable_record> variables_;
  std::vector<std::uint8_t> digits_;
  std::map<std::vector<ElementCode>, std::uint32_t> digit_rows_;
  std::vector<std::uint32_t> forms_;
  std::vector<std::uint32_t> variants_;
};

}  // namespace

std::string write_package(const KernelSet& set, const std::vector<BuiltTarget>& targets,
                          const std::string& provenance, const Packing& packing) {
  return Writer(set, targets, packing).run(provenance);
}

std::string write_package_assembly() {
  return fmt::format(R"(/* Generated by kernel-gen {}. Do not edit.
 * Assemble with this file's folder in the include path (-I), or define KERNELGEN_PACKAGE_FILE as a quoted path. */
#ifndef KERNELGEN_PACKAGE_FILE
#define KERNELGEN_PACKAGE_FILE "kernelgen.kgpkg"
#endif
	.section .rodata
	.balign 4096
	.globl kernelgen_package_begin
	.type kernelgen_package_begin, %object
kernelgen_package_begin:
	.incbin KERNELGEN_PACKAGE_FILE
	.size kernelgen_package_begin, . - kernelgen_package_begin
	.globl kernelgen_package_end
	.type kernelgen_package_end, %object
kernelgen_package_end:
	.byte 0
	.size kernelgen_package_end, 1
	.section .note.GNU-stack, "", %progbits
)",
                     version);
}

}  // namespace kernelgen::tool
