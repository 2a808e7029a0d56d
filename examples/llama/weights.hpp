#pragma once
#include <vector>

#include "hyperparameters.hpp"
#include "kernelgen/tensor.hpp"

/// Matrices that take the same input: one, row on row, where their formats are the same, so that they are multiplied at
/// once.
struct Matrices {
  std::vector<kernelgen::Tensor> parts;   ///< [rows, n] each: all in one, or one each
  std::vector<kernelgen::Tensor> biases;  ///< [rows] of each part; none where the model has none
  std::vector<std::int64_t> rows;         ///< of each matrix
};

struct LayerWeights {
  kernelgen::Tensor attention_norm, mlp_norm;
  Matrices query_key;
  kernelgen::Tensor value, value_bias, attention_out;  ///< no bias where the model has none
  kernelgen::Tensor query_norm, key_norm;              ///< of heads; none where the model has none
  Matrices gate_up;
  kernelgen::Tensor down;
};

struct Weights {
  kernelgen::Tensor table;  ///< of embeddings, [vocabulary, width]
  std::vector<LayerWeights> layers;
  kernelgen::Tensor norm, output;  ///< the output matrix is the table itself where the file has none
};

/// Quantized matrices stay as they are, everything else is converted to `dtype`. Rows of q and k whose pairs are
/// neighbours are put in an order in which pairs are halves. Throws Error for a tensor that is absent or of another
/// shape.
Weights load_weights(const kernelgen::Device& device, const kernelgen::GgufFile& file,
                     const Hyperparameters& h, kernelgen::DType dtype);
