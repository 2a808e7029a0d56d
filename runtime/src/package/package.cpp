#include "kernelgen/package.hpp"

#include "common/format.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <new>
#include <numeric>
#include <utility>
#include <vector>

#include "common/regular_file.hpp"
#include "kernelgen/error.hpp"
#include "kernelgen/name_hash.h"
#include "package/blob_decoder.hpp"
#include "package/package_view.hpp"
#include "package/validate.hpp"

namespace kernelgen {
namespace {

/// Operation indices sorted by name, for binary search.
std::vector<std::uint32_t> sort_operations(const PackageView& view) {
  std::vector<std::uint32_t> order(view.operations.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return view.text(view.operations[a].name) < view.text(view.operations[b].name);
  });
  return order;
}

/// The record at `index`, or Error(invalid_argument): ids come from callers.
template <class Record>
const Record& checked(std::span<const Record> table, std::size_t index, const char* what) {
  if (index >= table.size())
    throw Error(Code::invalid_argument,
                formatted("{} {} of a package that has {}", what, index, table.size()));
  return table[index];
}

/// Memory for a package's file, aligned as its blobs are in it. In huge pages where that can be: the first touch of each
/// small one takes longer than reading what goes into it.
std::shared_ptr<std::byte[]> allocate_pages(std::size_t bytes, std::string_view origin) {
  constexpr std::size_t small = 4096, huge = std::size_t{2} << 20;
  const std::size_t page = bytes < huge ? small : huge, rounded = (bytes + page - 1) / page * page;
  const std::align_val_t alignment{page};
  void* const memory = ::operator new(rounded, alignment, std::nothrow);
  if (memory == nullptr)
    throw Error(Code::out_of_memory, formatted("{}: no memory for its {} bytes", origin, bytes));
  if (page == huge) ::madvise(memory, rounded, MADV_HUGEPAGE);  // a hint; failure is not an error
  return {static_cast<std::byte*>(memory),
          [alignment](std::byte* first) { ::operator delete(first, alignment); }};
}

}  // namespace

struct Package::Data {
  Data(std::string called, std::shared_ptr<const std::byte[]> memory, const PackageView& checked_view)
      : name(std::move(called)),
        own(std::move(memory)),
        view(checked_view),
        operations_by_name(sort_operations(view)) {}

  DecodedBlob decode(std::uint32_t blob) const;

  std::string name;
  std::shared_ptr<const std::byte[]> own;  ///< null if the caller owns the bytes
  PackageView view;
  std::vector<std::uint32_t> operations_by_name;
  mutable std::mutex last_mutex;
  mutable std::pair<std::uint32_t, DecodedBlob> last{KERNELGEN_NO_BLOB, {}};
  mutable std::mutex kept_mutex;
  mutable std::map<std::uint32_t, DecodedBlob> kept;  ///< by blob
};

/// Consecutive module requests usually hit the same blob.
DecodedBlob Package::Data::decode(std::uint32_t blob) const {
  {
    const std::lock_guard lock(last_mutex);
    if (last.first == blob) return last.second;
  }
  DecodedBlob decoded = decode_blob(view, blob, name);
  const std::lock_guard lock(last_mutex);
  last = {blob, decoded};
  return decoded;
}

Package Package::open(const std::filesystem::path& file) {
  if (file.empty())
    throw Error(Code::io, "cannot open a file whose name is empty; give a package's, *.kgpkg");
  const RegularFile opened(file);
  const std::string name = file.string();
  std::array<std::byte, sizeof(kernelgen_package_header)> start{};
  const std::span head(start.data(), std::min<std::uint64_t>(start.size(), opened.size()));
  opened.read(0, head);
  check_header(head, opened.size(), name);
  // Read, not mapped: later changes to the file can neither crash this process nor alter what was checked.
  const std::shared_ptr<std::byte[]> memory = allocate_pages(opened.size(), name);
  const std::span<std::byte> bytes(memory.get(), opened.size());
  opened.read(0, bytes);
  return Package(std::make_shared<const Data>(name, memory, validate(bytes, name)));
}

Package Package::from_memory(std::span<const std::byte> bytes, std::string_view name) {
  return Package(std::make_shared<const Data>(std::string(name), nullptr, validate(bytes, name)));
}

Package Package::from_copy(std::span<const std::byte> bytes, std::string_view name) {
  const std::shared_ptr<std::byte[]> memory = allocate_pages(bytes.size(), name);
  std::ranges::copy(bytes, memory.get());
  return Package(std::make_shared<const Data>(std::string(name), memory,
                                              validate(std::span(memory.get(), bytes.size()), name)));
}

const std::string& Package::name() const { return data_->name; }

