#include "commands/export_kpack.hpp"

#include <fmt/format.h>
#include <llvm/BinaryFormat/MsgPackWriter.h>
#include <llvm/Support/raw_ostream.h>
#include <zstd.h>

#include <limits>
#include <stdexcept>

namespace kernelgen::tool {

namespace {

constexpr std::uint32_t format_version = 1;
constexpr std::size_t header_bytes = 64;  ///< 16, and padding
constexpr int level = 3;                  ///< as AMD's own tool takes

template <class Number>
void append_little_endian(std::string& bytes, Number number) {
  for (std::size_t i = 0; i < sizeof number; ++i) bytes += static_cast<char>(number >> (8 * i));
}

std::string frame(const PackageCode& code) {
  std::string bytes(ZSTD_compressBound(code.size()), '\0');
  const std::size_t size = ZSTD_compress(bytes.data(), bytes.size(), code.data(), code.size(), level);
  if (ZSTD_isError(size) != 0)
    throw std::runtime_error(fmt::format("zstd cannot compress: {}", ZSTD_getErrorName(size)));
  bytes.resize(size);
  return bytes;
}

/// One archive, of what is for one target.
class Archive {
 public:
  explicit Archive(std::string_view target) : target_(target) {}

  void add(std::string key, const PackageCode& code) {
    const std::string bytes = frame(code);
    if (bytes.size() > std::numeric_limits<std::uint32_t>::max())
      throw std::runtime_error(fmt::format("{} {}: more than 4 GiB of code", target_, key));
    append_little_endian(frames_, static_cast<std::uint32_t>(bytes.size()));
    frames_ += bytes;
    entries_.push_back({std::move(key), code.size()});
  }

  std::string bytes() const {
    std::string blob;
    append_little_endian(blob, static_cast<std::uint32_t>(entries_.size()));
    blob += frames_;
    std::string bytes = "KPAK";
    append_little_endian(bytes, format_version);
    append_little_endian(bytes, std::uint64_t{header_bytes + blob.size()});
    bytes.resize(header_bytes);
    return bytes + blob + contents(blob.size());
  }

 private:
  struct Entry {
    std::string key;
    std::size_t bytes;
  };

  std::string contents(std::size_t blob_bytes) const {
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::msgpack::Writer writer(stream);
    // A plain literal would be written as a bool.
    using Text = llvm::StringRef;
    const auto number = [&](Text key, std::uint64_t value) {
      writer.write(key);
      writer.write(value);
    };
    const auto word = [&](Text key, Text value) {
      writer.write(key);
      writer.write(value);
    };
    writer.writeMapSize(8);
    number("format_version", format_version);
    word("group_name", "kernelgen");
    word("gfx_arch_family", target_);
    writer.write(Text("gfx_arches"));
    writer.writeArraySize(1);
    writer.write(Text(target_));
    word("compression_scheme", "zstd-per-kernel");
    number("zstd_offset", header_bytes);
    number("zstd_size", blob_bytes);
    writer.write(Text("toc"));
    writer.writeMapSize(static_cast<std::uint32_t>(entries_.size()));
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      writer.write(Text(entries_[i].key));
      writer.writeMapSize(1);
      writer.write(Text(target_));
      writer.writeMapSize(3);
      word("type", "hsaco");
      number("ordinal", i);
      number("original_size", entries_[i].bytes);
    }
    return stream.str();
  }

  std::string target_;
  std::string frames_;
  std::vector<Entry> entries_;
};

}  // namespace

std::string kpack_name(std::string_view target) { return fmt::format("kernelgen-{}.kpack", target); }

std::vector<FileText> kpack_files(const Package& package, const std::vector<CodeFile>& files) {
  std::vector<FileText> archives;
  for (std::size_t i = 0; i < files.size();) {
    const std::uint32_t target = files[i].target;
    const std::string_view name = package.text(package.targets()[target].name);
    Archive archive(name);
    for (; i < files.size() && files[i].target == target; ++i)
      archive.add(fmt::format("{}#0", package.text(package.modules()[files[i].module].name)), files[i].bytes);
    archives.push_back({kpack_name(name), archive.bytes()});
  }
  return archives;
}

}  // namespace kernelgen::tool
