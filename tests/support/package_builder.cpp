#include "support/package_builder.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "kernelgen/name_hash.h"

namespace kernelgen::test {
namespace {

constexpr std::size_t blob_alignment = 4096;

struct NameHash {
  std::vector<std::uint32_t> displacements;
  std::vector<std::uint32_t> slots;
};

/// Hash and displace: buckets in order of falling size, each with the first displacement that sends its names
/// to free slots.
NameHash make_name_hash(std::span<const kernelgen_kernel_record> kernels, const char* strings) {
  const auto count = static_cast<std::uint32_t>(kernels.size());
  const std::uint32_t bucket_count = count / 2 + 1;
  std::vector<std::uint64_t> hashes;
  std::vector<std::vector<std::uint32_t>> buckets(bucket_count);
  for (std::uint32_t id = 0; id < count; ++id) {
    const char* name = strings + kernels[id].name;
    hashes.push_back(kernelgen_name_hash(name, std::strlen(name)));
    buckets[kernelgen_name_bucket(hashes.back(), bucket_count)].push_back(id);
  }
  std::vector<std::uint32_t> order(bucket_count);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return buckets[a].size() > buckets[b].size(); });
  NameHash result{std::vector<std::uint32_t>(bucket_count, 0),
                  std::vector<std::uint32_t>(count, KERNELGEN_NO_KERNEL)};
  for (const std::uint32_t bucket : order) {
    for (std::uint32_t displacement = 0;; ++displacement) {
      std::vector<std::uint32_t> taken;
      for (const std::uint32_t id : buckets[bucket]) {
        const std::uint32_t slot = kernelgen_name_slot(hashes[id], displacement, count);
        if (result.slots[slot] != KERNELGEN_NO_KERNEL || std::count(taken.begin(), taken.end(), slot) != 0)
          break;
        taken.push_back(slot);
      }
      if (taken.size() != buckets[bucket].size()) continue;
      for (std::size_t i = 0; i < taken.size(); ++i) result.slots[taken[i]] = buckets[bucket][i];
      result.displacements[bucket] = displacement;
      break;
    }
  }
  return result;
}

/// The package's bytes, growing at the end. Its tables come first, as they are.
class Writer {
 public:
  Writer() : bytes_(sizeof(kernelgen_package_header)) {}

  template <class Record>
  kernelgen_table append(const std::vector<Record>& records) {
    align(8);
    const kernelgen_table table{bytes_.size() - sizeof(kernelgen_package_header), records.size()};
    append_bytes(std::as_bytes(std::span(records)));
    return table;
  }

  void align(std::size_t alignment) {
    bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment);
  }
  void append_bytes(std::span<const std::byte> more) {
    bytes_.insert(bytes_.end(), more.begin(), more.end());
  }
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

kernelgen_package_header header_of(std::span<const std::byte> package) {
  kernelgen_package_header header;
  std::memcpy(&header, package.data(), sizeof header);
  return header;
}

kernelgen_blob_record record_of(std::uint64_t offset, std::span<const std::byte> stored, std::uint32_t codec,
                                std::span<const std::byte> decoded) {
  const XXH128_hash_t name = XXH3_128bits(decoded.data(), decoded.size());
  return {offset, stored.size(), decoded.size(), codec, KERNELGEN_NO_BLOB, name.low64, name.high64};
}

std::vector<std::byte> compressed(std::span<const std::byte> bytes) {
  std::vector<std::byte> frame(ZSTD_compressBound(bytes.size()));
  frame.resize(ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), 3));
  return frame;
}

std::vector<std::byte> tables_of(std::span<const std::byte> package) {
  const kernelgen_blob_record tables = header_of(package).tables;
  const auto stored = package.subspan(tables.offset, tables.stored_bytes);
  std::vector<std::byte> bytes(stored.begin(), stored.end());
  if (tables.codec == KERNELGEN_CODEC_NONE) return bytes;
  bytes.resize(tables.bytes);
  ZSTD_decompress(bytes.data(), bytes.size(), stored.data(), stored.size());
  return bytes;
}

/// The package with additional tables at its end.
std::vector<std::byte> with_tables(std::vector<std::byte> package, std::span<const std::byte> tables,
                                   std::uint32_t codec) {
  const std::vector<std::byte> stored = codec == KERNELGEN_CODEC_NONE
                                            ? std::vector<std::byte>(tables.begin(), tables.end())
                                            : compressed(tables);
  kernelgen_package_header header = header_of(package);
  package.resize((package.size() + 7) / 8 * 8);
  header.tables = record_of(package.size(), stored, codec, tables);
  package.insert(package.end(), stored.begin(), stored.end());
  header.package_bytes = package.size();
  std::memcpy(package.data(), &header, sizeof header);
  reseal(package);
  return package;
}

}  // namespace

