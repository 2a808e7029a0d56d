#pragma once
#include <span>
#include <string>
#include <string_view>

#include "kernelgen/call.hpp"

namespace kernelgen {

using Inputs = std::span<const Tensor* const>;

[[noreturn]] void invalid(const std::string& message);

/// Whether `options.out` may be one of the inputs.
enum class InPlace { refused, allowed };

/// Before a call's work is put into the stream: what it reads and what it writes of memory that was there before the call
/// (Storage::use). output() and outputs() do so for their inputs and results.
void use_operands(const Stream& stream, Inputs read, Inputs written);

/// Refuses a stream of another device.
void check_stream(const Device& device, const Stream& stream);
/// Refuses, naming the operation, inputs that are no tensors or lie on different devices.
void check_tensors(std::string_view operation, Inputs inputs);
/// The same, and quantized ones.
void check_inputs(std::string_view operation, Inputs inputs);
/// Refuses, naming the operation, tensors of two devices.
void check_same_device(std::string_view operation, const Device& a, const Device& b);
/// Refuses, for operations that share another's kernels, a dtype that is no float.
void check_float(std::string_view operation, const Tensor& x);
/// Refuses an `out`, naming it, that shares memory with an input; of their extents, whatever lies between elements.
void check_apart(std::string_view operation, std::string_view what, const Tensor& out, Inputs inputs);
/// Refuses an `out` that has not this dtype and shape, is not contiguous, or overlaps an input (but for the
/// same view of it where that is allowed).
void check_out(std::string_view operation, const Tensor& out, const Shape& shape, DType dtype, Inputs inputs,
               InPlace in_place);
/// `options.out`, checked, or a new tensor. Refuses a stream of another device.
Tensor output(std::string_view operation, const Device& device, const Shape& shape, DType dtype,
              const CallOptions& options, Inputs inputs, InPlace in_place = InPlace::refused);
/// The same of an operation with two results, each of which is memory of its own.
Indexed outputs(std::string_view operation, const Tensor& x, const Shape& shape,
                const IndexedOptions& options);

}  // namespace kernelgen
