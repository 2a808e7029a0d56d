# kernel_headers.S: the bodies of kernels for what is compiled at run time, names and texts in turn, each with a zero
# after it. KERNELGEN_KERNEL_HEADERS_SOURCE is the file.
set(kernels "${PROJECT_SOURCE_DIR}/kernels")
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${kernels}" "${kernels}/*.hpp")
list(FILTER headers EXCLUDE REGEX "^candle/")
set(text "")
foreach(header IN LISTS headers)
  string(APPEND text "\t.asciz \"${header}\"\n\t.incbin \"${kernels}/${header}\"\n\t.byte 0\n")
endforeach()
set(KERNELGEN_KERNEL_HEADERS_SOURCE "${CMAKE_CURRENT_BINARY_DIR}/kernel_headers.S")
file(CONFIGURE OUTPUT "${KERNELGEN_KERNEL_HEADERS_SOURCE}" @ONLY CONTENT [[
	.section .rodata
	.globl kernelgen_kernel_headers_begin
	.hidden kernelgen_kernel_headers_begin
	.type kernelgen_kernel_headers_begin, %object
kernelgen_kernel_headers_begin:
@text@	.globl kernelgen_kernel_headers_end
	.hidden kernelgen_kernel_headers_end
	.type kernelgen_kernel_headers_end, %object
kernelgen_kernel_headers_end:
	.byte 0
	.section .note.GNU-stack, "", %progbits
]])
# The assembler's .incbin is no dependency that CMake could see.
list(TRANSFORM headers PREPEND "${kernels}/")
set_source_files_properties("${KERNELGEN_KERNEL_HEADERS_SOURCE}" PROPERTIES OBJECT_DEPENDS "${headers}")
