# Unit tests of what compiles, reads code objects back and packs.
add_executable(
  tool_back_test
  ${CMAKE_CURRENT_LIST_DIR}/blobs_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/cache_size_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/cache_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/check_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/code_object_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/compile_cache_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/depfile_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/disassembly_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/constant_table_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/filter_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/loop_cost_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/loops_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/jobserver_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/metadata_elf.cpp
  ${CMAKE_CURRENT_LIST_DIR}/ninja_file_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/package_check_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/package_writer_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/packing_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/parallel_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/part_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/paths_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/process_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/provenance_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/report_launches_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/schedule_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/source_text_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/staging_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/toolchain_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/wave_size_test.cc)
target_compile_definitions(tool_back_test PRIVATE KERNELGEN_KERNELS="${PROJECT_SOURCE_DIR}/kernels"
                                                  KERNELGEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_link_libraries(tool_back_test PRIVATE kernelgen_assembled kernelgen_memory_disk kernelgen_tool GTest::gtest_main)
gtest_discover_tests(tool_back_test PROPERTIES LABELS unit)
