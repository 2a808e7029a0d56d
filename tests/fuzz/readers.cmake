# What the fuzz targets call, by itself: sanitizers make everything take several times as long to build.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(LLVM REQUIRED CONFIG HINTS "${LLVM_DIR}")

get_target_property(runtime_readers kernelgen_runtime SOURCES)
list(TRANSFORM runtime_readers PREPEND "${PROJECT_SOURCE_DIR}/runtime/" REGEX "^[^/]")
file(GLOB tool_readers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/kernel-gen/array/*.cpp"
                                         "${PROJECT_SOURCE_DIR}/tools/kernel-gen/base/*.cpp"
                                         "${PROJECT_SOURCE_DIR}/tools/kernel-gen/binary/*.cpp"
                                         "${PROJECT_SOURCE_DIR}/tools/kernel-gen/code_object/*.cpp"
                                         "${PROJECT_SOURCE_DIR}/tools/kernel-gen/emit/*.cpp"
                                         "${PROJECT_SOURCE_DIR}/tools/kernel-gen/manifest/*.cpp"
                                         "${PROJECT_SOURCE_DIR}/tools/offload/*.cpp")
list(FILTER tool_readers EXCLUDE REGEX "/fmt_code\\.cpp$")
add_library(kernelgen_readers STATIC ${runtime_readers} ${tool_readers}
                                     "${PROJECT_SOURCE_DIR}/tools/kernel-gen/run/npy.cpp")
foreach(library kernelgen_runtime kernelgen_tool)
  target_include_directories(kernelgen_readers PUBLIC $<TARGET_PROPERTY:${library},INCLUDE_DIRECTORIES>)
  target_compile_definitions(kernelgen_readers PRIVATE $<TARGET_PROPERTY:${library},COMPILE_DEFINITIONS>)
endforeach()
target_include_directories(kernelgen_readers PUBLIC "${PROJECT_SOURCE_DIR}/tools")
target_include_directories(kernelgen_readers SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS})
target_link_libraries(kernelgen_readers PUBLIC fmt::fmt nlohmann_json::nlohmann_json xxhash zstd LLVM pthread
                                               ${CMAKE_DL_LIBS})
kernelgen_precompile(kernelgen_readers <fmt/format.h> <nlohmann/json.hpp>)
target_compile_definitions(kernelgen_readers PRIVATE KERNELGEN_VERSION="${PROJECT_VERSION}")
