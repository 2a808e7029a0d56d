# Unit tests of what kernel-gen does before any compiler runs.
add_executable(
  tool_front_test
  ${CMAKE_CURRENT_LIST_DIR}/array_expression_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/command_emit_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/command_init_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/disk_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/emit_functions_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/emit_source_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/dim_expression_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/expression_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/kernel_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/perfect_hash_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/printable_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/select_rule_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/suggest_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/target_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/types_test.cc)
target_include_directories(tool_front_test PRIVATE ${PROJECT_SOURCE_DIR}/kernels)
target_compile_definitions(tool_front_test PRIVATE KERNELGEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_link_libraries(tool_front_test PRIVATE kernelgen_memory_disk kernelgen_tool GTest::gtest_main)
gtest_discover_tests(tool_front_test PROPERTIES LABELS unit)
