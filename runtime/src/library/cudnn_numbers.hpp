#pragma once

/// Numbers of cuDNN 9's cudnn_graph.h; tests/headers compares.
namespace kernelgen::cudnn {

namespace kind {  // cudnnBackendDescriptorType_t
constexpr int convolution = 1, engine = 2, engine_config = 3, engine_heuristic = 4, plan = 5, forward = 10,
              backward_data = 12, graph = 15, operands = 16, tensor = 17;
}
namespace attribute {  // cudnnBackendAttributeName_t
constexpr int convolution_compute_type = 100, convolution_mode = 101, convolution_dilations = 102,
              convolution_strides = 103, convolution_post_paddings = 104, convolution_pre_paddings = 105,
              convolution_dims = 106;
constexpr int heuristic_mode = 200, heuristic_graph = 201, heuristic_results = 202;
constexpr int config_engine = 300;
constexpr int plan_handle = 400, plan_config = 401, plan_workspace_bytes = 402;
/// Of the forward operation and of the one by data: alpha, beta, convolution and weights; then what the forward
/// operation reads and what it writes.
constexpr int forward_first = 700, backward_data_first = 706;
constexpr int alpha = 0, beta = 1, convolution = 2, weight = 3, forward_input = 4, forward_output = 5;
constexpr int graph_handle = 800, graph_operations = 801;
constexpr int tensor_alignment = 900, tensor_type = 901, tensor_shape = 902, tensor_strides = 903,
              tensor_id = 906;
constexpr int operand_ids = 1000, operand_addresses = 1001, operand_workspace = 1003;
constexpr int engine_index = 1301, engine_notes = 1303;
}  // namespace attribute

namespace type {  // cudnnDataType_t
constexpr int f32 = 0, f64 = 1, f16 = 2, bf16 = 9;
}

constexpr int mode_cross_correlation = 1;  // cudnnConvolutionMode_t
/// cudnnBackendHeurMode_t: by the library's model of the device, and what always works.
constexpr int mode_by_model = 3, mode_fallback = 2;
/// cudnnBackendNumericalNote_t.
constexpr int note_tensor_core = 0, note_strict_nan = 9;

}  // namespace kernelgen::cudnn
