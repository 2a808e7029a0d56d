#pragma once
/// The types of ids that a kernel learns when it runs; the numbers are those of the runtime's dtypes.
namespace kg {

enum class IdType : unsigned { u8, u32, i16, i32, i64 };

}  // namespace kg
