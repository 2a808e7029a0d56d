#pragma once
#include <functional>
#include <string>
#include <vector>

#include "launcher.hpp"
#include "reference/quantized_product.hpp"

/// Blocks of GGML's formats for candle's kernels.
namespace kernelgen::candle {

inline constexpr DType product_formats[] = {DType::q4_0, DType::q4_1, DType::q5_0, DType::q5_1, DType::q8_0,
                                            DType::q2_K, DType::q3_K, DType::q4_K, DType::q5_K, DType::q6_K};

inline std::uint32_t count(std::int64_t n) { return static_cast<std::uint32_t>(n); }
inline std::uint32_t quotient_up(std::int64_t a, std::int64_t b) { return count((a + b - 1) / b); }
inline std::int64_t padded(std::int64_t n) { return (n + 511) / 512 * 512; }
inline bool is_k(DType format) { return block_elements(format) == 256; }

/// The grid with candle's blocks, and, on a GPU, with others of at most `most` threads.
std::vector<Cut> cuts_of(const Cut& candle, std::uint32_t most = 1024);

Tensor upload_bytes(const Elements& blocks);
Tensor upload_floats(const std::vector<float>& values);

/// Numbers in [-1, 1) by powers of two, a block of zeros now and then.
std::vector<float> numbers(std::int64_t n, std::uint64_t stream);

/// A result between elements that must stay.
class Output {
 public:
  Output(DType dtype, std::int64_t size);
  Tensor tensor() const { return whole_.narrow(0, guard, size_); }
  Elements get(const std::string& what) const;

 private:
  static constexpr std::int64_t guard = 300;
  std::int64_t size_;
  Elements before_;
  Tensor whole_;
};

/// A block of q8_1 is that of these 32 elements.
void expect_quantized(const std::string& what, const std::byte* block,
                      const std::function<float(std::int64_t)>& element);

/// Products within n roundings, row r by vector j at j * pitch + r; what is between them must not be written. Results of
/// 16 bits are within a rounding of theirs besides.
void expect_products(const std::string& what, const Output& y, const reference::Products& products,
                     std::int64_t rows, std::int64_t pitch, DType dtype = DType::f32);

/// Vectors as rows of q8_1, padded with blocks of zeros, and what these stand for without the padding. Steps are powers
/// of two: a block's sum is then exact in f16, whether a kernel reads it or adds the codes up.
struct Vectors {
  Elements blocks;
  std::vector<float> values;

  Vectors(std::int64_t count, std::int64_t n, std::uint64_t stream);
};

}  // namespace kernelgen::candle
