# kernelgen_add_kernels(<target>
#                       [CORE] [MANIFESTS <folder>...] [HIP <file>...]
#                       [TARGETS <target or group>...]
#                       [KERNELS <folder>]
#                       [DIRECTORY <folder>])
#
# Compiles kernels with kernel-gen while the project is built and makes a static library <target> of them: the registry
# (`#include <kernelgen_registry.h>`) and the package. A program that links it has them embedded:
# kernelgen::Package::embedded() and kernelgen_package_embedded() find the package. A program embeds one package, so it
# links one such library, or kernelgen::kernels. libkernelgen.so contains the shipped operations' registry; a program
# that links such a library too names that first.
#
#   CORE       the shipped operations
#   MANIFESTS  folders of your own manifests, every *.json in them
#   HIP        files whose __global__ functions `kernel-gen import` reads. `#include <target.hpp>` declares the class
#              <target>::Kernels, which has a function for each (`kernel-gen emit --wrappers`). Manifests and HIP files make
#              one package.
#   TARGETS    what to compile for, as in `kernel-gen targets`; cpu by default
#   KERNELS    the folder that the manifests' headers are relative to; the shipped bodies by default
#   DIRECTORY  where the build writes, a folder of its own; <target>-package in the current binary folder by default
#
# The target's property KERNELGEN_PACKAGE holds the path of the package as a file.
# The project must have the languages C and ASM.
function(kernelgen_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "CORE" "KERNELS;DIRECTORY" "MANIFESTS;HIP;TARGETS")
  if(target MATCHES "^(NAME|CORE|MANIFESTS|HIP|TARGETS|KERNELS|DIRECTORY)$")
    message(FATAL_ERROR "kernelgen_add_kernels: the target's name is the first argument: "
                        "kernelgen_add_kernels(my_kernels ...)")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "kernelgen_add_kernels(${target}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_CORE AND NOT arg_MANIFESTS AND NOT arg_HIP)
    message(FATAL_ERROR "kernelgen_add_kernels(${target}): give CORE, MANIFESTS <folder>... or HIP <file>...")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  foreach(language C ASM)
    if(NOT language IN_LIST languages)
      message(FATAL_ERROR "kernelgen_add_kernels(${target}): the project lacks the language ${language}; "
                          "write project(... LANGUAGES C CXX ASM)")
    endif()
  endforeach()

  if(NOT arg_TARGETS)
    set(arg_TARGETS cpu)
  endif()
  list(JOIN arg_TARGETS "," targets)
  if(NOT arg_KERNELS)
    set(arg_KERNELS "${KERNELGEN_SHARE_DIR}/kernels")
  endif()
  if(NOT arg_DIRECTORY)
    set(arg_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/${target}-package")
  endif()
  set(folders ${arg_MANIFESTS})
  if(arg_CORE)
    list(PREPEND folders "${KERNELGEN_SHARE_DIR}/manifests/core")
  endif()

  set(inputs "${KERNELGEN_SHARE_DIR}/manifests/targets.json")
  set(manifest_options)
  if(arg_HIP)
    set(imported "${CMAKE_CURRENT_BINARY_DIR}/${target}-imported")
    set(manifests)
    foreach(file IN LISTS arg_HIP)
      kernelgen_import("${file}" "${imported}" manifest)
      list(APPEND manifests "${manifest}")
    endforeach()
    list(APPEND inputs ${manifests})
    file(GLOB stale "${imported}/manifests/*.json") # of files that are no longer listed
    list(REMOVE_ITEM stale ${manifests})
    if(stale)
      file(REMOVE ${stale})
    endif()
    list(APPEND manifest_options --manifests "${imported}/manifests")
  endif()
  foreach(folder IN LISTS folders)
    cmake_path(ABSOLUTE_PATH folder NORMALIZE)
    file(GLOB manifests CONFIGURE_DEPENDS "${folder}/*.json")
    list(APPEND inputs ${manifests})
    list(APPEND manifest_options --manifests "${folder}")
  endforeach()
  cmake_path(ABSOLUTE_PATH arg_KERNELS NORMALIZE)
  file(GLOB_RECURSE bodies CONFIGURE_DEPENDS "${arg_KERNELS}/*.hpp")
  list(APPEND inputs ${bodies})

  # A list that changes with the files there are: no date tells of one that is gone.
  set(input_list "${CMAKE_CURRENT_BINARY_DIR}/${target}-inputs.txt")
  list(JOIN inputs "\n" input_lines)
  file(GENERATE OUTPUT "${input_list}" CONTENT "${input_lines}\n")

  set(outputs)
  foreach(file kernelgen_registry.c kernelgen_registry.h kernelgen_package.S kernelgen.kgpkg registry.json)
    list(APPEND outputs "${arg_DIRECTORY}/${file}")
  endforeach()
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND ${KERNELGEN_TOOL} build ${manifest_options} --kernels "${arg_KERNELS}" --target "${targets}" --out "${arg_DIRECTORY}"
    DEPENDS ${KERNELGEN_TOOL} ${inputs} "${input_list}"
    COMMENT "Kernels of ${target} for ${targets}"
    USES_TERMINAL # shows the progress line
    VERBATIM)

  add_library(${target} STATIC "${arg_DIRECTORY}/kernelgen_registry.c" "${arg_DIRECTORY}/kernelgen_package.S")
  # The assembler's .incbin is no dependency that CMake could see.
  set_source_files_properties("${arg_DIRECTORY}/kernelgen_package.S" PROPERTIES
                              OBJECT_DEPENDS "${arg_DIRECTORY}/kernelgen.kgpkg")
  target_include_directories(${target} PRIVATE "${arg_DIRECTORY}")
  target_include_directories(${target} SYSTEM INTERFACE "$<BUILD_INTERFACE:${arg_DIRECTORY}>")
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${KERNELGEN_INCLUDE_DIR}>")
  # The runtime refers to the package weakly, and a weak reference takes nothing out of a static library.
  target_link_options(${target} INTERFACE "LINKER:-u,kernelgen_package_begin")
  set_target_properties(${target} PROPERTIES KERNELGEN_PACKAGE "${arg_DIRECTORY}/kernelgen.kgpkg")

  if(arg_HIP)
    set(wrappers "${CMAKE_CURRENT_BINARY_DIR}/${target}-wrappers")
    add_custom_command(
      OUTPUT "${wrappers}/${target}.hpp" "${wrappers}/${target}.rs"
      COMMAND ${KERNELGEN_TOOL} emit --wrappers "${arg_DIRECTORY}" --name ${target} --out "${wrappers}"
      DEPENDS ${KERNELGEN_TOOL} "${arg_DIRECTORY}/kernelgen.kgpkg"
      COMMENT "Wrappers of ${target}"
      VERBATIM)
    target_sources(${target} PRIVATE "${wrappers}/${target}.hpp")
    target_include_directories(${target} INTERFACE "$<BUILD_INTERFACE:${wrappers}>")
  endif()
endfunction()

# Writes the manifest of a HIP file and what it includes into <folder>; gives the manifest's path. The module is named
# after the file, with '_' for what no identifier has.
function(kernelgen_import file folder manifest)
  cmake_path(ABSOLUTE_PATH file NORMALIZE)
  cmake_path(GET file STEM LAST_ONLY module)
  string(MAKE_C_IDENTIFIER "${module}" module)
  cmake_path(GET file PARENT_PATH headers)
  file(GLOB headers CONFIGURE_DEPENDS "${headers}/*.h" "${headers}/*.hpp" "${headers}/*.hip" "${headers}/*.cuh")
  set(written "${folder}/manifests/${module}.json")
  add_custom_command(
    OUTPUT "${written}"
    COMMAND ${KERNELGEN_TOOL} import "${file}" --module ${module} --out "${folder}"
    DEPENDS ${KERNELGEN_TOOL} "${file}" ${headers}
    COMMENT "Importing ${file}"
    VERBATIM)
  set(${manifest} "${written}" PARENT_SCOPE)
endfunction()
