# Unit tests of what reads and rewrites files of others that hold GPU code.
include(${PROJECT_SOURCE_DIR}/cmake/llvm.cmake)
add_executable(binary_test ${CMAKE_CURRENT_LIST_DIR}/code_finder_test.cc ${CMAKE_CURRENT_LIST_DIR}/kernel_manifest_test.cc ${CMAKE_CURRENT_LIST_DIR}/metadata_elf.cpp
                           ${CMAKE_CURRENT_LIST_DIR}/offload_bundle_test.cc ${CMAKE_CURRENT_LIST_DIR}/same_kernel_test.cc
                           ${CMAKE_CURRENT_LIST_DIR}/shrink_test.cc
                           ${PROJECT_SOURCE_DIR}/tests/support/host_program.cpp)
target_include_directories(binary_test SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
target_link_libraries(binary_test PRIVATE kernelgen_assembled kernelgen_memory_disk kernelgen_tool LLVM GTest::gtest_main)
gtest_discover_tests(binary_test PROPERTIES LABELS unit)
