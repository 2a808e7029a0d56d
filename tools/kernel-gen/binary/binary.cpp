#include "binary/binary.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <numeric>
#include <string_view>

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

std::string_view view(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<Binary::File> list_files(const fs::path& path) {
  std::vector<Binary::File> files;
  if (!fs::is_directory(path)) return {{path, path.filename().string(), fs::file_size(path), false, {}}};
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.is_regular_file() && !entry.is_symlink())
      files.push_back(
          {entry.path(), entry.path().lexically_relative(path).string(), entry.file_size(), false, {}});
  std::ranges::sort(files, {}, &Binary::File::name);
  return files;
}

/// What was looked at is not kept: a file may be larger than the memory.
void drop_pages(const MappedFile& file) {
  if (const auto pages = file.bytes(); !pages.empty()) ::madvise(pages.data(), pages.size(), MADV_DONTNEED);
}

/// "library.Kernels" of "library/Kernels.hsaco": modules are parts of each other by dots.
std::string module_name(const Binary::File& file) {
  std::string name = fs::path(file.name).replace_extension().string();
  std::ranges::replace(name, '/', '.');
  return name;
}

}  // namespace

Binary::Binary(const fs::path& path, const Progress& progress) : files_(list_files(path)) {
  const double all = std::max<double>(1, static_cast<double>(bytes()));
  const bool is_folder = fs::is_directory(path);
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    File& file = files_[i];
    const MappedFile mapping(file.path);
    const std::span<std::byte> pages = mapping.bytes();
    const auto reached = [&](std::uint64_t offset) {
      drop_pages(mapping);
      if (progress) progress(static_cast<double>(before + offset) / all);
    };
    FoundCodes found;
    if (may_hold_code(view(pages).substr(0, 4096)))
      found = find_code(view(pages), module_name(file), reached);
    file.is_known = found.is_known;
    file.damages = std::move(found.damages);
    for (FoundCode& code : found.codes) {
      const std::string own = module_name(file);
      if (is_folder && code.module != own) code.module = own + "." + code.module;
      codes_.push_back({std::move(code), i});
    }
    before += file.bytes;
    reached(0);
  }
}

std::uint64_t Binary::bytes() const {
  return std::accumulate(files_.begin(), files_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const File& file) { return sum + file.bytes; });
}

std::size_t Binary::damages() const {
  return std::accumulate(files_.begin(), files_.end(), std::size_t{0},
                         [](std::size_t sum, const File& file) { return sum + file.damages.size(); });
}

void Binary::map(std::size_t file) const {
  if (last_mapping_ != nullptr && last_file_ == file) return drop_pages(*last_mapping_);
  last_mapping_ = std::make_shared<const MappedFile>(files_[file].path);
  last_file_ = file;
  last_unpacked_.reset();
}

PackageCode Binary::code(const Code& code) const {
  map(code.file);
  std::string_view bytes = view(last_mapping_->bytes());
  std::shared_ptr<const void> owner = last_mapping_;
  for (const Step& step : code.steps) {
    if (step.offset > bytes.size() || step.bytes > bytes.size() - step.offset)
      throw BadCodeObject("the file has changed since it was read");
    bytes = bytes.substr(step.offset, step.bytes);
    if (step.packing == PackedAs::none) continue;
    if (last_unpacked_ == nullptr || last_offset_ != code.offset) {
      last_unpacked_ = std::make_shared<const std::string>(unpack(step.packing, bytes, step.plain_bytes));
      last_offset_ = code.offset;
    }
    bytes = *last_unpacked_;
    owner = last_unpacked_;
  }
  return {owner, std::as_bytes(std::span(bytes))};
}

}  // namespace kernelgen::tool
