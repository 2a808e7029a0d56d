#include "emit/wrappers.hpp"

#include <algorithm>

namespace kernelgen::tool {

namespace {

struct NumberType {
  std::string_view name, cpp, rust;
};
constexpr NumberType number_types[] = {{"u8", "std::uint8_t", "u8"},    {"i8", "std::int8_t", "i8"},
                                       {"u16", "std::uint16_t", "u16"}, {"i16", "std::int16_t", "i16"},
                                       {"u32", "std::uint32_t", "u32"}, {"i32", "std::int32_t", "i32"},
                                       {"u64", "std::uint64_t", "u64"}, {"i64", "std::int64_t", "i64"},
                                       {"f32", "float", "f32"},         {"f64", "double", "f64"}};

}  // namespace

std::string WrappedKernel::spell_types() const {
  std::string types;
  for (const Argument& argument : arguments) types.append(types.empty() ? "" : ", ").append(argument.type);
  return types;
}

WrappedType wrapped_type(const WrappedKernel::Argument& argument) {
  std::string_view base = argument.type;
  const bool is_pointer = base.ends_with('*'), is_const = base.starts_with("const ");
  if (is_pointer) base.remove_suffix(1);
  if (is_const) base.remove_prefix(6);
  const auto number = std::ranges::find(number_types, base, &NumberType::name);
  const bool is_number = number != std::end(number_types);
  if (is_pointer)
    return {WrappedType::Kind::pointer, is_const, is_number ? number->cpp : "void",
            is_number ? number->rust : "c_void"};
  if (is_number) return {WrappedType::Kind::number, false, number->cpp, number->rust};
  return {WrappedType::Kind::bytes, false, {}, {}};
}

std::string UniqueNames::add(std::string name) {
  while (!taken_.insert(name).second) name += '_';
  return name;
}

}  // namespace kernelgen::tool
