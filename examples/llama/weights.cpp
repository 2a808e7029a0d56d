#include "weights.hpp"

#include <algorithm>
#include <span>

#include "kernelgen/error.hpp"
#include "kernelgen/ops.hpp"

using namespace kernelgen;

namespace {

class Loader {
 public:
  Loader(const Device& device, const GgufFile& file, const Hyperparameters& h, DType dtype)
      : device_(device), file_(file), h_(h), dtype_(dtype) {}

  Weights load() const {
    Weights weights;
    weights.table = matrix("token_embd.weight", h_.vocabulary, h_.width);
    for (std::int64_t i = 0; i < h_.layers; ++i)
      weights.layers.push_back(layer("blk." + std::to_string(i) + "."));
    weights.norm = vector("output_norm.weight", h_.width);
    const bool is_tied = file_.find("output.weight") == nullptr;
    weights.output = is_tied ? weights.table : matrix("output.weight", h_.vocabulary, h_.width);
    return weights;
  }

 private:
  struct Part {
    std::string name;  ///< without ".weight" or ".bias"
    std::int64_t rows;
    bool is_rotated = false;
  };

  LayerWeights layer(const std::string& prefix) const {
    const bool has_neighbours = h_.has_neighbour_pairs;
    LayerWeights w;
    w.attention_norm = vector(prefix + "attn_norm.weight", h_.width);
    w.query_key = matrices({{prefix + "attn_q", h_.q_rows(), has_neighbours},
                            {prefix + "attn_k", h_.kv_rows(), has_neighbours}});
    w.value = matrix(prefix + "attn_v.weight", h_.kv_rows(), h_.width);
    w.value_bias = optional_vector({prefix + "attn_v.bias", h_.kv_rows()});
    w.query_norm = optional_vector({prefix + "attn_q_norm.weight", h_.head, has_neighbours});
    w.key_norm = optional_vector({prefix + "attn_k_norm.weight", h_.head, has_neighbours});
    w.attention_out = matrix(prefix + "attn_output.weight", h_.width, h_.q_rows());
    w.mlp_norm = vector(prefix + "ffn_norm.weight", h_.width);
    w.gate_up = matrices({{prefix + "ffn_gate", h_.hidden}, {prefix + "ffn_up", h_.hidden}});
    w.down = matrix(prefix + "ffn_down.weight", h_.width, h_.hidden);
    return w;
  }

  const GgufTensor& checked(const std::string& name, const Shape& shape) const {
    const GgufTensor& tensor = file_.tensor(name);
    if (tensor.shape != shape)
      throw Error(Code::bad_package, file_.name() + ": tensor '" + name + "' has shape " +
                                         tensor.shape.to_string() + ", wanted " + shape.to_string());
    return tensor;
  }

  Tensor converted(const Tensor& tensor) const {
    return is_quantized(tensor.dtype()) || tensor.dtype() == dtype_ ? tensor : to_dtype(tensor, dtype_);
  }

  Tensor matrix(const std::string& name, std::int64_t rows, std::int64_t columns) const {
    checked(name, {rows, columns});
    return converted(file_.load(device_, name));
  }

  Tensor vector(const std::string& name, std::int64_t length) const {
    checked(name, {length});
    return converted(file_.load(device_, name));
  }

  /// Rows, or elements, as [heads, outer, inner, …]: a head is head / 2 pairs of neighbours, or two halves.
  Tensor split(const Tensor& rows, std::int64_t outer, std::int64_t inner) const {
    Shape shape{rows.shape()[0] / h_.head, outer, inner};
    if (rows.shape().size() == 2) shape.push_back(rows.shape()[1]);
    return rows.reshape(shape);
  }

  /// Some parts' tensors, one after the other, of one format.
  Tensor upload(std::span<const GgufTensor* const> tensors, std::span<const Part> parts,
                const Shape& shape) const {
    if (parts.size() == 1 && !parts[0].is_rotated) return converted(file_.load(device_, tensors[0]->name));
    Tensor all;
    std::int64_t from = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Tensor part = file_.load(device_, tensors[i]->name);
      if (!all) all = Tensor::empty(device_, shape, part.dtype());
      const Tensor place = all.narrow(0, from, parts[i].rows);
      if (parts[i].is_rotated)
        copy_into(split(place, 2, h_.head / 2), split(part, h_.head / 2, 2).transpose(1, 2));
      else
        copy_into(place, part);
      from += parts[i].rows;
    }
    return converted(all);
  }

  Tensor optional_vector(const Part& part) const {
    if (file_.find(part.name) == nullptr) return {};
    const GgufTensor* const tensor = &checked(part.name, {part.rows});
    return upload({&tensor, 1}, {&part, 1}, {part.rows});
  }

  Matrices matrices(const std::vector<Part>& parts) const {
    Matrices result;
    std::vector<const GgufTensor*> weights, biases;
    for (const Part& part : parts) {
      weights.push_back(&checked(part.name + ".weight", {part.rows, h_.width}));
      if (file_.find(part.name + ".bias") != nullptr)
        biases.push_back(&checked(part.name + ".bias", {part.rows}));
      result.rows.push_back(part.rows);
    }
    if (!biases.empty() && biases.size() != parts.size())
      throw Error(Code::bad_package, file_.name() + ": '" + parts[0].name + "' and '" + parts[1].name +
                                         "' have a bias each or none");
    const auto is_one_format = [](const std::vector<const GgufTensor*>& tensors) {
      return std::all_of(tensors.begin(), tensors.end(),
                         [&](const GgufTensor* tensor) { return tensor->format == tensors[0]->format; });
    };
    const bool is_one = is_one_format(weights) && is_one_format(biases);
    const std::size_t at_once = is_one ? parts.size() : 1;
    for (std::size_t i = 0; i < parts.size(); i += at_once) {
      const std::span part(parts.data() + i, at_once);
      std::int64_t rows = 0;
      for (const Part& one : part) rows += one.rows;
      result.parts.push_back(upload(std::span(weights).subspan(i, at_once), part, {rows, h_.width}));
      if (!biases.empty())
        result.biases.push_back(upload(std::span(biases).subspan(i, at_once), part, {rows}));
    }
    return result;
  }

  const Device& device_;
  const GgufFile& file_;
  const Hyperparameters& h_;
  DType dtype_;
};

}  // namespace

Weights load_weights(const Device& device, const GgufFile& file, const Hyperparameters& h, DType dtype) {
  return Loader(device, file, h, dtype).load();
}
