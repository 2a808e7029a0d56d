/* Written by bindings/generate.py from kernelgen/ops; do not edit. */
#ifndef KERNELGEN_C_FUNCTIONS_H
#define KERNELGEN_C_FUNCTIONS_H
/* The functions of all operations. Included by operations.h. */
#include "kernelgen/c/elementwise.h"
#include "kernelgen/c/elementwise_functions.h"
#include "kernelgen/c/image.h"
#include "kernelgen/c/index.h"
#include "kernelgen/c/loss.h"
#include "kernelgen/c/manipulation.h"
#include "kernelgen/c/matmul.h"
#include "kernelgen/c/normalization.h"
#include "kernelgen/c/quantized.h"
#include "kernelgen/c/random.h"
#include "kernelgen/c/recurrence.h"
#include "kernelgen/c/reduce.h"
#include "kernelgen/c/rope.h"
#include "kernelgen/c/scan.h"
#include "kernelgen/c/sequence.h"
#include "kernelgen/c/solve.h"
#include "kernelgen/c/sort.h"

#endif