std::span<const std::byte> Package::bytes() const { return data_->view.bytes; }
std::span<const std::byte> Package::tables() const { return data_->view.tables.bytes; }
std::string_view Package::provenance() const { return data_->view.provenance; }
std::span<const kernelgen_target_record> Package::targets() const { return data_->view.targets; }
std::span<const kernelgen_module_record> Package::modules() const { return data_->view.modules; }
std::span<const kernelgen_kernel_record> Package::kernels() const { return data_->view.kernels; }
std::span<const kernelgen_operation_record> Package::operations() const { return data_->view.operations; }
std::span<const kernelgen_blob_record> Package::blobs() const { return data_->view.blobs; }

std::string_view Package::text(std::uint32_t string_offset) const {
  checked(data_->view.strings, string_offset, "string offset");
  return data_->view.text(string_offset);
}

std::span<const kernelgen_argument_record> Package::arguments(std::uint32_t kernel) const {
  const auto& record = checked(kernels(), kernel, "kernel");
  return data_->view.arguments.subspan(record.first_argument, record.argument_count);
}

std::span<const kernelgen_operand_record> Package::operands(
    const kernelgen_operation_record& operation) const {
  return data_->view.operands.subspan(operation.first_operand,
                                      std::size_t{operation.input_count} + 1 + operation.scalar_count);
}

std::span<const kernelgen_variable_record> Package::variables(
    const kernelgen_operation_record& operation) const {
  return data_->view.variables.subspan(operation.first_variable, operation.variable_count);
}

std::span<const std::uint8_t> Package::digits() const { return data_->view.digits; }

std::span<const std::uint32_t> Package::forms(const kernelgen_operation_record& operation) const {
  return data_->view.forms.subspan(operation.first_form, operation.form_count);
}

std::span<const std::uint32_t> Package::variants(const kernelgen_operation_record& operation) const {
  return data_->view.variants.subspan(operation.first_variant, operation.variant_count);
}

const kernelgen_resource_record& Package::resources(std::uint32_t target, std::uint32_t kernel) const {
  checked(targets(), target, "target");
  checked(kernels(), kernel, "kernel");
  return data_->view.resources[target * kernels().size() + kernel];
}

std::size_t Package::code_size(std::uint32_t target, std::uint32_t module) const {
  return object_of(target, module).bytes;
}

PackageCode Package::code(std::uint32_t target, std::uint32_t module) const {
  const kernelgen_object_record& object = object_of(target, module);
  if (object.bytes == 0) return {};
  const DecodedBlob blob = data_->decode(object.blob);
  const auto code = blob.bytes.subspan(object.offset, object.bytes);
  if (blob.owner == nullptr) return {data_, code};
  // Code that is kept keeps nothing else of its blob.
  const std::shared_ptr<const std::byte[]> own = copy_code(code, name());
  return {own, {own.get(), code.size()}};
}

std::span<const std::byte> Package::kept_code(std::uint32_t target, std::uint32_t module) const {
  const kernelgen_object_record& object = object_of(target, module);
  if (object.bytes == 0) return {};
  const std::lock_guard lock(data_->kept_mutex);
  auto found = data_->kept.find(object.blob);
  if (found == data_->kept.end())
    found = data_->kept.emplace(object.blob, decode_blob(data_->view, object.blob, name())).first;
  return found->second.bytes.subspan(object.offset, object.bytes);
}

const kernelgen_object_record& Package::object_of(std::uint32_t target, std::uint32_t module) const {
  checked(targets(), target, "target");
  checked(modules(), module, "module");
  return data_->view.objects[target * modules().size() + module];
}

std::optional<std::uint32_t> Package::find_kernel(std::string_view name) const {
  const PackageView& view = data_->view;
  if (view.kernels.empty()) return std::nullopt;
  const std::uint64_t hash = kernelgen_name_hash(name.data(), name.size());
  const std::uint32_t bucket =
      kernelgen_name_bucket(hash, static_cast<std::uint32_t>(view.displacements.size()));
  const std::uint32_t id = view.slots[kernelgen_name_slot(hash, view.displacements[bucket],
                                                          static_cast<std::uint32_t>(view.slots.size()))];
  if (view.text(view.kernels[id].name) != name) return std::nullopt;
  return id;
}

std::optional<std::uint32_t> Package::find_target(std::string_view name) const {
  for (std::uint32_t i = 0; i < targets().size(); ++i)
    if (data_->view.text(targets()[i].name) == name) return i;
  return std::nullopt;
}

const kernelgen_operation_record* Package::find_operation(std::string_view name) const {
  const PackageView& view = data_->view;
  const auto& order = data_->operations_by_name;
  const auto at =
      std::lower_bound(order.begin(), order.end(), name, [&](std::uint32_t index, std::string_view wanted) {
        return view.text(view.operations[index].name) < wanted;
      });
  if (at == order.end() || view.text(view.operations[*at].name) != name) return nullptr;
  return &view.operations[*at];
}

void Package::check_blobs() const {
  for (std::uint32_t blob = 0; blob < blobs().size(); ++blob) check_blob(data_->view, blob, name());
}

}  // namespace kernelgen
