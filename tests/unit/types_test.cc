#include "manifest/types.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

#include "device/block_formats.hpp"
#include "kernelgen/dtype.hpp"
#include "manifest/struct_type.hpp"
#include "plan/attention.hpp"
#include "plan/coordinates.hpp"
#include "plan/image.hpp"
#include "plan/recurrence.hpp"
#include "plan/scaled_softmax.hpp"

namespace kernelgen::tool {
namespace {

TEST(Types, ElementsAreInCodeOrder) {
  ASSERT_EQ(element_names().size(), dtype_count + 4);
  ASSERT_EQ(element_codes().size(), dtype_count + 4);
  for (std::size_t i = 0; i < element_codes().size(); ++i)
    EXPECT_EQ(parse_element(element_names()[i]), element_codes()[i]);
  for (std::size_t i = 0; i < dtype_count; ++i) {
    EXPECT_EQ(element_names()[i], name_of(static_cast<DType>(i)));
    const auto layout = base_type_layout(element_names()[i]);
    ASSERT_EQ(layout.has_value(), !is_quantized(static_cast<DType>(i))) << element_names()[i];
    if (layout) {
      EXPECT_EQ(layout->size, size_of(static_cast<DType>(i)));
    }
  }
  for (const unsigned bytes : {1u, 2u, 4u, 8u}) {
    const std::string name = "b" + std::to_string(8 * bytes);
    EXPECT_EQ(parse_element(name), width_code(bytes));
    EXPECT_EQ(base_type_layout(name)->size, bytes);
    EXPECT_EQ(base_type_layout(name)->align, bytes);
  }
  EXPECT_EQ(parse_element("f33"), std::nullopt);
}

TEST(Types, Sets) {
  const auto names = [](const char* set) {
    const std::vector<ElementCode> codes = find_type_set(set).value();
    std::string text;
    for (const ElementCode code : codes) text.append(element_name(code)).append(" ");
    return text;
  };
  EXPECT_EQ(names("F"), "bf16 f16 f32 f64 f8e4m3 ");
  EXPECT_EQ(names("I"), "u8 u32 i16 i32 i64 ");
  EXPECT_EQ(names("ids"), "u8 u32 i16 i32 i64 ");
  EXPECT_EQ(names("all"), "u8 u32 i16 i32 i64 bf16 f16 f32 f64 f8e4m3 ");
  EXPECT_EQ(names("width"), "b8 b16 b32 b64 ");
  EXPECT_TRUE(names("quantized").starts_with("q4_0 q4_1 q5_0 ")) << names("quantized");
  EXPECT_EQ(find_type_set("quantized")->size(), dtype_count - plain_dtype_count);
  EXPECT_TRUE(names("quantizable").find(" tq2_0 ") != std::string::npos) << names("quantizable");
  EXPECT_TRUE(names("quantizable").find(" iq2_xxs ") == std::string::npos) << names("quantizable");
  EXPECT_EQ(find_type_set("f"), std::nullopt);
  for (const std::string& name : type_set_names()) EXPECT_TRUE(find_type_set(name)) << name;
}

template <class... W>
void expect_blocks(kg::FormatList<W...>) {
  ASSERT_EQ(sizeof...(W), dtype_count - plain_dtype_count);
  std::size_t code = 0;
  const auto expect_block = [&](std::size_t size, std::size_t alignment) {
    while (!is_quantized(static_cast<DType>(code))) ++code;
    const auto dtype = static_cast<DType>(code++);
    EXPECT_EQ(size, size_of(dtype)) << name_of(dtype);
    EXPECT_LE(alignment, alignment_of(dtype)) << name_of(dtype);
  };
  (expect_block(sizeof(W), alignof(W)), ...);
}

TEST(Types, BlocksHaveTheDtypesBytes) { expect_blocks(kg::BlockFormats()); }

TEST(Types, StructsAreLaidOutAsTheKernelsSee) {
  const auto expect_layout = [](const char* name, std::size_t size, std::size_t align,
                                std::initializer_list<std::size_t> offsets) {
    const auto types = struct_types();
    const auto type = std::find_if(types.begin(), types.end(), [&](const auto& t) { return t.name == name; });
    ASSERT_NE(type, types.end()) << name;
    EXPECT_EQ(type->layout.size, size) << name;
    EXPECT_EQ(type->layout.align, align) << name;
    std::vector<std::size_t> laid_out;
    for (const StructType::Field& field : type->fields) laid_out.push_back(field.offset);
    EXPECT_EQ(laid_out, std::vector(offsets)) << name;
    EXPECT_EQ(base_type_layout(name)->size, size) << name;
  };
#define EXPECT_LAYOUT(type, ...) expect_layout(#type, sizeof(kg::type), alignof(kg::type), {__VA_ARGS__})
#define AT(type, field) offsetof(kg::type, field)
  EXPECT_LAYOUT(Divisor, AT(Divisor, extent), AT(Divisor, magic), AT(Divisor, shift));
#define EXPECT_STRIDED(n)                                                                        \
  EXPECT_LAYOUT(Strided<n>, AT(Strided<n>, rank), AT(Strided<n>, elements), AT(Strided<n>, dim), \
                AT(Strided<n>, stride))
  EXPECT_STRIDED(1);
  EXPECT_STRIDED(2);
  EXPECT_STRIDED(3);
  EXPECT_STRIDED(4);
#define EXPECT_TILES(n)                                                                     \
  EXPECT_LAYOUT(Tiles<n>, AT(Tiles<n>, columns), AT(Tiles<n>, rows), AT(Tiles<n>, origins), \
                AT(Tiles<n>, column_stride), AT(Tiles<n>, row_stride))
  EXPECT_TILES(1);
  EXPECT_TILES(2);
  EXPECT_LAYOUT(AttentionStrides, AT(AttentionStrides, batch), AT(AttentionStrides, head),
                AT(AttentionStrides, row));
  EXPECT_LAYOUT(AttentionTiles, AT(AttentionTiles, count), AT(AttentionTiles, heads),
                AT(AttentionTiles, section), AT(AttentionTiles, together), AT(AttentionTiles, splits),
                AT(AttentionTiles, key_heads), AT(AttentionTiles, group));
  EXPECT_LAYOUT(AttentionShape, AT(AttentionShape, batch), AT(AttentionShape, heads),
                AT(AttentionShape, group), AT(AttentionShape, queries), AT(AttentionShape, keys),
                AT(AttentionShape, width), AT(AttentionShape, page_rows), AT(AttentionShape, pages_each),
                AT(AttentionShape, page_count), AT(AttentionShape, splits), AT(AttentionShape, window_left),
                AT(AttentionShape, window_right), AT(AttentionShape, scale), AT(AttentionShape, soft_cap),
                AT(AttentionShape, f32_rows), AT(AttentionShape, q), AT(AttentionShape, k),
                AT(AttentionShape, v), AT(AttentionShape, y), AT(AttentionShape, mask),
                AT(AttentionShape, slope), AT(AttentionShape, tiles));
  EXPECT_LAYOUT(Coordinates, AT(Coordinates, rank), AT(Coordinates, elements), AT(Coordinates, dim),
                AT(Coordinates, start), AT(Coordinates, extent), AT(Coordinates, stride));
  EXPECT_LAYOUT(ScaledSoftmaxShape, AT(ScaledSoftmaxShape, rows), AT(ScaledSoftmaxShape, mask_step),
                AT(ScaledSoftmaxShape, scale), AT(ScaledSoftmaxShape, mask_is_half));
  EXPECT_LAYOUT(ImagePiece, AT(ImagePiece, columns), AT(ImagePiece, rows), AT(ImagePiece, elements),
                AT(ImagePiece, first_row));
  EXPECT_LAYOUT(ImagePatches, AT(ImagePatches, piece), AT(ImagePatches, across), AT(ImagePatches, down),
                AT(ImagePatches, patches), AT(ImagePatches, patch_rows));
  EXPECT_LAYOUT(PoolShape, AT(PoolShape, rows), AT(PoolShape, columns), AT(PoolShape, kernel_rows),
                AT(PoolShape, kernel_columns), AT(PoolShape, row_stride), AT(PoolShape, column_stride));
  EXPECT_LAYOUT(ConvShape, AT(ConvShape, batch), AT(ConvShape, groups), AT(ConvShape, in_channels),
                AT(ConvShape, out_channels), AT(ConvShape, in_rows), AT(ConvShape, in_columns),
                AT(ConvShape, row_stride), AT(ConvShape, column_stride), AT(ConvShape, row_dilation),
                AT(ConvShape, column_dilation), AT(ConvShape, row_padding), AT(ConvShape, column_padding),
                AT(ConvShape, row_spacing), AT(ConvShape, column_spacing), AT(ConvShape, weight_in),
                AT(ConvShape, weight_out), AT(ConvShape, rows), AT(ConvShape, columns),
                AT(ConvShape, kernel_columns), AT(ConvShape, kernel_size), AT(ConvShape, channels),
                AT(ConvShape, image_channels), AT(ConvShape, kernel_rows), AT(ConvShape, x_channel),
                AT(ConvShape, y_channel), AT(ConvShape, y_row), AT(ConvShape, y_column));
  EXPECT_LAYOUT(RecurrenceVectors, AT(RecurrenceVectors, token), AT(RecurrenceVectors, head),
                AT(RecurrenceVectors, group), AT(RecurrenceVectors, heads), AT(RecurrenceVectors, step));
  EXPECT_LAYOUT(RecurrenceShape, AT(RecurrenceShape, sequences), AT(RecurrenceShape, tokens),
                AT(RecurrenceShape, heads), AT(RecurrenceShape, rows), AT(RecurrenceShape, width),
                AT(RecurrenceShape, group), AT(RecurrenceShape, tile_tokens), AT(RecurrenceShape, span),
                AT(RecurrenceShape, vector_packs), AT(RecurrenceShape, state_packs),
                AT(RecurrenceShape, rate_step), AT(RecurrenceShape, discretize), AT(RecurrenceShape, id_type),
                AT(RecurrenceShape, scale), AT(RecurrenceShape, row_step), AT(RecurrenceShape, element_step),
                AT(RecurrenceShape, states), AT(RecurrenceShape, q), AT(RecurrenceShape, k),
                AT(RecurrenceShape, v), AT(RecurrenceShape, decay), AT(RecurrenceShape, a),
                AT(RecurrenceShape, b));
#undef EXPECT_TILES
#undef EXPECT_STRIDED
#undef AT
#undef EXPECT_LAYOUT
  EXPECT_EQ(base_type_layout("Strided<5>"), std::nullopt);
}

TEST(Types, ArgumentGrammar) {
  const auto round_trip = [](const char* text) {
    const auto type = parse_argument_type(text);
    return type ? type->spell({}) : "none";
  };
  EXPECT_EQ(round_trip("const f32*"), "const f32*");
  EXPECT_EQ(round_trip("f32*"), "f32*");
  EXPECT_EQ(round_trip("u64"), "u64");
  EXPECT_EQ(round_trip("Strided<2>"), "Strided<2>");
  EXPECT_EQ(round_trip("  const  f32 * "), "const f32*");
  for (const char* bad :
       {"", "*", "const", "const f32", "f32**", "f32 const*", "const*", "f32&", "unsigned int"})
    EXPECT_EQ(round_trip(bad), "none") << bad;
}

TEST(Types, BindingResolvesVariables) {
  const std::vector<std::string> variables = {"C", "T"};
  const std::vector<ElementCode> values = {*parse_element("u8"), *parse_element("f16")};
  const Binding binding{variables, values};
  EXPECT_EQ(parse_argument_type("const T*")->spell(binding), "const f16*");
  EXPECT_EQ(parse_argument_type("T")->layout(binding).size, 2u);
  EXPECT_EQ(parse_argument_type("T*")->layout(binding).size, 8u);
  EXPECT_EQ(parse_argument_type("C")->layout(binding).size, 1u);
  EXPECT_TRUE(parse_argument_type("T*")->is_written());
  EXPECT_FALSE(parse_argument_type("const T*")->is_written());
  EXPECT_FALSE(parse_argument_type("T")->is_written());
}

}  // namespace
}  // namespace kernelgen::tool
