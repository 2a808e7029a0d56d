# Unit tests of packages, drivers and devices. No GPU is needed: stub driver libraries take its place.
add_library(kernelgen_test_support STATIC ${CMAKE_CURRENT_LIST_DIR}/../support/package_builder.cpp)
target_include_directories(
  kernelgen_test_support
  PUBLIC ${CMAKE_CURRENT_LIST_DIR}/.. ${PROJECT_SOURCE_DIR}/runtime/src ${PROJECT_SOURCE_DIR}/generated
  PRIVATE ${KERNELGEN_XXHASH_INCLUDE_DIR})
target_link_libraries(kernelgen_test_support PUBLIC kernelgen_runtime GTest::gtest_main zstd)

# A code object of the CPU kind.
add_library(kernelgen_test_cpu_kernels MODULE ${CMAKE_CURRENT_LIST_DIR}/../support/cpu_kernels.c)
set_target_properties(kernelgen_test_cpu_kernels PROPERTIES PREFIX "")

# The same without what a compiler adds that runs when it is loaded, and without its sanitizers.
add_library(kernelgen_test_bare_kernels MODULE ${CMAKE_CURRENT_LIST_DIR}/../support/cpu_kernels.c)
set_target_properties(kernelgen_test_bare_kernels PROPERTIES PREFIX "")
target_compile_options(kernelgen_test_bare_kernels PRIVATE -fno-sanitize=all)
target_link_options(kernelgen_test_bare_kernels PRIVATE -nostdlib -fno-sanitize=all)

# One that calls the C library.
add_library(kernelgen_test_linked_kernels MODULE ${CMAKE_CURRENT_LIST_DIR}/../support/linked_kernels.c)
set_target_properties(kernelgen_test_linked_kernels PROPERTIES PREFIX "")
target_compile_options(kernelgen_test_linked_kernels PRIVATE -fno-sanitize=all)
target_link_options(kernelgen_test_linked_kernels PRIVATE -fno-sanitize=all)

# Driver libraries that record what they are asked: HIP 5, HIP 6, CUDA.
foreach(stub IN ITEMS amdhip64-stub amdhip64-stub6 cuda-stub)
  add_library(
    ${stub} MODULE
    ${CMAKE_CURRENT_LIST_DIR}/../stub_gpu/stub_gpu.cpp ${CMAKE_CURRENT_LIST_DIR}/../stub_gpu/stub_graphs.cpp
    ${CMAKE_CURRENT_LIST_DIR}/../stub_gpu/stub_modules.cpp)
  target_include_directories(${stub} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/..)
endforeach()
target_compile_definitions(amdhip64-stub6 PRIVATE STUB_HIP6)
target_compile_definitions(cuda-stub PRIVATE STUB_CUDA)
# The vendors' libraries over the driver.
foreach(library IN ITEMS blas_lt cudnn miopen rocblas)
  add_library(${library}-stub MODULE ${CMAKE_CURRENT_LIST_DIR}/../stub_gpu/stub_${library}.cpp)
  target_include_directories(${library}-stub PRIVATE ${CMAKE_CURRENT_LIST_DIR}/..)
endforeach()
add_library(hipblaslt-stub MODULE ${CMAKE_CURRENT_LIST_DIR}/../stub_gpu/stub_blas_lt.cpp)
target_include_directories(hipblaslt-stub PRIVATE ${CMAKE_CURRENT_LIST_DIR}/..)
target_compile_definitions(hipblaslt-stub PRIVATE STUB_HIP)
# One that brings another HIP with it.
add_library(rocblas-stub-other MODULE ${CMAKE_CURRENT_LIST_DIR}/../stub_gpu/stub_rocblas.cpp)
target_include_directories(rocblas-stub-other PRIVATE ${CMAKE_CURRENT_LIST_DIR}/..)
target_compile_definitions(rocblas-stub-other PRIVATE STUB_OTHER_HIP)

add_library(nccl-stub MODULE ${CMAKE_CURRENT_LIST_DIR}/../stub_gpu/stub_nccl.cpp)
target_include_directories(nccl-stub PRIVATE ${CMAKE_CURRENT_LIST_DIR}/..)

# Libraries of profiler ranges.
foreach(stub IN ITEMS nvtx roctx neither)
  add_library(${stub}-stub MODULE ${CMAKE_CURRENT_LIST_DIR}/../stub_gpu/stub_ranges.cpp)
endforeach()
target_compile_definitions(roctx-stub PRIVATE STUB_ROCTX)
target_compile_definitions(neither-stub PRIVATE STUB_NEITHER)

add_executable(
  runtime_test
  ${CMAKE_CURRENT_LIST_DIR}/cpu_driver_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/device_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/driver_library_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/environment_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/operation_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/package_codec_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/package_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/quotient_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/shared_object_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/target_select_test.cc
  ${CMAKE_CURRENT_LIST_DIR}/thread_pool_test.cc)
# A process opens one library of each kind, so each stub needs its own program.
add_executable(gpu_driver_test ${CMAKE_CURRENT_LIST_DIR}/gpu_driver_test.cc)
add_executable(gpu_driver_variants_test ${CMAKE_CURRENT_LIST_DIR}/gpu_driver_variants_test.cc)
add_executable(vendor_library_test ${CMAKE_CURRENT_LIST_DIR}/blas_lt_test.cc
                                   ${CMAKE_CURRENT_LIST_DIR}/cudnn_choice_test.cc
                                   ${CMAKE_CURRENT_LIST_DIR}/cudnn_test.cc
                                   ${CMAKE_CURRENT_LIST_DIR}/miopen_test.cc
                                   ${CMAKE_CURRENT_LIST_DIR}/plan_cache_test.cc
                                   ${CMAKE_CURRENT_LIST_DIR}/rocblas_test.cc
                                   ${CMAKE_CURRENT_LIST_DIR}/rocm_library_test.cc
                                   ${CMAKE_CURRENT_LIST_DIR}/vendor_library_test.cc)
