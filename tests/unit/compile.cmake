# Unit tests of what is compiled at run time, over stubs of the GPUs' compilers and the clang++ that is here.
foreach(stub IN ITEMS nvrtc hiprtc)
  add_library(${stub}-stub MODULE ${CMAKE_CURRENT_LIST_DIR}/../stub_gpu/stub_rtc.cpp)
  target_include_directories(${stub}-stub PRIVATE ${CMAKE_CURRENT_LIST_DIR}/..)
endforeach()
target_compile_definitions(hiprtc-stub PRIVATE STUB_HIP)

find_program(KERNELGEN_CLANGXX NAMES clang++-19 clang++ HINTS "${KERNELGEN_LLVM_TOOLS}" REQUIRED)
add_executable(
  compile_test ${CMAKE_CURRENT_LIST_DIR}/compile_gpu_test.cc ${CMAKE_CURRENT_LIST_DIR}/compile_test.cc
               ${CMAKE_CURRENT_LIST_DIR}/compile_expression_test.cc ${CMAKE_CURRENT_LIST_DIR}/compile_module_test.cc)
target_compile_definitions(
  compile_test
  PRIVATE KERNELGEN_CLANGXX="${KERNELGEN_CLANGXX}"
          KERNELGEN_KERNELS_DIR="${PROJECT_SOURCE_DIR}/kernels"
          KERNELGEN_STUB_HIP="$<TARGET_FILE:amdhip64-stub>"
          KERNELGEN_STUB_CUDA="$<TARGET_FILE:cuda-stub>"
          KERNELGEN_STUB_HIPRTC="$<TARGET_FILE:hiprtc-stub>"
          KERNELGEN_STUB_NVRTC="$<TARGET_FILE:nvrtc-stub>")
add_executable(nvrtc_test ${CMAKE_CURRENT_LIST_DIR}/nvrtc_test.cc)
target_compile_definitions(nvrtc_test PRIVATE KERNELGEN_STUB_CUDA="$<TARGET_FILE:cuda-stub>")

target_link_libraries(compile_test PRIVATE kernelgen::kernels)
foreach(test IN ITEMS compile_test nvrtc_test)
  target_link_libraries(${test} PRIVATE kernelgen_test_support)
  add_dependencies(${test} amdhip64-stub cuda-stub hiprtc-stub nvrtc-stub)
  gtest_discover_tests(${test} PROPERTIES LABELS unit)
endforeach()

find_package(nlohmann_json REQUIRED)
add_executable(kernel_arguments_test ${CMAKE_CURRENT_LIST_DIR}/kernel_arguments_test.cc
                                     ${CMAKE_CURRENT_LIST_DIR}/metadata_elf.cpp)
target_link_libraries(kernel_arguments_test PRIVATE kernelgen_test_support nlohmann_json::nlohmann_json)
gtest_discover_tests(kernel_arguments_test PROPERTIES LABELS unit)
