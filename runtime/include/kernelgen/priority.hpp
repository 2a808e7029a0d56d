#pragma once

namespace kernelgen {

/// Priority of a stream: if there is room for only one, work of the stream with the higher priority starts
/// first. Running work is not interrupted.
enum class Priority { low, normal, high };

}  // namespace kernelgen