target_include_directories(vendor_library_test PRIVATE ${PROJECT_SOURCE_DIR}/kernels)

add_executable(launch_test ${CMAKE_CURRENT_LIST_DIR}/attention_launch_test.cc ${CMAKE_CURRENT_LIST_DIR}/launch_test.cc)
target_include_directories(launch_test PRIVATE ${PROJECT_SOURCE_DIR}/kernels)

# Launches on devices that do not have to be present.
add_executable(plan_test)
foreach(family IN ITEMS attention index map product recurrence reduce row scan sort)
  target_sources(plan_test PRIVATE ${CMAKE_CURRENT_LIST_DIR}/plan_${family}_test.cc)
endforeach()
target_include_directories(plan_test PRIVATE ${PROJECT_SOURCE_DIR}/kernels)
target_link_libraries(plan_test PRIVATE kernelgen_test_support)
gtest_discover_tests(plan_test PROPERTIES LABELS unit)

add_executable(graph_test ${CMAKE_CURRENT_LIST_DIR}/gpu_fault_test.cc ${CMAKE_CURRENT_LIST_DIR}/graph_errors_test.cc ${CMAKE_CURRENT_LIST_DIR}/graph_test.cc
                          ${CMAKE_CURRENT_LIST_DIR}/memory_test.cc)
target_include_directories(graph_test PRIVATE ${PROJECT_SOURCE_DIR}/kernels)

add_executable(launch_observer_test ${CMAKE_CURRENT_LIST_DIR}/launch_observer_test.cc)
target_compile_definitions(
  launch_observer_test
  PRIVATE KERNELGEN_STUB_NVTX="$<TARGET_FILE:nvtx-stub>" KERNELGEN_STUB_ROCTX="$<TARGET_FILE:roctx-stub>"
          KERNELGEN_STUB_NEITHER="$<TARGET_FILE:neither-stub>")
add_dependencies(launch_observer_test nvtx-stub roctx-stub neither-stub)

add_executable(streams_test ${CMAKE_CURRENT_LIST_DIR}/stream_kinds_test.cc ${CMAKE_CURRENT_LIST_DIR}/streams_test.cc)

add_executable(collective_test ${CMAKE_CURRENT_LIST_DIR}/collective_test.cc)
target_compile_definitions(collective_test PRIVATE KERNELGEN_STUB_NCCL="$<TARGET_FILE:nccl-stub>")
target_link_libraries(collective_test PRIVATE kernelgen::kernels)
add_dependencies(collective_test nccl-stub)

add_executable(transfer_test ${CMAKE_CURRENT_LIST_DIR}/transfer_test.cc)

add_executable(rocm_install_test ${CMAKE_CURRENT_LIST_DIR}/rocm_install_test.cc)
target_include_directories(rocm_install_test PRIVATE ${PROJECT_SOURCE_DIR}/kernels)

add_executable(process_start_test ${CMAKE_CURRENT_LIST_DIR}/process_start_test.cc)
add_executable(threads_test ${CMAKE_CURRENT_LIST_DIR}/threads_test.cc)

foreach(test IN ITEMS runtime_test process_start_test gpu_driver_test gpu_driver_variants_test graph_test
                      collective_test launch_observer_test rocm_install_test streams_test threads_test transfer_test
                      vendor_library_test launch_test)
  target_compile_definitions(
    ${test}
    PRIVATE KERNELGEN_CPU_KERNELS="$<TARGET_FILE:kernelgen_test_cpu_kernels>"
            KERNELGEN_BARE_KERNELS="$<TARGET_FILE:kernelgen_test_bare_kernels>"
            KERNELGEN_LINKED_KERNELS="$<TARGET_FILE:kernelgen_test_linked_kernels>"
            KERNELGEN_STUB_HIP="$<TARGET_FILE:amdhip64-stub>"
            KERNELGEN_STUB_HIP6="$<TARGET_FILE:amdhip64-stub6>"
            KERNELGEN_STUB_CUDA="$<TARGET_FILE:cuda-stub>"
            KERNELGEN_STUB_CUBLASLT="$<TARGET_FILE:blas_lt-stub>"
            KERNELGEN_STUB_CUDNN="$<TARGET_FILE:cudnn-stub>"
            KERNELGEN_STUB_HIPBLASLT="$<TARGET_FILE:hipblaslt-stub>"
            KERNELGEN_STUB_MIOPEN="$<TARGET_FILE:miopen-stub>"
            KERNELGEN_STUB_ROCBLAS="$<TARGET_FILE:rocblas-stub>"
            KERNELGEN_STUB_ROCBLAS_OTHER="$<TARGET_FILE:rocblas-stub-other>")
  target_link_libraries(${test} PRIVATE kernelgen_test_support)
  add_dependencies(${test} kernelgen_test_cpu_kernels kernelgen_test_bare_kernels kernelgen_test_linked_kernels amdhip64-stub amdhip64-stub6 cuda-stub
                           blas_lt-stub cudnn-stub hipblaslt-stub miopen-stub rocblas-stub rocblas-stub-other)
  gtest_discover_tests(${test} PROPERTIES LABELS unit)
endforeach()
