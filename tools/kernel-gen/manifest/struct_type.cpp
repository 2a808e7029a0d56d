#include "manifest/struct_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace kernelgen::tool {

namespace {

/// Largest N of Strided<N>.
constexpr unsigned max_operands = 4;
/// And of Tiles<N>.
constexpr unsigned max_tiled_inputs = 2;

/// Lays structs out as C++ does: each field at its natural alignment.
class Builder {
 public:
  struct Declaration {
    std::string name, type;
  };

  void add(std::string name, const std::vector<Declaration>& fields) {
    StructType type{std::move(name), {0, 1}, {}};
    for (const Declaration& field : fields) {
      const TypeLayout layout = layout_of(field.type);
      const std::uint32_t offset = round_up(type.layout.size, layout.align);
      type.fields.push_back({field.name, field.type, offset});
      type.layout = {offset + layout.size, std::max(type.layout.align, layout.align)};
    }
    type.layout.size = round_up(type.layout.size, type.layout.align);
    types_.push_back(std::move(type));
  }
  std::vector<StructType> finish() { return std::move(types_); }

 private:
  static std::uint32_t round_up(std::uint32_t size, std::uint32_t align) {
    return (size + align - 1) / align * align;
  }

  TypeLayout layout_of(std::string_view type) const {
    const std::string_view base = type.substr(0, type.find('['));
    const auto known =
        std::find_if(types_.begin(), types_.end(), [&](const auto& t) { return t.name == base; });
    TypeLayout layout = known != types_.end() ? known->layout : scalar_type_layout(base).value();
    for (std::size_t at = type.find('['); at < type.size(); at = type.find('[', at + 1)) {
      std::uint32_t extent = 0;
      std::from_chars(type.data() + at + 1, type.data() + type.size(), extent);
      layout.size *= extent;
    }
    return layout;
  }

  std::vector<StructType> types_;
};

std::vector<StructType> make_struct_types() {
  Builder build;
  build.add("Divisor", {{"extent", "u32"}, {"magic", "u32"}, {"shift", "u32"}});
  for (unsigned operands = 1; operands <= max_operands; ++operands)
    build.add(fmt::format("Strided<{}>", operands), {{"rank", "u32"},
                                                     {"elements", "u32"},
                                                     {"dim", "Divisor[8]"},
                                                     {"stride", fmt::format("i64[{}][8]", operands)}});
  for (unsigned inputs = 1; inputs <= max_tiled_inputs; ++inputs)
    build.add(fmt::format("Tiles<{}>", inputs), {{"columns", "u32"},
                                                 {"rows", "u32"},
                                                 {"origins", fmt::format("Strided<{}>", inputs + 1)},
                                                 {"column_stride", fmt::format("i64[{}]", inputs + 1)},
                                                 {"row_stride", fmt::format("i64[{}]", inputs + 1)}});
  build.add("Coordinates", {{"rank", "u32"},
                            {"elements", "u32"},
                            {"dim", "Divisor[8]"},
                            {"start", "i64[8]"},
                            {"extent", "i64[8]"},
                            {"stride", "i64[8]"}});
  build.add("ScaledSoftmaxShape",
            {{"rows", "Strided<3>"}, {"mask_step", "i64"}, {"scale", "f64"}, {"mask_is_half", "u32"}});
  build.add("ImagePiece",
            {{"columns", "Divisor"}, {"rows", "Divisor"}, {"elements", "u32"}, {"first_row", "u32"}});
  build.add("ImagePatches", {{"piece", "ImagePiece"},
                             {"across", "Divisor"},
                             {"down", "Divisor"},
                             {"patches", "u32"},
                             {"patch_rows", "u32"}});
  build.add("PoolShape", {{"rows", "u32"},
                          {"columns", "u32"},
                          {"kernel_rows", "u32"},
                          {"kernel_columns", "u32"},
                          {"row_stride", "u32"},
                          {"column_stride", "u32"}});
  build.add("ConvShape", {{"batch", "u32"},
                          {"groups", "u32"},
                          {"in_channels", "u32"},
                          {"out_channels", "u32"},
                          {"in_rows", "i32"},
                          {"in_columns", "i32"},
                          {"row_stride", "i32"},
                          {"column_stride", "i32"},
                          {"row_dilation", "i32"},
                          {"column_dilation", "i32"},
                          {"row_padding", "i32"},
                          {"column_padding", "i32"},
                          {"row_spacing", "Divisor"},
                          {"column_spacing", "Divisor"},
                          {"weight_in", "u32"},
                          {"weight_out", "u32"},
                          {"rows", "Divisor"},
                          {"columns", "Divisor"},
                          {"kernel_columns", "Divisor"},
                          {"kernel_size", "Divisor"},
                          {"channels", "Divisor"},
                          {"image_channels", "Divisor"},
                          {"kernel_rows", "u32"},
                          {"x_channel", "i64"},
                          {"y_channel", "i64"},
                          {"y_row", "i64"},
                          {"y_column", "i64"}});
  build.add("AttentionStrides", {{"batch", "i64"}, {"head", "i64"}, {"row", "i64"}});
  build.add("AttentionTiles", {{"count", "u32"},
                               {"heads", "u32"},
                               {"section", "Divisor"},
                               {"together", "Divisor"},
                               {"splits", "Divisor"},
                               {"key_heads", "Divisor"},
                               {"group", "Divisor"}});
  build.add("AttentionShape",
            {{"batch", "u32"},           {"heads", "u32"},          {"group", "u32"},
             {"queries", "u32"},         {"keys", "u32"},           {"width", "u32"},
             {"page_rows", "u32"},       {"pages_each", "u32"},     {"page_count", "u32"},
             {"splits", "u32"},          {"window_left", "i32"},    {"window_right", "i32"},
             {"scale", "f32"},           {"soft_cap", "f32"},       {"f32_rows", "u32"},
             {"q", "AttentionStrides"},  {"k", "AttentionStrides"}, {"v", "AttentionStrides"},
             {"y", "AttentionStrides"},  {"mask", "i64[4]"},        {"slope", "i64[2]"},
             {"tiles", "AttentionTiles"}});
  build.add("RecurrenceVectors",
            {{"token", "i64"}, {"head", "i64"}, {"group", "i64"}, {"heads", "u32"}, {"step", "u32"}});
  build.add("RecurrenceShape", {{"sequences", "u32"},
                                {"tokens", "u32"},
                                {"heads", "u32"},
                                {"rows", "u32"},
                                {"width", "u32"},
                                {"group", "u32"},
                                {"tile_tokens", "u32"},
                                {"span", "u32"},
                                {"vector_packs", "u32"},
                                {"state_packs", "u32"},
                                {"rate_step", "u32"},
                                {"discretize", "u32"},
                                {"id_type", "u32"},
                                {"scale", "f32"},
                                {"row_step", "i64"},
                                {"element_step", "i64"},
                                {"states", "u64"},
                                {"q", "RecurrenceVectors"},
                                {"k", "RecurrenceVectors"},
                                {"v", "RecurrenceVectors"},
                                {"decay", "RecurrenceVectors"},
                                {"a", "RecurrenceVectors"},
                                {"b", "RecurrenceVectors"}});
  return build.finish();
}

}  // namespace

std::span<const StructType> struct_types() {
  static const std::vector<StructType> types = make_struct_types();
  return types;
}

}  // namespace kernelgen::tool
