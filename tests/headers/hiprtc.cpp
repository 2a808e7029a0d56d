#define __HIP_PLATFORM_AMD__
#include <hip/hiprtc.h>

#include "compile/rtc_compiler.hpp"
#include "same_call.hpp"

#define EXPECT_RTC(member, nvrtc_name, hiprtc_name, arguments) EXPECT_CALL(int, hiprtc_name, arguments);
KERNELGEN_RTC_CALLS(EXPECT_RTC)
EXPECT_CALL(const char*, hiprtcGetErrorString, (int));

EXPECT_NUMBER(0, HIPRTC_SUCCESS);
EXPECT_NUMBER(kernelgen::rtc_invalid_option, HIPRTC_ERROR_INVALID_OPTION);
EXPECT_NUMBER(kernelgen::rtc_compilation, HIPRTC_ERROR_COMPILATION);
