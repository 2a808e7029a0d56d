#pragma once

namespace kernelgen {

/// Which of two streams' work a device begins first, where it has room for one of them. Work that runs is not interrupted.
enum class Priority { low, normal, high };

}  // namespace kernelgen
