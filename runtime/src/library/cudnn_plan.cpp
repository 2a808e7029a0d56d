#include "library/cudnn_plan.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>

#include "library/cudnn_numbers.hpp"

namespace kernelgen {
namespace {

namespace kind = cudnn::kind;
namespace attribute = cudnn::attribute;

constexpr int heuristic_modes[] = {cudnn::mode_by_model, cudnn::mode_fallback};
constexpr std::int64_t id_x = 1, id_weight = 2, id_y = 3;
constexpr int most_of_an_engine = 2;

struct Types {
  int data, compute;
};
std::optional<Types> types_of(DType dtype) {
  using namespace cudnn::type;
  switch (dtype) {
    case DType::f16:
      return Types{f16, f32};
    case DType::bf16:
      return Types{bf16, f32};
    case DType::f32:
      return Types{f32, f32};
    case DType::f64:
      return Types{f64, f64};
    default:
      return std::nullopt;
  }
}

/// The other notes indicate reduced-precision inputs or sums, nondeterministic order, or a transform, which
/// spreads an infinity to neighbours.
bool may_have(int note, DType dtype) {
  // Tensor cores take f32 as TF32.
  return note == cudnn::note_strict_nan || (note == cudnn::note_tensor_core && dtype != DType::f32);
}

CudnnDescriptor tensor(const CudnnLibrary& library, std::int64_t id, int type, std::int64_t alignment,
                       const std::array<std::int64_t, 4>& shape, const std::array<std::int64_t, 4>& strides) {
  CudnnDescriptor made(library, kind::tensor);
  made.set(attribute::tensor_type, CudnnType::data_type, type);
  made.set_all(attribute::tensor_shape, CudnnType::int64, shape);
  made.set_all(attribute::tensor_strides, CudnnType::int64, strides);
  made.set(attribute::tensor_id, CudnnType::int64, id);
  made.set(attribute::tensor_alignment, CudnnType::int64, alignment);
  made.finalize();
  return made;
}

std::array<std::int64_t, 4> contiguous_strides(const std::array<std::int64_t, 4>& shape) {
  return {shape[1] * shape[2] * shape[3], shape[2] * shape[3], shape[3], 1};
}

/// The problem as a cuDNN graph with one operation.
struct Graph {
  CudnnDescriptor x, weight, y, convolution, operation, graph;

  Graph(const CudnnLibrary& library, const Convolution& c, const Types& types,
        const ConvolutionOperands<std::int64_t>& alignment)
      : x(tensor(library, id_x, types.data, alignment.x, {c.batch, c.in_channels, c.rows.in, c.columns.in},
                 c.x_strides)),
        weight(of_contiguous(library, id_weight, types.data, alignment.weight, weight_shape(c))),
        y(of_contiguous(library, id_y, types.data, alignment.y,
                        {c.batch, c.out_channels, c.rows.out, c.columns.out})),
        convolution(library, kind::convolution),
        operation(library, c.transposed ? kind::backward_data : kind::forward),
        graph(library, kind::graph) {
    const auto pair = [&](int name, std::int64_t Convolution::Axis::* member) {
      const std::array<std::int64_t, 2> values{c.rows.*member, c.columns.*member};
      convolution.set_all(name, CudnnType::int64, values);
    };
    convolution.set(attribute::convolution_compute_type, CudnnType::data_type, types.compute);
    convolution.set(attribute::convolution_mode, CudnnType::convolution_mode, cudnn::mode_cross_correlation);
    convolution.set(attribute::convolution_dims, CudnnType::int64, std::int64_t{2});
    pair(attribute::convolution_pre_paddings, &Convolution::Axis::padding);
    pair(attribute::convolution_post_paddings, &Convolution::Axis::padding);
    pair(attribute::convolution_dilations, &Convolution::Axis::dilation);
    pair(attribute::convolution_strides, &Convolution::Axis::stride);
    convolution.finalize();

    // A transposed convolution is a plain convolution's derivative by its input: x is the derivative by the
    // output.
    const int first = c.transposed ? attribute::backward_data_first : attribute::forward_first;
    const auto factor = [&](int name, double value) {
      if (c.dtype == DType::f64)
        operation.set(first + name, CudnnType::float64, value);
      else
        operation.set(first + name, CudnnType::float32, static_cast<float>(value));
    };
    factor(attribute::alpha, 1);
    factor(attribute::beta, 0);
    operation.set(first + attribute::convolution, convolution);
    operation.set(first + attribute::weight, weight);
    operation.set(first + attribute::forward_input, c.transposed ? y : x);
    operation.set(first + attribute::forward_output, c.transposed ? x : y);
  }

  /// False if the library does not support the convolution.
  bool finalize(void* handle) {
    if (!operation.finalize_if_supported()) return false;
    graph.set(attribute::graph_handle, CudnnType::handle, handle);
    graph.set(attribute::graph_operations, operation);
    return graph.finalize_if_supported();
  }

