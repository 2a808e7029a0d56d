# The install tree: headers, libraries, the tool, and what the tool needs to build kernels elsewhere.
include(CMakePackageConfigHelpers)

set(KERNELGEN_INSTALL_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/kernelgen")
set(KERNELGEN_INSTALL_SHARE_DIR "${CMAKE_INSTALL_DATADIR}/kernelgen")

set_target_properties(kernelgen_kernels PROPERTIES EXPORT_NAME kernels)
# Components are packages of debian.cmake: the tool, the shared library, and what compiles against the libraries.
install(TARGETS kernelgen_runtime kernelgen_kernels kernelgen_c kernel-gen
        EXPORT kernelgenTargets
        RUNTIME COMPONENT tool
        LIBRARY COMPONENT library NAMELINK_COMPONENT development
        ARCHIVE COMPONENT development
        INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS kernelgen_simulated_hip LIBRARY COMPONENT tool)
install(DIRECTORY runtime/include/kernelgen generated/include/kernelgen DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        COMPONENT development)
install(FILES "${PROJECT_BINARY_DIR}/kernels/kernelgen_registry.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        COMPONENT development)

install(DIRECTORY manifests kernels DESTINATION "${KERNELGEN_INSTALL_SHARE_DIR}" COMPONENT tool)
install(FILES bench/cases.json DESTINATION "${KERNELGEN_INSTALL_SHARE_DIR}/bench" COMPONENT tool)
install(FILES "${PROJECT_BINARY_DIR}/kernels/kernelgen.kgpkg" "${PROJECT_BINARY_DIR}/kernels/registry.json" LICENSE
        DESTINATION "${KERNELGEN_INSTALL_SHARE_DIR}" COMPONENT tool)

# Manual pages and shell completions, written by the tool itself.
set(command_line_dir "${PROJECT_BINARY_DIR}/command_line")
add_custom_command(
  OUTPUT "${command_line_dir}/done"
  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${command_line_dir}"
  COMMAND kernel-gen man --all --out "${command_line_dir}/man1"
  COMMAND kernel-gen completion bash > "${command_line_dir}/kernel-gen"
  COMMAND kernel-gen completion zsh > "${command_line_dir}/_kernel-gen"
  COMMAND kernel-gen completion fish > "${command_line_dir}/kernel-gen.fish"
  COMMAND "${CMAKE_COMMAND}" -E touch "${command_line_dir}/done"
  DEPENDS kernel-gen
  COMMENT "Writing manual pages and completions"
  VERBATIM)
add_custom_target(kernelgen_command_line ALL DEPENDS "${command_line_dir}/done")
install(DIRECTORY "${command_line_dir}/man1" DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT tool)
install(FILES "${command_line_dir}/kernel-gen" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
        COMPONENT tool)
install(FILES "${command_line_dir}/_kernel-gen" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" COMPONENT tool)
install(FILES "${command_line_dir}/kernel-gen.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d"
        COMPONENT tool)

install(EXPORT kernelgenTargets NAMESPACE kernelgen:: DESTINATION "${KERNELGEN_INSTALL_CMAKE_DIR}" COMPONENT development)
configure_package_config_file(cmake/kernelgenConfig.cmake.in "${PROJECT_BINARY_DIR}/kernelgenConfig.cmake"
                              INSTALL_DESTINATION "${KERNELGEN_INSTALL_CMAKE_DIR}"
                              PATH_VARS KERNELGEN_INSTALL_SHARE_DIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/kernelgenConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/kernelgenConfig.cmake" "${PROJECT_BINARY_DIR}/kernelgenConfigVersion.cmake"
              cmake/kernels.cmake
        DESTINATION "${KERNELGEN_INSTALL_CMAKE_DIR}" COMPONENT development)

# Relative, so that the tree may be moved, as the CMake package may.
file(RELATIVE_PATH KERNELGEN_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/.")
string(REGEX REPLACE "/$" "" KERNELGEN_PC_PREFIX "${KERNELGEN_PC_PREFIX}")
# kernelgen: the static libraries, C++ and C; kernelgen-c: libkernelgen.so.
foreach(module kernelgen kernelgen-c)
  configure_file(cmake/${module}.pc.in "${PROJECT_BINARY_DIR}/${module}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${module}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
endforeach()

if(PROJECT_IS_TOP_LEVEL)
  configure_file(cmake/uninstall.cmake.in "${PROJECT_BINARY_DIR}/uninstall.cmake" @ONLY)
  add_custom_target(uninstall COMMAND "${CMAKE_COMMAND}" -P "${PROJECT_BINARY_DIR}/uninstall.cmake" VERBATIM)
endif()
