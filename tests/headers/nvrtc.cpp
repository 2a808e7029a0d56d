#include <nvrtc.h>

#include "compile/rtc_compiler.hpp"
#include "same_call.hpp"

#define EXPECT_RTC(member, nvrtc_name, hiprtc_name, arguments) EXPECT_CALL(int, nvrtc_name, arguments);
KERNELGEN_RTC_CALLS(EXPECT_RTC)
EXPECT_CALL(const char*, nvrtcGetErrorString, (int));

EXPECT_NUMBER(0, NVRTC_SUCCESS);
EXPECT_NUMBER(kernelgen::rtc_invalid_option, NVRTC_ERROR_INVALID_OPTION);
EXPECT_NUMBER(kernelgen::rtc_compilation, NVRTC_ERROR_COMPILATION);
