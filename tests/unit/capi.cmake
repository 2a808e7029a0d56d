# Unit tests of the C interface, DLPack exchange, GGUF and .npy files, `kernel-gen run` and `bench` on the
# CPU device, `ls` and `verify`.
add_executable(
  capi_test
  ${CMAKE_CURRENT_LIST_DIR}/capi_attention_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/capi_functions.c
  ${CMAKE_CURRENT_LIST_DIR}/capi_compile_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/capi_device_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/capi_elementwise_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/capi_fused_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/capi_gguf_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/capi_graph_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/capi_image_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/capi_manipulation_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/capi_named_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/capi_operation_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/capi_package_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/capi_rows_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/capi_tensor_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/capi_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/dlpack_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/gguf_test.cc)
target_compile_definitions(capi_test PRIVATE KERNELGEN_TEST_VERSION="${PROJECT_VERSION}")
target_include_directories(capi_test PRIVATE ${PROJECT_SOURCE_DIR}/generated ${PROJECT_SOURCE_DIR}/runtime/src ${PROJECT_SOURCE_DIR}/tests
                                             ${PROJECT_SOURCE_DIR}/examples/llama)
target_link_libraries(capi_test PRIVATE kernelgen::kernels kernelgen::runtime GTest::gtest_main m)
gtest_discover_tests(capi_test PROPERTIES LABELS unit)

add_executable(
  npy_test
  ${CMAKE_CURRENT_LIST_DIR}/bench_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/command_run_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/npy_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/runnable_parameters_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/runnable_test.cc)
target_compile_definitions(npy_test PRIVATE KERNELGEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_link_libraries(npy_test PRIVATE kernelgen::kernels kernelgen_memory_disk kernelgen_test_support kernelgen_tool
                                       GTest::gtest_main)
gtest_discover_tests(npy_test PROPERTIES LABELS unit)

add_executable(verify_test ${CMAKE_CURRENT_LIST_DIR}/command_ls_test.cc ${CMAKE_CURRENT_LIST_DIR}/command_verify_test.cc
                           ${CMAKE_CURRENT_LIST_DIR}/command_wrappers_test.cc
                           ${CMAKE_CURRENT_LIST_DIR}/hostile_names_test.cc)
target_compile_definitions(
  verify_test PRIVATE KERNELGEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                      KERNELGEN_TEST_PACKAGE="$<TARGET_PROPERTY:kernelgen_kernels,KERNELGEN_PACKAGE>")
target_include_directories(verify_test PRIVATE ${PROJECT_SOURCE_DIR}/examples/llama)
target_link_libraries(verify_test PRIVATE kernelgen_test_support kernelgen_tool GTest::gtest_main)
add_dependencies(verify_test kernelgen_kernels)
gtest_discover_tests(verify_test PROPERTIES LABELS unit)
