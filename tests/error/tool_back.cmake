add_executable(
  build_error_test
  ${CMAKE_CURRENT_LIST_DIR}/build_error_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/command_line_error_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/full_disk_test.cc
  ${PROJECT_SOURCE_DIR}/tests/unit/metadata_elf.cpp)
target_compile_definitions(build_error_test PRIVATE KERNELGEN_TOOL="$<TARGET_FILE:kernel-gen>")
target_link_libraries(build_error_test PRIVATE kernelgen_memory_disk kernelgen_tool GTest::gtest_main)
add_dependencies(build_error_test kernel-gen)
gtest_discover_tests(build_error_test PROPERTIES LABELS error)

add_executable(tool_process_test ${CMAKE_CURRENT_LIST_DIR}/tool_process_test.cc)
target_include_directories(tool_process_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_compile_definitions(tool_process_test PRIVATE KERNELGEN_TOOL="$<TARGET_FILE:kernel-gen>")
target_link_libraries(tool_process_test PRIVATE GTest::gtest_main)
add_dependencies(tool_process_test kernel-gen)
gtest_discover_tests(tool_process_test PROPERTIES LABELS error)

add_executable(package_tools_error_test ${CMAKE_CURRENT_LIST_DIR}/binary_error_test.cc ${CMAKE_CURRENT_LIST_DIR}/import_error_test.cc
                                        ${PROJECT_SOURCE_DIR}/tests/support/host_program.cpp
                                        ${CMAKE_CURRENT_LIST_DIR}/package_tools_error_test.cc)
target_link_libraries(package_tools_error_test PRIVATE kernelgen_made_package kernelgen_test_support GTest::gtest_main)
gtest_discover_tests(package_tools_error_test PROPERTIES LABELS error)

add_executable(killed_build_test ${CMAKE_CURRENT_LIST_DIR}/killed_build_test.cc)
target_include_directories(killed_build_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_compile_definitions(killed_build_test PRIVATE KERNELGEN_TOOL="$<TARGET_FILE:kernel-gen>")
target_link_libraries(killed_build_test PRIVATE kernelgen_tool GTest::gtest_main)
add_dependencies(killed_build_test kernel-gen)
gtest_discover_tests(killed_build_test PROPERTIES LABELS error)
