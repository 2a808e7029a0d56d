#pragma once
/// Id types that are kernel arguments, numbered as the runtime's dtypes.
namespace kg {

enum class IdType : unsigned { u8, u32, i16, i32, i64 };

}  // namespace kg
