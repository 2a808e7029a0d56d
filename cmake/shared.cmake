# libkernelgen.so: the C interface, the shipped kernels and their registry, for languages that load libraries instead of
# linking them and for programs that link with -lkernelgen alone.
add_library(kernelgen_c SHARED cmake/exports.map)
add_library(kernelgen::c ALIAS kernelgen_c)
set_target_properties(kernelgen_c PROPERTIES
                      OUTPUT_NAME kernelgen
                      EXPORT_NAME c
                      LINKER_LANGUAGE CXX
                      LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/exports.map"
                      VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR})
target_include_directories(kernelgen_c INTERFACE "$<BUILD_INTERFACE:${KERNELGEN_INCLUDE_DIR}>"
                                                 $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/kernels>
                                                 $<INSTALL_INTERFACE:include>)
# Whole, as nothing in the library itself calls its functions or reads the registry's tables.
target_link_libraries(kernelgen_c PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,kernelgen_runtime,kernelgen_kernels>")
# zstd inside, where there is an archive of it: first on the line, so that the shared one of the runtime's is not needed.
if(KERNELGEN_ZSTD_ARCHIVE)
  target_link_libraries(kernelgen_c PRIVATE "${KERNELGEN_ZSTD_ARCHIVE}")
  target_link_options(kernelgen_c PRIVATE LINKER:--as-needed)
endif()
target_link_options(kernelgen_c PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map")
