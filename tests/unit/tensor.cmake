# Dtypes, layouts and scalars, and the reference that everything else is judged by.
add_executable(
  tensor_test
  ${CMAKE_CURRENT_LIST_DIR}/block_layout_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/dtype_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/layout_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/layout_walk_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/quantized_reference_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/reference_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/scalar_test.cc)
target_link_libraries(tensor_test PRIVATE kernelgen_reference kernelgen::runtime GTest::gtest_main)
gtest_discover_tests(tensor_test PROPERTIES LABELS unit)
