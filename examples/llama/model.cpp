#include "model.hpp"

#include <algorithm>

#include "kernelgen/error.hpp"
#include "kernelgen/ops.hpp"

using namespace kernelgen;

namespace {

/// [rows, columns] at the front of a buffer, or `from` elements after it.
Tensor view(const Tensor& buffer, std::int64_t rows, std::int64_t columns, std::int64_t from = 0) {
  return buffer.narrow(0, from, rows * columns).reshape({rows, columns});
}

/// out = x · weightsᵀ.
void product(const Tensor& x, const Tensor& weights, const Tensor& out) {
  if (is_quantized(weights.dtype()))
    quantized_matmul(x, weights, {.out = &out});
  else
    matmul(x, weights.transpose(0, 1), {.out = &out});
}

/// The products of x with several matrices, [rows, …] each, in the buffer.
std::vector<Tensor> products(const Tensor& x, const Matrices& matrices, const Tensor& buffer) {
  const std::int64_t rows = x.shape()[0];
  std::vector<Tensor> results;
  std::int64_t from = 0;
  for (std::size_t i = 0; i < matrices.parts.size(); ++i) {
    const std::int64_t columns = matrices.parts[i].shape()[0];
    const Tensor out = view(buffer, rows, columns, from);
    product(x, matrices.parts[i], out);
    if (!matrices.biases.empty()) add(out, matrices.biases[i], {.out = &out});
    results.push_back(out);
    from += rows * columns;
  }
  if (results.size() == matrices.rows.size()) return results;
  const Tensor all = results[0];
  results.clear();
  from = 0;
  for (const std::int64_t columns : matrices.rows) {
    results.push_back(all.narrow(1, from, columns));
    from += columns;
  }
  return results;
}

/// [rows, heads · head] to [1, rows, heads, head]; elements of a head are neighbours.
Tensor split_heads(const Tensor& x, std::int64_t head) {
  Layout layout = x.layout();
  const std::int64_t row = layout.strides[0];
  layout.shape = {1, x.shape()[0], x.shape()[1] / head, head};
  layout.strides = {0, row, head, 1};
  return x.with_layout(layout);
}

}  // namespace

Model::Model(const Device& device, const GgufFile& file, const ModelOptions& options)
    : device_(device),
      options_(options),
      h_(read_hyperparameters(file)),
      weights_(load_weights(device, file, h_, options.dtype)),
      angles_(make_angles(device, file, h_, options.positions, options.dtype)) {
  options_.rows = std::min(options_.rows, options_.positions);
  const Shape shape{options_.positions, h_.kv_heads, h_.head};
  for (std::int64_t i = 0; i < h_.layers; ++i)
    caches_.push_back(
        {Tensor::empty(device, shape, options.dtype), Tensor::empty(device, shape, options.dtype)});
  space_ = make_workspace();
}

Model::Workspace Model::make_workspace() const {
  const auto rows_of = [&](std::int64_t columns) {
    return Tensor::empty(device_, {options_.rows * columns}, options_.dtype);
  };
  Workspace space{rows_of(h_.width),
                  rows_of(h_.width),
                  rows_of(h_.q_rows() + h_.kv_rows()),
                  rows_of(h_.q_rows()),
                  {},
                  {},
                  rows_of(h_.q_rows()),
                  rows_of(h_.width),
                  rows_of(2 * h_.hidden),
                  rows_of(h_.hidden),
                  Tensor::empty(device_, {1, h_.vocabulary}, options_.dtype)};
  if (weights_.layers[0].query_norm) space.normed_query = rows_of(h_.q_rows());
  if (weights_.layers[0].key_norm) space.normed_key = rows_of(h_.kv_rows());
  return space;
}

Tensor Model::embed(const Tensor& tokens) {
  const Tensor x = view(space_.x, tokens.shape()[0], h_.width);
  if (is_quantized(weights_.table.dtype()))
    get_rows(weights_.table, tokens, options_.dtype, {.out = &x});
  else
    index_select(weights_.table, 0, tokens, {.out = &x});
  return x;
}

/// Where keys or values of the rows are written: the cache itself, or memory that put() copies there.
Tensor Model::new_rows(const Tensor& cache, std::int64_t rows) const {
  if (!is_captured()) return cache.narrow(0, used_, rows);
  return Tensor::empty(device_, {rows, h_.kv_heads, h_.head}, cache.dtype());
}

void Model::put(const Tensor& cache, const Tensor& rows) const {
  if (!is_captured()) return;
  const Tensor ids = place_.position.reshape({1, 1, 1}).broadcast_to(rows.shape());
  scatter_set(cache, 0, ids, rows);
}

