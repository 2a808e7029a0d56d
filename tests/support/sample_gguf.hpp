#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gguf_writer.hpp"

namespace kernelgen::test {

inline std::span<const std::byte> bytes_of_file(std::string_view file) {
  return std::as_bytes(std::span(file));
}

/// A file with every type of metadata and some tensors: "scales" f32 [2, 3] with 0 to 5, "blocks" q4_0 [2, 64] and
/// "codes" of type 255, which GGML does not have.
inline std::string sample_gguf(std::uint32_t version = 3, std::uint32_t alignment = 32) {
  GgufWriter writer(alignment, version);
  writer.add("general.architecture", std::string_view("llama"));
  writer.add("a.u8", std::uint8_t{255});
  writer.add("a.i8", std::int8_t{-128});
  writer.add("a.u16", std::uint16_t{65535});
  writer.add("a.i16", std::int16_t{-32768});
  writer.add("a.u32", std::uint32_t{4294967295});
  writer.add("a.i32", std::int32_t{-7});
  writer.add("a.f32", 0.5f);
  writer.add("a.boolean", true);
  writer.add("a.u64", ~std::uint64_t{0});
  writer.add("a.i64", std::int64_t{-9});
  writer.add("a.f64", 0.1);
  writer.add("empty", std::vector<std::string>{});
  writer.add("tokens", std::vector<std::string>{"", "one", "zwölf"});
  writer.add("scores", std::vector<float>{1, -2.5f});
  writer.add("flags", std::vector<std::uint8_t>{0, 1, 2});
  writer.add("nested", std::vector<std::vector<std::int32_t>>{{1, 2}, {}, {3}});
  const float scales[] = {0, 1, 2, 3, 4, 5};
  const std::string blocks(2 * 2 * 18, '\x11'), codes(8, '\x22');
  writer.add_tensor("scales", {2, 3}, 0, sizeof scales);
  writer.add_tensor("blocks", {2, 64}, 2, blocks.size());
  writer.add_tensor("codes", {8}, 255, codes.size());
  std::string file = writer.head();
  file.append(reinterpret_cast<const char*>(scales), sizeof scales);
  file += writer.padding(sizeof scales) + blocks + writer.padding(blocks.size()) + codes;
  return file;
}

}  // namespace kernelgen::test
