#pragma once
/// The operations. Each accepts inputs of any layout and returns a new contiguous tensor, or writes
/// `options.out`. Work is enqueued in the stream without waiting for it. All throw Error(invalid_argument),
/// before anything is launched, for a dtype, shape or device that the operation does not accept; the message
/// has the operation, what was given and what is accepted. All are thread-safe.
#include "kernelgen/error.hpp"
#include "kernelgen/ops/attention.hpp"
#include "kernelgen/ops/elementwise.hpp"
#include "kernelgen/ops/expression.hpp"
#include "kernelgen/ops/image.hpp"
#include "kernelgen/ops/index.hpp"
#include "kernelgen/ops/loss.hpp"
#include "kernelgen/ops/manipulation.hpp"
#include "kernelgen/ops/matmul.hpp"
#include "kernelgen/ops/normalization.hpp"
#include "kernelgen/ops/quantized.hpp"
#include "kernelgen/ops/random.hpp"
#include "kernelgen/ops/recurrence.hpp"
#include "kernelgen/ops/reduce.hpp"
#include "kernelgen/ops/rope.hpp"
#include "kernelgen/ops/scan.hpp"
#include "kernelgen/ops/sequence.hpp"
#include "kernelgen/ops/solve.hpp"
#include "kernelgen/ops/sort.hpp"