/// Puts what the rows attend to into the workspace, and their keys and values into the cache.
void Model::attend(const LayerWeights& w, const Cache& cache, const Tensor& normed) {
  const std::int64_t rows = normed.shape()[0];
  const Tensor new_values = new_rows(cache.values, rows), values = new_values.reshape({rows, h_.kv_rows()});
  product(normed, w.value, values);
  if (w.value_bias) add(values, w.value_bias, {.out = &values});
  put(cache.values, new_values);

  const std::vector<Tensor> both = products(normed, w.query_key, space_.query_key);
  Tensor q = split_heads(both[0], h_.head), k = split_heads(both[1], h_.head);
  if (w.query_norm) {
    const Tensor out = split_heads(view(space_.normed_query, rows, h_.q_rows()), h_.head);
    q = rms_norm(q, w.query_norm, h_.epsilon, {.out = &out});
  }
  if (w.key_norm) {
    const Tensor out = split_heads(view(space_.normed_key, rows, h_.kv_rows()), h_.head);
    k = rms_norm(k, w.key_norm, h_.epsilon, {.out = &out});
  }
  const Tensor rotated = split_heads(view(space_.query, rows, h_.q_rows()), h_.head);
  const Tensor new_keys = new_rows(cache.keys, rows), keys = new_keys.unsqueeze(0);
  const bool captured = is_captured();
  rope_thd_qk(q, k, captured ? place_.cos : angles_.cos.narrow(0, used_, rows),
              captured ? place_.sin : angles_.sin.narrow(0, used_, rows), {.q = &rotated, .k = &keys});
  put(cache.keys, new_keys);

  const auto seen = [&](const Tensor& all) {
    return (captured ? all : all.narrow(0, 0, used_ + rows)).unsqueeze(0).transpose(1, 2);
  };
  const Tensor out = split_heads(view(space_.attended, rows, h_.q_rows()), h_.head).transpose(1, 2);
  attention(rotated.transpose(1, 2), seen(cache.keys), seen(cache.values),
            {.out = &out, .causal = true, .key_lengths = captured ? &place_.length : nullptr});
}

Tensor Model::step(const Tensor& tokens) {
  std::int64_t rows = tokens.shape()[0];
  Tensor x = embed(tokens), normed = view(space_.normed, rows, h_.width);
  rms_norm(x, weights_.layers[0].attention_norm, h_.epsilon, {.out = &normed});
  for (std::size_t i = 0; i < weights_.layers.size(); ++i) {
    const LayerWeights& w = weights_.layers[i];
    attend(w, caches_[i], normed);
    Tensor attended = view(space_.attended, rows, h_.q_rows());
    const bool is_last = i + 1 == weights_.layers.size();
    if (is_last) {
      // Nobody asks what follows the tokens before.
      x = x.narrow(0, rows - 1, 1);
      attended = attended.narrow(0, rows - 1, 1);
      rows = 1;
    }
    const Tensor projected = view(space_.projected, rows, h_.width);
    normed = view(space_.normed, rows, h_.width);
    product(attended, w.attention_out, projected);
    add_rms_norm(x, projected, w.mlp_norm, h_.epsilon, {.sum = &x, .norm = &normed});

    const std::vector<Tensor> both = products(normed, w.gate_up, space_.gate_up);
    const Tensor hidden = view(space_.hidden, rows, h_.hidden);
    silu_mul(both[0], both[1], {.out = &hidden});
    product(hidden, w.down, projected);
    const Tensor& next = is_last ? weights_.norm : weights_.layers[i + 1].attention_norm;
    add_rms_norm(x, projected, next, h_.epsilon, {.sum = &x, .norm = &normed});
  }
  product(normed, weights_.output, space_.logits);
  return space_.logits;
}

/// A step whose token and place are read on the device, and which then moves the place on.
void Model::capture_step() {
  const auto number = [&] { return Tensor::zeros(device_, {1}, DType::u32); };
  place_ = {
      .token = number(), .position = number(), .length = number(), .one = number(), .cos = {}, .sin = {}};
  const_set(place_.one, 1);
  graph_ = device_.capture([&] {
    place_.cos = index_select(angles_.cos, 0, place_.position);
    place_.sin = index_select(angles_.sin, 0, place_.position);
    step(place_.token);
    add(place_.position, place_.one, {.out = &place_.position});
    add(place_.length, place_.one, {.out = &place_.length});
  });
}

Tensor Model::launch_step(const Tensor& token) {
  if (!graph_) capture_step();
  copy_into(place_.token, token);
  if (place_.used != used_) {
    const_set(place_.position, used_);
    const_set(place_.length, used_ + 1);
  }
  graph_.launch();
  place_.used = used_ + 1;
  return space_.logits;
}

Tensor Model::forward(const Tensor& tokens) {
  const std::int64_t count = tokens.shape()[0];
  if (count < 1 || count > options_.positions - used_)
    throw Error(Code::invalid_argument, std::to_string(count) + " tokens behind " + std::to_string(used_) +
                                            "; there is room for 1 to " +
                                            std::to_string(options_.positions - used_) + " more");
  Tensor logits;
  for (std::int64_t from = 0; from < count; from += options_.rows) {
    const std::int64_t rows = std::min(options_.rows, count - from);
    const Tensor part = tokens.narrow(0, from, rows);
    logits = rows == 1 && options_.graph ? launch_step(part) : step(part);
    used_ += rows;
  }
  return logits;
}
