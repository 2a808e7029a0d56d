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

/// Declares the existing memory a call reads and writes (Storage::use), before its work is enqueued. output()
/// and outputs() do so for their inputs and results.
void use_operands(const Stream& stream, Inputs read, Inputs written);

/// Throws Error if the stream belongs to another device.
void check_stream(const Device& device, const Stream& stream);
/// Throws Error, naming the operation, if inputs are empty handles or on different devices.
void check_tensors(std::string_view operation, Inputs inputs);
/// The same, and rejects quantized tensors.
void check_inputs(std::string_view operation, Inputs inputs);
/// Throws Error, naming the operation, if the devices differ.
void check_same_device(std::string_view operation, const Device& a, const Device& b);
/// Throws Error unless the dtype is a float; for operations that share another's kernels.
void check_float(std::string_view operation, const Tensor& x);
/// Throws Error, naming `what`, if the address range of `out` overlaps an input's, whether or not elements
/// coincide.
void check_apart(std::string_view operation, std::string_view what, const Tensor& out, Inputs inputs);
/// Throws Error unless `out` has this dtype and shape, is contiguous, and overlaps no input (the same view is
/// allowed with InPlace::allowed).
void check_out(std::string_view operation, const Tensor& out, const Shape& shape, DType dtype, Inputs inputs,
               InPlace in_place);
/// `options.out`, checked, or a new tensor. Throws Error if the stream belongs to another device.
Tensor output(std::string_view operation, const Device& device, const Shape& shape, DType dtype,
              const CallOptions& options, Inputs inputs, InPlace in_place = InPlace::refused);
/// The same for an operation with two results, which must not overlap.
Indexed outputs(std::string_view operation, const Tensor& x, const Shape& shape,
                const IndexedOptions& options);

}  // namespace kernelgen