std::uint32_t PackageBuilder::add_string(std::string_view text) {
  const auto offset = static_cast<std::uint32_t>(strings_.size());
  strings_.insert(strings_.end(), text.begin(), text.end());
  strings_.push_back('\0');
  return offset;
}

std::uint32_t PackageBuilder::add_target(std::string_view name, std::uint32_t kind, std::uint32_t wave_size) {
  targets_.push_back({add_string(name), kind, wave_size, kind == 1 ? 4u : 0u});
  return static_cast<std::uint32_t>(targets_.size() - 1);
}

std::uint32_t PackageBuilder::add_module(std::string_view name) {
  modules_.push_back({add_string(name), static_cast<std::uint32_t>(kernels_.size()), 0, 0});
  return static_cast<std::uint32_t>(modules_.size() - 1);
}

std::uint32_t PackageBuilder::add_kernel(std::string_view name, std::span<const Argument> arguments,
                                         std::uint32_t lds_bytes) {
  kernelgen_kernel_record kernel{add_string(name),
                                 static_cast<std::uint32_t>(modules_.size() - 1),
                                 static_cast<std::uint32_t>(arguments_.size()),
                                 static_cast<std::uint32_t>(arguments.size()),
                                 0,
                                 256};
  for (const Argument& argument : arguments) {
    const std::uint32_t alignment = std::min(argument.size, 8u);
    const std::uint32_t offset = (kernel.kernarg_bytes + alignment - 1) / alignment * alignment;
    arguments_.push_back({add_string(argument.name), add_string(argument.type), offset, argument.size,
                          argument.is_pointer ? 1u : 0u, argument.is_written ? 1u : 0u});
    kernel.kernarg_bytes = offset + argument.size;
  }
  kernels_.push_back(kernel);
  kernelgen_resource_record resources{};
  resources.lds_bytes = lds_bytes;
  resources_.push_back(resources);
  ++modules_.back().kernel_count;
  return static_cast<std::uint32_t>(kernels_.size() - 1);
}

std::uint32_t PackageBuilder::add_code(std::uint32_t target, std::uint32_t module,
                                       std::span<const std::byte> code) {
  const std::vector<std::byte> bytes(code.begin(), code.end());
  codes_.push_back({target, module, bytes, KERNELGEN_CODEC_NONE, KERNELGEN_NO_BLOB, bytes});
  return static_cast<std::uint32_t>(codes_.size() - 1);
}

std::uint32_t PackageBuilder::add_compressed(std::uint32_t target, std::uint32_t module,
                                             std::span<const std::byte> code, std::uint32_t reference) {
  std::vector<std::byte> stored(ZSTD_compressBound(code.size()));
  ZSTD_CCtx* context = ZSTD_createCCtx();
  if (reference != KERNELGEN_NO_BLOB)
    ZSTD_CCtx_refPrefix(context, codes_[reference].bytes.data(), codes_[reference].bytes.size());
  stored.resize(ZSTD_compress2(context, stored.data(), stored.size(), code.data(), code.size()));
  ZSTD_freeCCtx(context);
  codes_.push_back({target, module, {code.begin(), code.end()}, KERNELGEN_CODEC_ZSTD, reference, stored});
  return static_cast<std::uint32_t>(codes_.size() - 1);
}

void PackageBuilder::add_operation(std::string_view name, std::span<const std::string_view> inputs,
                                   std::span<const std::string_view> forms,
                                   std::span<const TypeVariable> variables,
                                   std::span<const std::uint32_t> kernels) {
  kernelgen_operation_record operation{};
  operation.name = add_string(name);
  operation.kind =
      forms[0] == "contiguous" && !inputs.empty() ? KERNELGEN_OPERATION_MAP : KERNELGEN_OPERATION_OTHER;
  operation.first_variable = static_cast<std::uint32_t>(variables_.size());
  operation.variable_count = static_cast<std::uint32_t>(variables.size());
  operation.first_operand = static_cast<std::uint32_t>(operands_.size());
  operation.input_count = static_cast<std::uint32_t>(inputs.size());
  operation.first_form = static_cast<std::uint32_t>(forms_.size());
  operation.form_count = static_cast<std::uint32_t>(forms.size());
  operation.first_variant = variants_.size();
  operation.variant_count = kernels.size();
  operations_.push_back(operation);
  for (const auto& [variable, codes] : variables) {
    const std::size_t row = digits_.size();
    variables_.push_back(
        {add_string(variable), static_cast<std::uint32_t>(codes.size()), static_cast<std::uint32_t>(row)});
    digits_.resize(row + KERNELGEN_ELEMENT_CODES, KERNELGEN_NO_DIGIT);
    for (std::size_t i = 0; i < codes.size(); ++i) digits_[row + codes[i]] = static_cast<std::uint8_t>(i);
  }
  const std::uint32_t type = variables.empty() ? 0 : KERNELGEN_TYPE_VARIABLE;
  for (const std::string_view input : inputs) operands_.push_back({add_string(input), type});
  operands_.push_back({add_string("y"), type});
  for (const std::string_view form : forms) forms_.push_back(add_string(form));
  variants_.insert(variants_.end(), kernels.begin(), kernels.end());
}

