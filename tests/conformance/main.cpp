#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdio>
#include <exception>

#include "environment.hpp"

using namespace kernelgen::conformance;

int main(int argc, char** argv) {
  // Large buffers come and go by the thousand: mapping their pages each time took a third of the run.
  mallopt(M_MMAP_THRESHOLD, 1 << 28);
  mallopt(M_TRIM_THRESHOLD, 1 << 29);
  testing::InitGoogleTest(&argc, argv);
  if (argc > 1) {
    std::fprintf(stderr, "kernelgen_conformance: unknown argument '%s'; there are only GoogleTest's\n",
                 argv[1]);
    return 2;
  }
  register_unary_tests();
  register_accuracy_tests();
  register_scalar_tests();
  register_parameter_tests();
  register_binary_tests();
  register_gate_tests();
  register_where_tests();
  register_cast_tests();
  register_copy_tests();
  register_manipulation_tests();
  register_sequence_tests();
  register_index_tests();
  register_recurrence_tests();
  register_solve_tests();
  register_reduce_tests();
  register_matmul_tests();
  register_normalization_tests();
  register_scaled_softmax_tests();
  register_added_norm_tests();
  register_cross_entropy_tests();
  register_sort_tests();
  register_top_k_tests();
  register_scan_tests();
  register_random_tests();
  register_quantize_tests();
  register_set_rows_tests();
  register_experts_tests();
  register_vector_products_tests();
  register_quantized_matmul_tests();
  register_image_tests();
  register_conv_tests();
  register_conv_gemm_tests();
  register_fix_padding_tests();
  register_rope_tests();
  register_attention_tests();
  register_attention_special_tests();
  register_large_tests();
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  try {
    std::printf("device %s (%s), target %s, KERNELGEN_SEED=%llu\n", device().location().c_str(),
                device().architecture().c_str(), device().target().c_str(),
                static_cast<unsigned long long>(seed()));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kernelgen_conformance: %s\n", error.what());
    return 1;
  }
  return RUN_ALL_TESTS();
}
