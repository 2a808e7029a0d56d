#pragma once
/// Convolutions of images. conv_direct computes those with up to 2 output channels per group and, on GPUs, small ones;
/// conv_implicit_gemm_small those with up to 32 on GPUs; conv_implicit_gemm all others (runtime/src/plan/conv_plan.cpp);
/// conv_col2im ends those that a matrix product began. Narrow floats and f32 are accumulated in f32, f64 in f64.
#include "conv/fix_padding.hpp"

#if KG_GPU
#include "conv/col2im_gpu.hpp"
#include "conv/direct_gpu.hpp"
#include "conv/gathered_tile_gpu.hpp"
#include "conv/implicit_gemm_gpu.hpp"
#else
#include "conv/col2im_cpu.hpp"
#include "conv/direct_cpu.hpp"
#include "conv/implicit_gemm_cpu.hpp"
#endif
