#pragma once

namespace kernelgen::tool {

inline constexpr char version[] = "0.1.0";

}  // namespace kernelgen::tool
