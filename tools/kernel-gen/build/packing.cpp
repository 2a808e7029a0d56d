#include "build/packing.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>

#include "base/parallel.hpp"
#include "build/references.hpp"
#include "kernelgen/package_format.h"

namespace kernelgen::tool {
namespace {

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
using Context = std::unique_ptr<ZSTD_CCtx, FreeContext>;

Context create_context() {
  Context context(ZSTD_createCCtx());
  if (context == nullptr) throw std::bad_alloc();
  return context;
}

std::size_t checked(std::size_t status) {
  if (ZSTD_isError(status) != 0)
    throw std::runtime_error(fmt::format("zstd cannot compress: {}", ZSTD_getErrorName(status)));
  return status;
}

std::string compress(ZSTD_CCtx* context, const std::string& bytes, std::string_view prefix, int level) {
  // A window that reaches from the end of the bytes to the start of the prefix, and tables for all of it.
  const int reach = std::clamp(static_cast<int>(std::bit_width(bytes.size() + prefix.size())), 10, 27);
  checked(ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters));
  checked(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level));
  checked(ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, reach));
  checked(ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, 1));
  if (level >= 16) {
    checked(ZSTD_CCtx_setParameter(context, ZSTD_c_hashLog, std::min(reach + 1, 26)));
    checked(ZSTD_CCtx_setParameter(context, ZSTD_c_chainLog, std::min(reach + 1, 27)));
  }
  checked(ZSTD_CCtx_refPrefix(context, prefix.data(), prefix.size()));
  std::string compressed(ZSTD_compressBound(bytes.size()), '\0');
  compressed.resize(
      checked(ZSTD_compress2(context, compressed.data(), compressed.size(), bytes.data(), bytes.size())));
  return compressed;
}

class Packer {
 public:
  Packer(std::span<const Blob> blobs, const Packing& packing)
      : blobs_(blobs),
        packing_(packing),
        packed_(blobs.size(), {KERNELGEN_CODEC_NONE, KERNELGEN_NO_BLOB, {}}) {}

  std::vector<PackedBlob> run() {
    if (!packing_.level) return std::move(packed_);
    set_references();
    find_known();
    compress_others();
    // What did not become smaller is stored as it is, and needs no reference.
    for (std::size_t i = 0; i < blobs_.size(); ++i) {
      if (packed_[i].bytes.size() < blobs_[i].bytes.size())
        packed_[i].codec = KERNELGEN_CODEC_ZSTD;
      else
        packed_[i] = {KERNELGEN_CODEC_NONE, KERNELGEN_NO_BLOB, {}};
    }
    return std::move(packed_);
  }

 private:
  void set_references() {
    std::map<std::size_t, std::vector<std::uint32_t>> by_group;
    for (std::uint32_t i = 0; i < blobs_.size(); ++i)
      if (blobs_[i].bytes.size() <= KERNELGEN_MAX_BLOB_BYTES) by_group[blobs_[i].group].push_back(i);
    std::vector<std::vector<std::uint32_t>> groups;
    for (auto& [group, members] : by_group) groups.push_back(std::move(members));
    in_parallel(packing_.jobs, groups.size(),
                [&] { return [&](std::size_t i) { set_references(groups[i]); }; });
  }

  void set_references(const std::vector<std::uint32_t>& members) {
    std::vector<std::string_view> objects;
    for (const std::uint32_t member : members) objects.push_back(blobs_[member].bytes);
    const std::vector<std::uint32_t> references = choose_references(objects);
    for (std::size_t i = 0; i < members.size(); ++i)
      if (references[i] != KERNELGEN_NO_BLOB) packed_[members[i]].reference = members[references[i]];
  }

  Hash128 key(std::size_t i) const {
    Digest key;
    key.add("blob").add(packing_.spell()).add(blobs_[i].name.hex());
    if (packed_[i].reference != KERNELGEN_NO_BLOB) key.add(blobs_[packed_[i].reference].name.hex());
    return key.finish();
  }

  void find_known() {
    for (std::uint32_t i = 0; i < blobs_.size(); ++i) {
      if (blobs_[i].bytes.size() > KERNELGEN_MAX_BLOB_BYTES) {
        packed_[i].bytes = blobs_[i].bytes;
        continue;
      }
      std::optional<std::string> known;
      if (packing_.cache != nullptr) known = packing_.cache->find(Cache::Kind::blob, key(i));
      if (known)
        packed_[i].bytes = std::move(*known);
      else
        unknown_.push_back(i);
    }
  }

  void compress_others() {
    // The largest first, so that none is left alone at the end.
    std::stable_sort(unknown_.begin(), unknown_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return blobs_[a].bytes.size() > blobs_[b].bytes.size();
    });
    in_parallel(packing_.jobs, unknown_.size(), [&] {
      return [this, context = create_context()](std::size_t i) { compress_one(context.get(), unknown_[i]); };
    });
    if (packing_.cache != nullptr) remember();
  }

  void remember() {
    try {
      for (const std::uint32_t i : unknown_)
        packing_.cache->store(Cache::Kind::blob, key(i), packed_[i].bytes);
    } catch (const DiskError&) {
      // The next build compresses again.
    }
  }

  void compress_one(ZSTD_CCtx* context, std::uint32_t i) {
    std::string_view prefix;
    if (packed_[i].reference != KERNELGEN_NO_BLOB) prefix = blobs_[packed_[i].reference].bytes;
    packed_[i].bytes = compress(context, blobs_[i].bytes, prefix, *packing_.level);
  }

  const std::span<const Blob> blobs_;
  const Packing& packing_;
  std::vector<PackedBlob> packed_;
  std::vector<std::uint32_t> unknown_;
};

}  // namespace

std::optional<Packing> Packing::parse(std::string_view text) {
  Packing packing;
  if (text == "none") {
    packing.level.reset();
    return packing;
  }
  packing.is_solid = text.starts_with("solid");
  if (!packing.is_solid && !text.starts_with("zstd")) return std::nullopt;
  text.remove_prefix(packing.codec().size());
  if (text.empty()) return packing;
  if (!text.starts_with(':')) return std::nullopt;
  text.remove_prefix(1);
  int level = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), level);
  if (error != std::errc() || end != text.data() + text.size() || level < 1 || level > 22)
    return std::nullopt;
  packing.level = level;
  return packing;
}

std::string Packing::text() const { return level ? fmt::format("{}:{}", codec(), *level) : "none"; }

std::string Packing::spell() const {
  return level ? fmt::format("{} ({})", text(), ZSTD_versionString()) : text();
}

PackedBlob pack_tables(const std::string& tables, const Packing& packing) {
  constexpr int highest_level = 9;
  PackedBlob packed = {KERNELGEN_CODEC_NONE, KERNELGEN_NO_BLOB, {}};
  if (!packing.level || tables.size() > KERNELGEN_MAX_BLOB_BYTES) return packed;
  const Context context = create_context();
  std::string bytes = compress(context.get(), tables, {}, std::min(*packing.level, highest_level));
  if (bytes.size() < tables.size()) packed = {KERNELGEN_CODEC_ZSTD, KERNELGEN_NO_BLOB, std::move(bytes)};
  return packed;
}

std::vector<PackedBlob> pack(std::span<const Blob> blobs, const Packing& packing) {
  return Packer(blobs, packing).run();
}

}  // namespace kernelgen::tool
