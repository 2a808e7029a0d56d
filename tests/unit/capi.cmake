# Unit tests of the C interface, DLPack exchange, .npy files and `kernel-gen run`, on the CPU device.
add_executable(
  capi_test
  ${CMAKE_CURRENT_LIST_DIR}/capi_functions.c
  ${CMAKE_CURRENT_LIST_DIR}/capi_image_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/capi_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/dlpack_test.cc)
target_compile_definitions(capi_test PRIVATE KERNELGEN_TEST_VERSION="${PROJECT_VERSION}")
target_link_libraries(capi_test PRIVATE kernelgen::kernels kernelgen::runtime GTest::gtest_main m)
gtest_discover_tests(capi_test PROPERTIES LABELS unit)

add_executable(npy_test ${CMAKE_CURRENT_LIST_DIR}/command_run_test.cc ${CMAKE_CURRENT_LIST_DIR}/npy_test.cc)
target_link_libraries(npy_test PRIVATE kernelgen::kernels kernelgen_tool GTest::gtest_main)
gtest_discover_tests(npy_test PROPERTIES LABELS unit)