std::vector<std::byte> PackageBuilder::finish() const {
  Writer writer;
  kernelgen_package_header header{};
  std::memcpy(header.magic, KERNELGEN_PACKAGE_MAGIC, sizeof header.magic);
  header.version = KERNELGEN_PACKAGE_VERSION;
  header.header_bytes = sizeof header;
  const std::string_view provenance = R"({"tool":"package_builder"})";
  const NameHash hash = make_name_hash(kernels_, strings_.data());

  header.strings = writer.append(strings_);
  header.provenance = writer.append(std::vector<char>(provenance.begin(), provenance.end()));
  header.targets = writer.append(targets_);
  header.modules = writer.append(modules_);
  header.kernels = writer.append(kernels_);
  header.arguments = writer.append(arguments_);
  std::vector<kernelgen_resource_record> resources;
  for (std::size_t target = 0; target < targets_.size(); ++target)
    resources.insert(resources.end(), resources_.begin(), resources_.end());
  header.resources = writer.append(resources);
  header.displacements = writer.append(hash.displacements);
  header.slots = writer.append(hash.slots);
  header.operations = writer.append(operations_);
  header.operands = writer.append(operands_);
  header.variables = writer.append(variables_);
  header.digits = writer.append(digits_);
  header.forms = writer.append(forms_);
  header.variants = writer.append(variants_);

  // The tables that speak of the blobs need their offsets, which need these tables' sizes.
  std::vector<kernelgen_object_record> objects(targets_.size() * modules_.size());
  std::vector<kernelgen_blob_record> blobs(codes_.size());
  for (std::size_t i = 0; i < codes_.size(); ++i) {
    const Code& code = codes_[i];
    const XXH128_hash_t name = XXH3_128bits(code.bytes.data(), code.bytes.size());
    objects[code.target * modules_.size() + code.module] = {static_cast<std::uint32_t>(i), 0, 0,
                                                            code.bytes.size()};
    blobs[i] = {0,          code.stored.size(), code.bytes.size(), code.codec, code.reference,
                name.low64, name.high64};
  }
  header.objects = writer.append(objects);
  header.blobs = writer.append(blobs);
  const std::size_t tables_end = writer.bytes().size();
  for (std::size_t i = 0; i < codes_.size(); ++i) {
    writer.align(blob_alignment);
    blobs[i].offset = writer.bytes().size();
    writer.append_bytes(codes_[i].stored);
  }
  std::vector<std::byte> bytes = std::move(writer.bytes());
  if (!blobs.empty())
    std::memcpy(bytes.data() + sizeof header + header.blobs.offset, blobs.data(),
                blobs.size() * sizeof(kernelgen_blob_record));
  const auto tables = std::span<const std::byte>(bytes).first(tables_end).subspan(sizeof header);
  header.tables = record_of(sizeof header, tables, KERNELGEN_CODEC_NONE, tables);
  header.package_bytes = bytes.size();
  std::memcpy(bytes.data(), &header, sizeof header);
  reseal(bytes);
  return bytes;
}

std::vector<std::byte> with_compressed_tables(const std::vector<std::byte>& package) {
  return with_tables(package, tables_of(package), KERNELGEN_CODEC_ZSTD);
}

std::vector<std::byte> with_changed_tables(
    const std::vector<std::byte>& package,
    const std::function<void(std::byte*, const kernelgen_package_header&)>& change) {
  std::vector<std::byte> tables = tables_of(package);
  change(tables.data(), header_of(package));
  return with_tables(package, tables, KERNELGEN_CODEC_NONE);
}

void reseal(std::span<std::byte> package) {
  constexpr std::size_t header_bytes = sizeof(kernelgen_package_header);
  if (package.size() < header_bytes) return;
  const std::uint64_t hash = XXH3_64bits(package.data() + header_bytes, package.size() - header_bytes);
  std::memcpy(package.data() + offsetof(kernelgen_package_header, hash), &hash, sizeof hash);
}

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

}  // namespace kernelgen::test
