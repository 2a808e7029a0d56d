#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "kernelgen/device.hpp"

namespace kernelgen::conformance {

/// The device under test: KERNELGEN_DEVICE, or `cpu`.
const Device& device();
/// KERNELGEN_SEED, or a fixed number, so that a run can be repeated.
std::uint64_t seed();
/// KERNELGEN_LARGE=1: tests that need 5 to 40 GB of device memory.
bool large();

/// A test named "Conformance/<operation>.<types>".
void register_test(const std::string& operation, const std::string& types, std::function<void()> body);
/// A test named "Exhaustive/<operation>.<types>" that goes through all 2^32 bit patterns: not registered without
/// KERNELGEN_EXHAUSTIVE=1.
void register_exhaustive_test(const std::string& operation, const std::string& types,
                              std::function<void()> body);

// One function a family.
void register_unary_tests();
void register_accuracy_tests();
void register_scalar_tests();
void register_parameter_tests();
void register_binary_tests();
void register_gate_tests();
void register_where_tests();
void register_cast_tests();
void register_copy_tests();
void register_manipulation_tests();
void register_sequence_tests();
void register_index_tests();
void register_recurrence_tests();
void register_solve_tests();
void register_reduce_tests();
void register_matmul_tests();
void register_normalization_tests();
void register_scaled_softmax_tests();
void register_added_norm_tests();
void register_cross_entropy_tests();
void register_sort_tests();
void register_top_k_tests();
void register_scan_tests();
void register_random_tests();
void register_quantize_tests();
void register_set_rows_tests();
void register_experts_tests();
void register_vector_products_tests();
void register_quantized_matmul_tests();
void register_image_tests();
void register_conv_tests();
void register_conv_gemm_tests();
void register_fix_padding_tests();
void register_rope_tests();
void register_attention_tests();
void register_attention_special_tests();
void register_large_tests();

}  // namespace kernelgen::conformance