 private:
  static std::array<std::int64_t, 4> weight_shape(const Convolution& c) {
    if (c.transposed) return {c.in_channels, c.out_channels / c.groups, c.rows.kernel, c.columns.kernel};
    return {c.out_channels, c.in_channels / c.groups, c.rows.kernel, c.columns.kernel};
  }
  static CudnnDescriptor of_contiguous(const CudnnLibrary& library, std::int64_t id, int type,
                                       std::int64_t alignment, const std::array<std::int64_t, 4>& shape) {
    return tensor(library, id, type, alignment, shape, contiguous_strides(shape));
  }
};

/// The library's candidate configurations, best first.
std::vector<CudnnDescriptor> configurations(const CudnnLibrary& library, const CudnnDescriptor& graph,
                                            int mode) {
  CudnnDescriptor heuristic(library, kind::engine_heuristic);
  heuristic.set(attribute::heuristic_graph, graph);
  heuristic.set(attribute::heuristic_mode, CudnnType::heuristic, mode);
  if (!heuristic.finalize_if_supported()) return {};
  std::vector<CudnnDescriptor> configurations;
  std::vector<void*> descriptors;
  const std::int64_t count =
      heuristic.read_all(attribute::heuristic_results, CudnnType::descriptor, descriptors);
  for (std::int64_t i = 0; i < count; ++i)
    descriptors.push_back(configurations.emplace_back(library, kind::engine_config).get());
  const std::int64_t given =
      heuristic.read_all(attribute::heuristic_results, CudnnType::descriptor, descriptors);
  configurations.erase(configurations.begin() + std::min(given, count), configurations.end());
  return configurations;
}

/// The engine of a configuration; nothing if its results would not meet the precision or determinism
/// requirements.
std::optional<std::int64_t> engine_of(const CudnnLibrary& library, const CudnnDescriptor& configuration,
                                      DType dtype) {
  const CudnnDescriptor engine(library, kind::engine);
  std::array<void*, 1> descriptors{engine.get()};
  configuration.read_all(attribute::config_engine, CudnnType::descriptor, descriptors);
  std::array<int, 16> notes{};
  const std::int64_t count = engine.read_all(attribute::engine_notes, CudnnType::numerical_note, notes);
  const auto given = std::span(notes).first(std::min(static_cast<std::size_t>(count), notes.size()));
  if (!std::ranges::all_of(given, [&](int note) { return may_have(note, dtype); })) return std::nullopt;
  return engine.read(attribute::engine_index);
}

struct CudnnPlan final : ConvolutionPlan {
  CudnnPlan(const CudnnLibrary& of, void* by, CudnnDescriptor with, CudnnDescriptor made, std::int64_t bytes)
      : library(of), handle(by), configuration(std::move(with)), plan(std::move(made)) {
    workspace_bytes = static_cast<std::size_t>(bytes);
  }

  bool run(const ConvolutionOperands<void*>& operands, void* workspace) const override {
    constexpr std::int64_t ids[] = {id_x, id_weight, id_y};
    void* const addresses[] = {operands.x, operands.weight, operands.y};
    CudnnDescriptor pack(library, kind::operands);
    pack.set_all(attribute::operand_ids, CudnnType::int64, ids);
    pack.set_all(attribute::operand_addresses, CudnnType::pointer, addresses);
    pack.set(attribute::operand_workspace, CudnnType::pointer, workspace);
    pack.finalize();
    return library.executes(handle, plan.get(), pack.get());
  }

  const CudnnLibrary& library;
  void* const handle;
  const CudnnDescriptor configuration, plan;
};

/// Null if the library does not support it within the workspace limit.
std::unique_ptr<CudnnPlan> plan_of(const CudnnLibrary& library, void* handle, CudnnDescriptor configuration) {
  CudnnDescriptor plan(library, kind::plan);
  plan.set(attribute::plan_handle, CudnnType::handle, handle);
  plan.set(attribute::plan_config, configuration);
  if (!plan.finalize_if_supported()) return nullptr;
  const std::int64_t bytes = plan.read(attribute::plan_workspace_bytes);
  if (bytes > convolution_workspace_limit) return nullptr;
  return std::make_unique<CudnnPlan>(library, handle, std::move(configuration), std::move(plan), bytes);
}

}  // namespace

bool cudnn_takes(DType dtype) { return types_of(dtype).has_value(); }

std::vector<std::unique_ptr<ConvolutionPlan>> cudnn_plans(const CudnnLibrary& library, void* handle,
                                                          const Convolution& problem,
                                                          const ConvolutionOperands<std::int64_t>& alignment,
                                                          std::size_t most) {
  std::vector<std::unique_ptr<ConvolutionPlan>> plans;
  Graph graph(library, problem, types_of(problem.dtype).value(), alignment);
  if (!graph.finalize(handle)) return plans;
  std::map<std::int64_t, int> of_engine;
  for (const int mode : heuristic_modes)
    for (CudnnDescriptor& configuration : configurations(library, graph.graph, mode)) {
      if (plans.size() == most) return plans;
      const std::optional<std::int64_t> engine = engine_of(library, configuration, problem.dtype);
      if (!engine || of_engine[*engine] == most_of_an_engine) continue;
      if (std::unique_ptr<CudnnPlan> plan = plan_of(library, handle, std::move(configuration))) {
        ++of_engine[*engine];
        plans.push_back(std::move(plan));
      }
    }
  return plans;
}

}  // namespace kernelgen
