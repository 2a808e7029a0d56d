# The manual as a site, by Doxygen: `cmake --build --preset release --target manual` writes build/release/manual/html. Dressed
# in doxygen-awesome-css where that is installed.
find_program(KERNELGEN_DOXYGEN doxygen DOC "Doxygen, for the target manual")
find_program(KERNELGEN_PYTHON python3 HINTS /usr/bin DOC "Python that the tests of the bindings run in")
find_file(KERNELGEN_MANUAL_STYLE doxygen-awesome.css PATHS /usr/share PATH_SUFFIXES doxygen-awesome-css doxygen-awesome
          DOC "Style of the manual; its own without one")
if(NOT KERNELGEN_DOXYGEN OR NOT KERNELGEN_PYTHON)
  return()
endif()

set(KERNELGEN_MANUAL "${PROJECT_BINARY_DIR}/manual")
if(NOT KERNELGEN_MANUAL_STYLE)
  set(KERNELGEN_MANUAL_STYLE "")
endif()
configure_file(docs/manual/Doxyfile.in "${KERNELGEN_MANUAL}/Doxyfile" @ONLY)
add_custom_target(manual
                  COMMAND "${KERNELGEN_DOXYGEN}" "${KERNELGEN_MANUAL}/Doxyfile"
                  COMMENT "Writing ${KERNELGEN_MANUAL}/html/index.html"
                  VERBATIM)
