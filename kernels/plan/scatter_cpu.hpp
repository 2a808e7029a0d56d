#pragma once
/// Constants of index/scatter_add_16bit_cpu.hpp, shared with its callers.
namespace kg {

/// Sums that a thread holds, and the columns that it adds at least where lines have as many.
inline constexpr unsigned scatter_cpu_sums = 64 * 1024, scatter_cpu_columns = 128;

}  // namespace kg
