#pragma once
/// The backend's operations. Each takes every layout of its inputs and gives a new contiguous tensor, or
/// writes `options.out`. Work is put into the stream and not waited for. All throw Error(invalid_argument),
/// before anything is launched, for a dtype, shape or device the operation does not take; the message names
/// the operation, what was given and what it accepts. All are thread-safe.
#include "kernelgen/error.hpp"
#include "kernelgen/ops/attention.hpp"
#include "kernelgen/ops/elementwise.hpp"
#include "kernelgen/ops/expression.hpp"
#include "kernelgen/ops/image.hpp"
#include "kernelgen/ops/index.hpp"
#include "kernelgen/ops/loss.hpp"
#include "kernelgen/ops/matmul.hpp"
#include "kernelgen/ops/normalization.hpp"
#include "kernelgen/ops/quantized.hpp"
#include "kernelgen/ops/random.hpp"
#include "kernelgen/ops/reduce.hpp"
#include "kernelgen/ops/rope.hpp"
#include "kernelgen/ops/scan.hpp"
#include "kernelgen/ops/sort.hpp"
