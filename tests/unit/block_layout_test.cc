// Layouts of GGML's blocks: every bit has one position, the one that the format defines.
#include "reference/block_layout.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

namespace kernelgen::reference {
namespace {

class BlockLayoutTest : public testing::TestWithParam<DType> {
 protected:
  const DType format_ = GetParam();
  const BlockLayout layout_ = layout_of(format_);
  std::vector<std::byte> block_ = std::vector<std::byte>(static_cast<std::size_t>(layout_.bytes));

  int bits_set() const {
    int count = 0;
    for (const std::byte b : block_) count += std::popcount(std::to_integer<unsigned>(b));
    return count;
  }
  /// Sets all bits of a number that had none.
  void fill(Number number) {
    const int before = bits_set();
    write(block_.data(), number, -1);
    ASSERT_EQ(bits_set() - before, number.low.width + number.high.width) << "its bits are another's too";
  }
  void fill_bytes(int first, int count) {
    for (int b = first; b < first + count; ++b) fill({{b, 0, 8}, {}});
  }
};

TEST_P(BlockLayoutTest, EveryBitBelongsToOneNumber) {
  for (int i = 0; i < layout_.elements; ++i) fill(code_at(format_, i));
  const int groups = layout_.elements / layout_.group;
  for (int g = 0; groups > 1 && g < groups; ++g) {
    fill(scale_at(format_, g));
    if (layout_.second >= 0) fill(minimum_at(format_, g));
  }
  if (layout_.step >= 0) fill_bytes(layout_.step, 2);
  if (format_ == DType::q8_K) fill_bytes(0, 4);
  if (format_ == DType::mxfp4) fill_bytes(0, 1);
  if (layout_.second >= 0) fill_bytes(layout_.second, 2);
  if (format_ == DType::q8_K) fill_bytes(260, 32);  // sums of 16 codes each
  EXPECT_EQ(bits_set(), 8 * layout_.bytes);
}

TEST_P(BlockLayoutTest, NumbersAreReadAsWritten) {
  for (int i = 0; i < layout_.elements; ++i) {
    const Number number = code_at(format_, i);
    const int width = number.low.width + number.high.width;
    for (int code = 0; code < 1 << width; ++code) {
      write(block_.data(), number, code);
      ASSERT_EQ(read(block_.data(), number), number.is_signed ? static_cast<std::int8_t>(code) : code) << i;
    }
    write(block_.data(), number, 0);
  }
  EXPECT_EQ(bits_set(), 0);
}

std::vector<DType> formats_with_codes() {
  std::vector<DType> formats;
  for (const DType format : block_formats)
    if (layout_of(format).levels > 0) formats.push_back(format);
  return formats;
}
INSTANTIATE_TEST_SUITE_P(Formats, BlockLayoutTest, testing::ValuesIn(formats_with_codes()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(BlockLayout, IsOfTheDtype) {
  for (const DType format : block_formats) {
    EXPECT_EQ(layout_of(format).elements, block_elements(format));
    EXPECT_EQ(layout_of(format).bytes, static_cast<int>(size_of(format)));
  }
}

TEST(BlockLayout, StepsAreReadAsWritten) {
  for (const DType format : block_formats) {
    std::vector<std::byte> block(size_of(format), std::byte{0xa5});
    const std::vector<std::byte> before = block;
    write_step(format, block.data(), 0.375f);
    if (format == DType::mxfp4 || format == DType::nvfp4) {
      EXPECT_NE(block, before);
      continue;
    }
    EXPECT_EQ(read_step(format, block.data()), 0.375f) << name_of(format);
  }
}

}  // namespace
}  // namespace kernelgen::reference
