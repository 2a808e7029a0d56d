# Unit tests of the commands that compare packages and make packages of packages.
add_library(kernelgen_made_package STATIC ${CMAKE_CURRENT_LIST_DIR}/../support/made_package.cpp
                                          ${CMAKE_CURRENT_LIST_DIR}/metadata_elf.cpp)
target_include_directories(kernelgen_made_package PUBLIC ${CMAKE_CURRENT_LIST_DIR}/..)
target_compile_definitions(kernelgen_made_package PUBLIC KERNELGEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_link_libraries(kernelgen_made_package PUBLIC kernelgen_tool)

# A code object that says which lines it comes from.
add_library(kernelgen_test_debug_kernel MODULE ${CMAKE_CURRENT_LIST_DIR}/../support/debug_kernel.c)
set_target_properties(kernelgen_test_debug_kernel PROPERTIES PREFIX "")
target_compile_options(kernelgen_test_debug_kernel PRIVATE -g -fno-sanitize=all)

add_executable(
  package_tools_test
  ${CMAKE_CURRENT_LIST_DIR}/command_annotate_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/command_conform_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/command_diff_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/command_disasm_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/command_kpack_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/command_repack_test.cc)
target_compile_definitions(package_tools_test PRIVATE KERNELGEN_DEBUG_KERNEL="$<TARGET_FILE:kernelgen_test_debug_kernel>")
target_link_libraries(package_tools_test PRIVATE kernelgen_assembled kernelgen_made_package GTest::gtest_main)
add_dependencies(package_tools_test kernelgen_test_debug_kernel)
gtest_discover_tests(package_tools_test PROPERTIES LABELS unit)
