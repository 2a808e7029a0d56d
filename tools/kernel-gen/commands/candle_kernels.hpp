#pragma once

namespace kernelgen::tool {

/// The sources of candle-kernels' launchers, from candle_kernels/.
extern const char* const candle_kernels_driver;
extern const char* const candle_kernels_ffi;
extern const char* const candle_kernels_experts;

}  // namespace kernelgen::tool
