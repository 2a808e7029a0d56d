#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "angles.hpp"
#include "hyperparameters.hpp"
#include "kernelgen/gguf.hpp"
#include "kernelgen/graph.hpp"
#include "weights.hpp"

struct ModelOptions {
  /// Of activations and of cached keys and values: f32, f16, bf16.
  kernelgen::DType dtype = kernelgen::DType::f32;
  std::int64_t positions = 512;  ///< most tokens of a text, of the prompt and what follows together
  std::int64_t rows = 512;       ///< most tokens that are computed at once
  /// Steps of one token are captured once and launched as a graph, which takes a GPU's host one launch in place of hundreds.
  bool graph = false;
};

/// A Llama-family model on a device: weights, cached keys and values, and the memory that a step takes, all of it
/// allocated once. Each step is a row of the library's operations, none of which waits for the host.
class Model {
 public:
  /// Throws Error for a file that is no such model, and where memory is short.
  Model(const kernelgen::Device& device, const kernelgen::GgufFile& file, const ModelOptions& options);

  const Hyperparameters& hyperparameters() const { return h_; }
  const kernelgen::Device& device() const { return device_; }
  std::int64_t used() const { return used_; }

  /// Starts a new text.
  void clear() { used_ = 0; }
  /// Logits [1, vocabulary] of what follows these tokens, u32 [n], which stand after those of the calls before. They
  /// are overwritten by the next call. Throws Error(invalid_argument) for more tokens than there is room for.
  kernelgen::Tensor forward(const kernelgen::Tensor& tokens);

 private:
  /// Keys and values of a layer, [positions, heads of k, head] each.
  struct Cache {
    kernelgen::Tensor keys, values;
  };
  /// Where a step of one token stands, on the device, so that one graph serves every token.
  struct Place {
    kernelgen::Tensor token, position, length, one;  ///< u32 [1]; the length counts the token
    kernelgen::Tensor cos, sin;                      ///< of the position
    std::int64_t used = -1;                          ///< tokens before the position
  };
  /// What layers work in, each of `rows` rows.
  struct Workspace {
    kernelgen::Tensor x, normed, query_key, query, normed_query, normed_key, attended, projected, gate_up,
        hidden, logits;
  };

  Workspace make_workspace() const;
  kernelgen::Tensor embed(const kernelgen::Tensor& tokens);
  void attend(const LayerWeights& w, const Cache& cache, const kernelgen::Tensor& normed);
  kernelgen::Tensor step(const kernelgen::Tensor& tokens);
  kernelgen::Tensor launch_step(const kernelgen::Tensor& token);
  void capture_step();
  bool is_captured() const { return place_.token && !graph_; }
  kernelgen::Tensor new_rows(const kernelgen::Tensor& cache, std::int64_t rows) const;
  void put(const kernelgen::Tensor& cache, const kernelgen::Tensor& rows) const;

  kernelgen::Device device_;
  ModelOptions options_;
  Hyperparameters h_;
  Weights weights_;
  Angles angles_;
  std::vector<Cache> caches_;
  Workspace space_;
  std::int64_t used_ = 0;
  Place place_;
  kernelgen::Graph graph_;
};
