#pragma once
#include "hyperparameters.hpp"
#include "kernelgen/tensor.hpp"

/// cos and sin of the positions from 0 on, [positions, head / 2] each.
struct Angles {
  kernelgen::Tensor cos, sin;
};

/// Position p and pair i turn by p · base^(-2i / head) (Su et al., "RoFormer", 2021), less where the model's scaling or
/// its tensor "rope_freqs.weight", a divisor for each pair, says so. Scaling "yarn" keeps fast pairs, slows slow ones and
/// mixes between (Peng et al., "YaRN", 2023).
Angles make_angles(const kernelgen::Device& device, const kernelgen::GgufFile& file, const Hyperparameters& h,
                   std::int64_t positions, kernelgen::DType dtype);
