# Unit tests of the commands that compare packages and make packages of packages.
add_library(kernelgen_made_package STATIC ${CMAKE_CURRENT_LIST_DIR}/../support/made_package.cpp
                                          ${CMAKE_CURRENT_LIST_DIR}/metadata_elf.cpp)
target_include_directories(kernelgen_made_package PUBLIC ${CMAKE_CURRENT_LIST_DIR}/..)
target_compile_definitions(kernelgen_made_package PUBLIC KERNELGEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_link_libraries(kernelgen_made_package PUBLIC kernelgen_tool)

add_executable(
  package_tools_test
  ${CMAKE_CURRENT_LIST_DIR}/command_conform_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/command_diff_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/command_repack_test.cc)
target_link_libraries(package_tools_test PRIVATE kernelgen_made_package GTest::gtest_main)
gtest_discover_tests(package_tools_test PROPERTIES LABELS unit)
