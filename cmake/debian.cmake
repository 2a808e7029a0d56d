# Packages for Debian and Ubuntu: `cpack --config build/release/CPackConfig.cmake -B FOLDER` after a build writes kernel-gen,
# libkernelgen0, libkernelgen-dev and libggml0-backend-kernelgen, and kernelgen-kernels-TARGET for each entry of KERNELGEN_DEB_TARGETS.
set(KERNELGEN_DEB_TARGETS "${KERNELGEN_TARGETS}" CACHE STRING
    "Targets and groups that get a Debian package of kernels each")

function(kernelgen_deb component package)
  string(TOUPPER "${component}" name)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
  set("CPACK_DEBIAN_${name}_PACKAGE_NAME" "${package}" PARENT_SCOPE)
  set("CPACK_DEBIAN_${name}_DESCRIPTION" "${ARGN}" PARENT_SCOPE)
  install(FILES LICENSE DESTINATION "share/doc/${package}" RENAME copyright COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

set(library_package "libkernelgen${PROJECT_VERSION_MAJOR}")
kernelgen_deb(tool kernel-gen "The program kernel-gen, the shipped operations' manifests and bodies, and a package of them.")
kernelgen_deb(library ${library_package} "The shared library: the C interface with the shipped kernels.")
kernelgen_deb(development libkernelgen-dev "Headers and static libraries for C and C++, for CMake and pkg-config.")
kernelgen_deb(ggml libggml0-backend-kernelgen "A back end for llama.cpp and other programs on ggml, with the shipped kernels.")

# What else they need is found by dpkg-shlibdeps.
set(CPACK_DEBIAN_TOOL_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_GGML_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_GGML_PACKAGE_DEPENDS libggml0)
# To compile kernels, as tools/packages.sh has it; all else works without.
set(CPACK_DEBIAN_TOOL_PACKAGE_RECOMMENDS
    "clang-19 | clang-18 | clang-17, lld-19 | lld-18 | lld-17, rocm-device-libs | rocm-device-libs-17")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "${library_package} (= ${PROJECT_VERSION}), kernel-gen (= ${PROJECT_VERSION}), libzstd-dev")

set(packaged_kernels)
foreach(entry IN LISTS KERNELGEN_DEB_TARGETS)
  if(entry STREQUAL "${KERNELGEN_TARGETS}")
    set(file "${PROJECT_BINARY_DIR}/kernels/kernelgen.kgpkg")
  else()
    set(folder "${PROJECT_BINARY_DIR}/deb/${entry}")
    set(file "${folder}/kernelgen.kgpkg")
    add_custom_command(
      OUTPUT "${file}"
      COMMAND kernel-gen build --target "${entry}" --quiet --depfile "${folder}.d" --out "${folder}"
      DEPENDS kernel-gen
      DEPFILE "${folder}.d"
      COMMENT "Kernels for ${entry}"
      USES_TERMINAL
      VERBATIM)
    list(APPEND packaged_kernels "${file}")
  endif()
  string(REPLACE "_" "-" package "kernelgen-kernels-${entry}")
  kernelgen_deb(kernels-${entry} ${package}
                "The shipped kernels for ${entry}: KERNELGEN_PACKAGE=/usr/share/kernelgen/packages/${entry}.kgpkg")
  install(FILES "${file}" DESTINATION "${KERNELGEN_INSTALL_SHARE_DIR}/packages" RENAME "${entry}.kgpkg"
          COMPONENT kernels-${entry} EXCLUDE_FROM_ALL)
endforeach()
add_custom_target(kernelgen_packaged_kernels ALL DEPENDS ${packaged_kernels})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME kernelgen)
set(CPACK_PACKAGE_CONTACT "kernelgen <kernelgen@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
include(CPack)
