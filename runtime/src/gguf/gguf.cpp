#include "kernelgen/gguf.hpp"

#include <array>
#include <unordered_map>

#include "common/format.hpp"
#include "common/mapped_file.hpp"
#include "common/suggest.hpp"
#include "gguf/parse.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

/// Longer names are not compared with a mistyped one: nobody typed them.
constexpr std::size_t longest_name = 128;

template <class Records, class Name>
[[noreturn]] void fail_absent(std::string_view file, const char* what, std::string_view wanted,
                              const Records& records, const Name& name_of_record) {
  std::vector<std::string> names;
  for (const auto& record : records)
    if (name_of_record(record).size() <= longest_name) names.emplace_back(name_of_record(record));
  std::string message = formatted("{}: no {} '{}'", file, what, wanted);
  if (wanted.size() <= longest_name)
    if (const auto meant = nearest(wanted, names)) message += formatted(" (did you mean '{}'?)", *meant);
  throw Error(Code::not_found, message);
}

}  // namespace

struct GgufFile::Data {
  Data(std::string called, MappedFile mapped, std::span<const std::byte> all)
      : name(std::move(called)), file(std::move(mapped)), bytes(all), parsed(name, bytes) {
    parsed.parse();
    for (const GgufEntry& entry : parsed.metadata) values.emplace(entry.key, &entry.value);
    for (const GgufTensor& tensor : parsed.tensors) tensors.emplace(tensor.name, &tensor);
  }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

  std::string name;
  MappedFile file;
  std::span<const std::byte> bytes;
  GgufParser parsed;
  std::unordered_map<std::string_view, const GgufValue*> values;
  std::unordered_map<std::string_view, const GgufTensor*> tensors;
};

GgufFile GgufFile::open(const std::filesystem::path& file) {
  if (file.empty()) throw Error(Code::io, "cannot open a file whose name is empty; give a model's, *.gguf");
  MappedFile mapped(file);
  const std::span<const std::byte> bytes = mapped.bytes();
  return GgufFile(std::make_shared<const Data>(file.string(), std::move(mapped), bytes));
}

GgufFile GgufFile::from_memory(std::span<const std::byte> bytes, std::string_view name) {
  return GgufFile(std::make_shared<const Data>(std::string(name), MappedFile(), bytes));
}

const std::string& GgufFile::name() const { return data_->name; }
std::uint32_t GgufFile::version() const { return data_->parsed.version; }
std::uint32_t GgufFile::alignment() const { return data_->parsed.alignment; }
std::span<const GgufEntry> GgufFile::metadata() const { return data_->parsed.metadata; }
std::span<const GgufTensor> GgufFile::tensors() const { return data_->parsed.tensors; }

const GgufValue* GgufFile::find_value(std::string_view key) const {
  const auto at = data_->values.find(key);
  return at == data_->values.end() ? nullptr : at->second;
}

const GgufValue& GgufFile::value(std::string_view key) const {
  if (const GgufValue* found = find_value(key)) return *found;
  fail_absent(name(), "metadata", key, metadata(), [](const GgufEntry& entry) { return entry.key; });
}

std::int64_t GgufFile::integer(std::string_view key, std::optional<std::int64_t> absent) const {
  return absent && find_value(key) == nullptr ? *absent : value(key).integer();
}

double GgufFile::real(std::string_view key, std::optional<double> absent) const {
  return absent && find_value(key) == nullptr ? *absent : value(key).real();
}

bool GgufFile::boolean(std::string_view key, std::optional<bool> absent) const {
  return absent && find_value(key) == nullptr ? *absent : value(key).boolean();
}

std::string_view GgufFile::text(std::string_view key, std::optional<std::string_view> absent) const {
  return absent && find_value(key) == nullptr ? *absent : value(key).text();
}

const GgufTensor* GgufFile::find(std::string_view name) const {
  const auto at = data_->tensors.find(name);
  return at == data_->tensors.end() ? nullptr : at->second;
}

const GgufTensor& GgufFile::tensor(std::string_view wanted) const {
  if (const GgufTensor* found = find(wanted)) return *found;
  fail_absent(name(), "tensor", wanted, tensors(), [](const GgufTensor& tensor) { return tensor.name; });
}

std::span<const std::byte> GgufFile::bytes(const GgufTensor& tensor) const {
  if (tensor.format_name.empty())
    throw Error(Code::unsupported,
                formatted("{}: tensor '{}' has GGML's type {}, whose size is not known here", name(),
                          tensor.name, tensor.format));
  data_->file.require_whole();
  return data_->bytes.subspan(tensor.offset, tensor.bytes);
}

Tensor GgufFile::load(const Device& device, std::string_view wanted, const Stream& stream) const {
  const GgufTensor& info = tensor(wanted);
  const std::span<const std::byte> data = bytes(info);
  if (!info.dtype)
    throw Error(Code::unsupported,
                formatted("{}: tensor '{}' is in GGML's format {} (type {}), for which there is "
                          "no dtype here",
                          name(), wanted, info.format_name, info.format));
  // Memory that a caller keeps may be constant; a mapping takes writes.
  const bool is_ours = !data_->file.bytes().empty();
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(data.data()) % alignment_of(*info.dtype) == 0;
  if (device.kind() != DeviceKind::cpu || !is_ours || !is_aligned)
    return Tensor::from_host(device, data, info.shape, *info.dtype, stream);
  auto owner = std::const_pointer_cast<Data>(data_);
  void* const memory = const_cast<std::byte*>(data.data());
  return Tensor(Storage::borrow(device, memory, data.size(), std::move(owner)), *info.dtype,
                Layout::contiguous(info.shape));
}

}  // namespace kernelgen
