// GPU kernels that read quantized blocks, executed by the host: products with the largest and smallest
// scales, and matrices at both ends of accessible memory.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "elements.hpp"
#include "quantized/block_row.hpp"
#include "quantized/product.hpp"
#include "reference/quantized.hpp"

namespace kg {
namespace {

using kernelgen::DType;
namespace reference = kernelgen::reference;

/// `size` bytes between inaccessible pages, at the start of the first accessible page or the end of the last.
class Guarded {
 public:
  Guarded(std::size_t size, bool at_end) {
    const std::size_t inner = (size + page - 1) / page * page;
    whole_ = inner + 2 * page;
    memory_ = static_cast<u8*>(mmap(nullptr, whole_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (memory_ == MAP_FAILED || mprotect(memory_ + page, inner, PROT_READ | PROT_WRITE) != 0)
      throw std::runtime_error("no memory between guarded pages");
    data = memory_ + page + (at_end ? inner - size : 0);
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded() { munmap(memory_, whole_); }

  u8* data;

 private:
  static constexpr std::size_t page = 4096;
  u8* memory_;
  std::size_t whole_;
};

template <class W, class... All>
constexpr DType dtype_in(FormatList<All...>) {
  std::size_t index = 0;
  bool is_found = false;
  ((is_found = is_found || same<W, All>, index += is_found ? 0 : 1), ...);
  return reference::block_formats[index];
}
template <class W>
inline constexpr DType dtype_of_block = dtype_in<W>(BlockFormats());

struct FormatNames {
  template <class W>
  static std::string GetName(int) {
    return std::string(name_of(dtype_of_block<W>));
  }
};

/// Matrices of `rows` rows of `blocks` blocks, one row of memory for all of them where it is `repeated`.
struct Shape {
  u32 rows, blocks;
  bool repeated = false;
};

template <class W>
class SimulatedQuantized : public testing::Test {
 protected:
  using F = BlockFormat<W>;
  static constexpr u32 columns = 4, threads = 64;

  std::mt19937 random{11};

  /// Any codes.
  void fill(u8* blocks, u32 count, int exponent) {
    for (std::size_t i = 0; i < count * sizeof(W); ++i) blocks[i] = static_cast<u8>(random());
    set_steps(blocks, count, exponent);
  }
  /// 2^exponent, minima half of it: of q8_K and mxfp4 any power of two, of nvfp4 one of e4m3, of others one of f16.
  static void set_steps(u8* blocks, u32 count, int exponent) {
    const auto layout = reference::layout_of(dtype_of_block<W>);
    const float step = std::ldexp(1.0f, exponent);
    for (u32 b = 0; b < count; ++b) {
      auto* const block = reinterpret_cast<std::byte*>(blocks + b * sizeof(W));
      reference::write_step(dtype_of_block<W>, block, step);
      if (layout.second >= 0) reference::write_f16(block, layout.second, step / 2);
    }
  }

  /// Elements of blocks with such steps, which f32 need not hold.
  static std::vector<double> values_of(const u8* blocks, u32 count, int exponent) {
    std::vector<u8> copy(blocks, blocks + count * sizeof(W));
    set_steps(copy.data(), count, 0);
    std::vector<double> values;
    for (const float value : reference::dequantize(dtype_of_block<W>, std::as_bytes(std::span(copy))))
      values.push_back(std::ldexp(static_cast<double>(value), exponent));
    return values;
  }

  /// Columns one after another, whose elements are bytes times 2^exponent.
  std::vector<Quad> make_columns(u32 slices, int exponent) {
    const u64 bytes = quantized_column_bytes(u64{slices} * slice_elements);
    std::vector<Quad> space(columns * bytes / sizeof(Quad));
    for (u32 c = 0; c < columns; ++c)
      for (u32 s = 0; s < slices; ++s) {
        const QuantizedColumn column{reinterpret_cast<u8*>(space.data()) + c * bytes, slices};
        for (int half = 0; half < 2; ++half) {
          i8 values[16];
          i16 sum = 0;
          for (i8& value : values) {
            value = static_cast<i8>(static_cast<int>(random() % 255) - 127);
            sum = static_cast<i16>(sum + value);
          }
          std::memcpy(column.words(s, half), values, 16);
          column.sums(s)[half] = sum;
        }
        *column.scale(s) = std::ldexp(1.0f, exponent);
      }
    return space;
  }

  void check_product(const Shape& shape, int of_weights, int of_columns, bool at_end) {
    const u32 stored = shape.repeated ? 1 : shape.rows, slices = shape.blocks * F::slices;
    const Guarded memory(std::size_t{stored} * shape.blocks * sizeof(W), at_end);
    fill(memory.data, stored * shape.blocks, of_weights);
    simulated::copies_begin = memory.data;
    simulated::copies_end = memory.data + std::size_t{stored} * shape.blocks * sizeof(W);
    simulated::copies_outside = 0;
    std::vector<Quad> space = make_columns(slices, of_columns);
    const u64 distance = quantized_column_bytes(u64{slices} * slice_elements);
    const auto column = [&](int c) {
      return QuantizedColumn{reinterpret_cast<u8*>(space.data()) + static_cast<u64>(c) * distance, slices};
    };
    const BlockMatrix<W> matrix{memory.data, shape.rows, slices,
                                shape.repeated ? 0 : static_cast<i64>(shape.blocks * sizeof(W))};
    alignas(16) static u8 shared[64 << 10];
    static_assert(ring_bytes<W>(threads) <= sizeof(shared));
    std::vector<float> y(std::size_t{columns} * shape.rows, NAN);
    simulated::block.launch(1, threads, [&] {
      const u32 wave = thread_index() / wave_size();
      multiply_rows<static_cast<int>(columns)>(
          matrix, wave, threads / wave_size(), wave, shared, [] {}, column,
          [&](u32 row, int c, f32 value) { y[static_cast<u32>(c) * shape.rows + row] = value; });
    });
    EXPECT_EQ(simulated::copies_outside, 0) << shape.rows << " rows of " << shape.blocks << " blocks";
    const std::vector<double> values = values_of(memory.data, stored * shape.blocks, of_weights);
    for (u32 c = 0; c < columns; ++c)
      for (u32 row = 0; row < shape.rows; ++row) {
        double sum = 0, magnitudes = 0;
        for (u32 s = 0; s < slices; ++s)
          for (int e = 0; e < slice_elements; ++e) {
            const auto* bytes = reinterpret_cast<const i8*>(column(static_cast<int>(c)).words(s, e / 16));
            const double w = values[(std::size_t{shape.repeated ? 0 : row} * slices + s) * slice_elements +
                                    static_cast<u32>(e)];
            const double product = std::ldexp(bytes[e % 16], of_columns) * w;
            sum += product;
            magnitudes += std::fabs(product);
          }
        ASSERT_LT(magnitudes, 0x1p127) << "a case whose result need not be finite";
        // Biases are taken off sums, which may be 32 times as large as what remains.
        ASSERT_NEAR(y[c * shape.rows + row], sum, magnitudes * 0x1p-15)
            << "row " << row << " of " << shape.rows << ", column " << c << ", " << shape.blocks
            << " blocks, steps 2^" << of_weights << " and 2^" << of_columns;
      }
  }

  /// Elements of a row of blocks.
  void check_rows(u32 blocks, bool at_end) {
    const Guarded memory(blocks * sizeof(W), at_end);
    fill(memory.data, blocks, -3);
    const std::size_t slices = blocks * F::slices, n = slices * slice_elements;
    std::vector<Quad> space(n * sizeof(f32) / sizeof(Quad));
    auto* const y = reinterpret_cast<f32*>(space.data());
    simulated::block.launch(1, threads, [&] {
      dequantize_slices(Group(threads), reinterpret_cast<const W*>(memory.data), 0, slices, y, true);
    });
    const auto wanted = reference::dequantize(
        dtype_of_block<W>, {reinterpret_cast<const std::byte*>(memory.data), blocks * sizeof(W)});
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(y[i], wanted[i]) << "element " << i << " of " << n;
  }
};

template <class... W>
testing::Types<W...> test_types(FormatList<W...>);
using Formats = decltype(test_types(BlockFormats()));
TYPED_TEST_SUITE(SimulatedQuantized, Formats, FormatNames);

TYPED_TEST(SimulatedQuantized, ProductsAreFiniteWhereResultsAre) {
  constexpr bool is_wide = BlockFormat<TypeParam>::has_wide_scale;
  // Of e4m3, the largest exponent has a code for 0.
  constexpr int most = same<TypeParam, nvfp4> ? 7 : 15, least = same<TypeParam, nvfp4> ? -6 : -14;
  const Shape shape{3, BlockFormat<TypeParam>::slices == 1 ? 5u : 1u};
  // Steps of weights and of columns: the largest, the smallest, and those whose product is moderate.
  if (is_wide)
    for (const auto& [w, x] : {std::pair{126, -140},
                               {126, -30},
                               {124, -22},
                               {99, 2},
                               {100, 2},
                               {-20, 120},
                               {-120, 120},
                               {-120, 20},
                               {0, 0}})
      this->check_product(shape, w, x, true);
  else
    for (const auto& [w, x] : {std::pair{most, 60}, {most, -110}, {least, 90}, {least, -100}, {0, 0}})
      this->check_product(shape, w, x, true);
}

TYPED_TEST(SimulatedQuantized, ReadsNothingOutsideItsBlocks) {
  for (const bool at_end : {true, false}) {
    for (const u32 blocks : {1u, 3u, 9u})
      for (const Shape& shape : {Shape{1, blocks}, {5, blocks}, {5, blocks, true}})
        this->check_product(shape, -3, 0, at_end);
    for (const u32 blocks : {1u, 3u}) this->check_rows(blocks, at_end);
  }
}

}  // namespace
}  // namespace kg
