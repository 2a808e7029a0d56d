// Sequences of calls of the C interface: each byte string is a program over a few handles on CPU devices, in which
// handles are released early, used again as outputs, of the wrong device, or NULL. Whatever is called: a status that the
// header names, outputs that are written on success only, a text where something is wrong; and nothing that a sanitizer finds.
#include <kernelgen/kernelgen.h>

#include <array>
#include <random>
#include <vector>

#include "call_program.hpp"
#include "seeds.hpp"

namespace {

using kernelgen::fuzz::checked;
using kernelgen::fuzz::Handles;
using kernelgen::fuzz::Program;
using kernelgen::fuzz::wrong;

constexpr std::size_t most_bytes = std::size_t{1} << 20;

kernelgen_device* device_of(const char* name) {
  kernelgen_device* device = nullptr;
  if (kernelgen_device_open(name, nullptr, &device) != KERNELGEN_OK) wrong("a CPU device does not open");
  kernelgen_device_set_memory_limit(device, most_bytes);
  return device;
}

class Machine {
 public:
  explicit Machine(Program& program) : program_(program) {}
  ~Machine() { kernelgen_graph_cancel(); }

  void step() {
    using Step = void (Machine::*)();
    static constexpr Step steps[] = {
        &Machine::make_tensor, &Machine::make_tensor, &Machine::read,  &Machine::view,   &Machine::view,
        &Machine::describe,    &Machine::call,        &Machine::call,  &Machine::call,   &Machine::reduce,
        &Machine::index,       &Machine::product,     &Machine::write, &Machine::rows,   &Machine::random,
        &Machine::stream,      &Machine::event,       &Machine::graph, &Machine::device, &Machine::release,
        &Machine::transfer,    &Machine::package};
    (this->*steps[program_.below(std::size(steps))])();
  }

 private:
  using Tensors = Handles<kernelgen_tensor, kernelgen_tensor_release, 8>;

  kernelgen_device* any_device() {
    static kernelgen_device* const devices[] = {device_of("cpu:1"), device_of("cpu:2")};
    const unsigned place = program_.below(16);
    return place < 13 ? devices[0] : place < 15 ? devices[1] : devices_.any(program_);
  }
  kernelgen_stream* any_stream() { return program_.below(4) == 0 ? streams_.any(program_) : nullptr; }
  kernelgen_tensor* any() { return tensors_.any(program_); }
  kernelgen_tensor* any_out() { return program_.below(4) == 0 ? any() : nullptr; }
  kernelgen_dtype any_dtype() {
    constexpr kernelgen_dtype usual[] = {KERNELGEN_F32,
                                         KERNELGEN_F32,
                                         KERNELGEN_F32,
                                         KERNELGEN_F16,
                                         KERNELGEN_U8,
                                         KERNELGEN_U32,
                                         KERNELGEN_I64,
                                         KERNELGEN_BF16,
                                         KERNELGEN_F64,
                                         KERNELGEN_I32,
                                         KERNELGEN_Q8_0,
                                         24,
                                         -1};
    return usual[program_.below(std::size(usual))];
  }
  std::vector<std::int64_t> any_dims() {
    std::vector<std::int64_t> dims(program_.below(5));
    for (std::int64_t& dim : dims) dim = program_.extent();
    return dims;
  }
  std::int64_t any_dim() { return static_cast<std::int64_t>(program_.below(6)) - 1; }

  /// A call whose last two parameters are the stream and the result.
  template <class... Given, class... Parameters>
  void run(kernelgen_status (*function)(Parameters...), Given... given) {
    kernelgen_tensor* const out = any_out();
    kernelgen_stream* const stream = any_stream();
    tensors_.make(program_,
                  [&](kernelgen_tensor** made) { return checked(function(given..., out, stream, made)); });
  }
  template <class... Given, class... Parameters>
  void run_view(kernelgen_status (*function)(Parameters...), Given... given) {
    tensors_.make(program_, [&](kernelgen_tensor** made) { return checked(function(given..., made)); });
  }

  void make_tensor() {
    const auto shape = any_dims();
    kernelgen_device* const device = any_device();
    kernelgen_stream* const stream = any_stream();
    const kernelgen_dtype dtype = any_dtype();
    static constexpr std::array<float, 4096> values{1, -2, 3, 0.5};
    tensors_.make(program_, [&](kernelgen_tensor** made) {
      switch (program_.below(3)) {
        case 0:
          return checked(kernelgen_tensor_empty(device, dtype, shape.size(), shape.data(), stream, made));
        case 1:
          return checked(kernelgen_tensor_zeros(device, dtype, shape.size(), shape.data(), stream, made));
        default: {
          std::size_t bytes = kernelgen_dtype_size(dtype);
          for (const std::int64_t extent : shape) bytes *= static_cast<std::size_t>(extent);
          if (bytes > sizeof values) bytes = program_.below(64);
          return checked(kernelgen_tensor_from_host(device, values.data(), bytes, dtype, shape.size(),
                                                    shape.data(), stream, made));
        }
      }
    });
  }

  void read() {
    kernelgen_tensor* const x = any();
    std::size_t bytes = 0;
    if (kernelgen_tensor_bytes(x, &bytes) != KERNELGEN_OK) bytes = 16;
    if (program_.below(8) == 0) bytes = program_.below(64);
    std::vector<std::uint8_t> host(bytes);
    checked(kernelgen_tensor_to_host(x, host.data(), bytes, any_stream()));
  }

  void view() {
    kernelgen_tensor* const x = any();
    const auto dims = any_dims();
    switch (program_.below(8)) {
      case 0:
        return run_view(kernelgen_tensor_transpose, x, any_dim(), any_dim());
      case 1: {
        std::vector<std::int64_t> order(program_.below(5));
        for (std::int64_t& dim : order) dim = any_dim();
        return run_view(kernelgen_tensor_permute, x, order.size(), order.data());
      }
      case 2:
        return run_view(kernelgen_tensor_narrow, x, any_dim(), program_.extent(), program_.extent());
      case 3:
        return run_view(kernelgen_tensor_broadcast_to, x, dims.size(), dims.data());
      case 4:
        return run_view(kernelgen_tensor_reshape, x, dims.size(), dims.data());
      case 5:
        return run_view(kernelgen_tensor_squeeze, x, any_dim());
      case 6:
        return run_view(kernelgen_tensor_unsqueeze, x, any_dim());
      default: {
        std::vector<std::int64_t> strides(dims.size());
        for (std::int64_t& stride : strides) stride = program_.extent();
        return run_view(kernelgen_tensor_as_strided, x, dims.size(), dims.data(), strides.data(),
                        program_.extent());
      }
    }
  }

  void describe() {
    kernelgen_tensor* const x = any();
    const std::int64_t* dims = nullptr;
    std::size_t rank = 0;
    void* data = nullptr;
    int contiguous = 0;
    if (checked(kernelgen_tensor_shape(x, &dims, &rank)) == KERNELGEN_OK && rank > 8) wrong("a rank above 8");
    checked(kernelgen_tensor_strides(x, &dims, &rank));
    checked(kernelgen_tensor_data(x, &data));
    checked(kernelgen_tensor_is_contiguous(x, &contiguous));
    run_view(kernelgen_tensor_retain, x);
  }

  void call() {
    static constexpr const char* names[] = {"add",  "mul", "silu", "exp", "neg",     "affine", "where",  "eq",
                                            "powf", "elu", "gelu", "div", "maximum", "cast",   "nothing"};
    const kernelgen_tensor* inputs[4] = {any(), any(), any(), any()};
    const kernelgen_scalar scalars[3] = {kernelgen_real(2), kernelgen_integer(program_.extent()),
                                         kernelgen_real(-0.5)};
    const char* const name = names[program_.below(std::size(names))];
    run(kernelgen_call, name, static_cast<const kernelgen_tensor* const*>(inputs),
        std::size_t{1} + program_.below(4), scalars, std::size_t{program_.below(3)});
    if (program_.below(2) == 0) run(kernelgen_to_dtype, any(), any_dtype());
    if (program_.below(4) == 0) run(kernelgen_where_cond, any(), any(), any());
  }

  void reduce() {
    std::vector<std::int64_t> dims(program_.below(3));
    for (std::int64_t& dim : dims) dim = any_dim();
    using Reduce = decltype(&kernelgen_sum);
    static constexpr Reduce functions[] = {kernelgen_sum, kernelgen_mean, kernelgen_prod, kernelgen_min,
                                           kernelgen_max, kernelgen_any,  kernelgen_all};
    run(functions[program_.below(std::size(functions))], any(), dims.size(), dims.data(),
        static_cast<int>(program_.below(2)));
    const std::int64_t dim = any_dim();
    run(kernelgen_argmax, any(), program_.below(2) == 0 ? nullptr : &dim,
        static_cast<int>(program_.below(2)));
    run(kernelgen_cumsum, any(), dim);
  }

  void index() {
    run(kernelgen_gather, any(), any_dim(), any());
    run(kernelgen_index_select, any(), any_dim(), any());
    run(kernelgen_index_add, any(), any_dim(), any(), any(), static_cast<int>(program_.below(2)));
    checked(kernelgen_scatter_set(any(), any_dim(), any(), any(), any_stream()));
    checked(kernelgen_scatter_add_set(any(), any_dim(), any(), any(), static_cast<int>(program_.below(2)),
                                      any_stream()));
  }

  void product() {
    run(kernelgen_matmul, any(), any());
    run(kernelgen_quantized_matmul, any(), any());
  }

  void write() {
    checked(kernelgen_copy_into(any(), any(), any_stream()));
    checked(kernelgen_const_set(any(), kernelgen_integer(program_.extent()), any_stream()));
    checked(kernelgen_copy2d(any(), any(), program_.extent(), program_.extent(), program_.extent(),
                             program_.extent(), program_.extent(), program_.extent(), any_stream()));
    run(kernelgen_copy, any());
  }

  void rows() {
    run(kernelgen_softmax, any());
    run(kernelgen_rms_norm, any(), any(), 1e-5);
    run(kernelgen_layer_norm, any(), any(), any(), 1e-5);
    run(kernelgen_arg_sort, any(), static_cast<int>(program_.below(2)));
  }

  void random() {
    const auto shape = any_dims();
    kernelgen_device* const device = any_device();
    run(kernelgen_rand_uniform, device, shape.size(), shape.data(), any_dtype(), kernelgen_real(0),
        kernelgen_real(1));
  }

  void stream() {
    kernelgen_device* const device = any_device();
    streams_.make(program_,
                  [&](kernelgen_stream** made) { return checked(kernelgen_stream_new(device, made)); });
    checked(kernelgen_stream_synchronize(streams_.any(program_)));
    checked(kernelgen_stream_wait(any_device(), any_stream(), events_.any(program_)));
  }

  void event() {
    events_.make(program_, [&](kernelgen_event** made) {
      return checked(kernelgen_event_record(any_device(), any_stream(), made));
    });
    double milliseconds = 0;
    checked(kernelgen_event_synchronize(events_.any(program_)));
    checked(kernelgen_event_elapsed(events_.any(program_), events_.any(program_), &milliseconds));
  }

  void graph() {
    kernelgen_graph* const used = graphs_.any(program_);
    switch (program_.below(6)) {
      case 0:
        checked(kernelgen_graph_begin(any_device(), any_stream()));
        return;
      case 1:
        checked(kernelgen_graph_begin_update(used));
        return;
      case 2:
        checked(kernelgen_graph_end_update(used, nullptr));
        return;
      case 3:
        kernelgen_graph_cancel();
        return;
      case 4:
        graphs_.make(program_, [&](kernelgen_graph** made) {
          const kernelgen_status status = checked(kernelgen_graph_end(any_device(), made));
          // What a graph reads has to stay as long as it is launched: it is the caller's to see to.
          if (status == KERNELGEN_OK) tensors_.keep();
          return status;
        });
        return;
      default:
        kernelgen_graph_info info;
        checked(kernelgen_graph_describe(used, &info));
        checked(kernelgen_graph_launch(used, any_stream()));
    }
  }

  void device() {
    kernelgen_device* const device = any_device();
    kernelgen_memory_use use;
    checked(kernelgen_device_memory_use(device, &use));
    switch (program_.below(6)) {
      case 0:
        checked(kernelgen_device_trim_memory(device));
        return;
      case 1:
        checked(kernelgen_device_synchronize(device));
        return;
      case 2:
        checked(kernelgen_device_reset_peak_memory(device));
        return;
      case 3:
        checked(kernelgen_device_set_seed(device, program_.below(256)));
        return;
      case 4:
        // One that goes while its tensors are there.
        devices_.put(program_, device_of("cpu:3"));
        return;
      default: {
        kernelgen_tensor* const x = any();
        devices_.make(program_,
                      [&](kernelgen_device** made) { return checked(kernelgen_tensor_device(x, made)); });
      }
    }
  }

  void transfer() {
    kernelgen_device* const device = any_device();
    pinned_.make(program_, [&](kernelgen_pinned** made) {
      return checked(kernelgen_pinned_new(device, program_.below(256), made));
    });
    checked(kernelgen_upload(any(), pinned_.any(program_), program_.below(64), any_stream()));
    checked(kernelgen_download(pinned_.any(program_), any(), program_.below(64), any_stream()));
    kernelgen_tensor* const x = any();
    kernelgen_device* const to = any_device();
    tensors_.make(program_, [&](kernelgen_tensor** made) {
      return checked(kernelgen_tensor_to_device(x, to, any_stream(), any_stream(), made));
    });
  }

  void package() {
    packages_.make(program_, [&](kernelgen_package** made) {
      return checked(program_.below(2) == 0 ? kernelgen_package_embedded(made)
                                            : kernelgen_device_package(any_device(), made));
    });
    const kernelgen_package* const package = packages_.any(program_);
    const auto number = static_cast<std::uint32_t>(program_.extent());
    const kernelgen_argument_record* arguments = nullptr;
    const kernelgen_operand_record* operands = nullptr;
    const kernelgen_resource_record* resources = nullptr;
    const char* text = nullptr;
    std::size_t count = 0;
    checked(kernelgen_package_arguments(package, number, &arguments, &count));
    checked(kernelgen_package_operands(package, number, &operands, &count));
    checked(kernelgen_package_resources(package, program_.below(4), number, &resources));
    checked(kernelgen_package_text(package, number, &text));
  }

  void release() {
    tensors_.drop(program_);
    streams_.drop(program_);
    events_.drop(program_);
    graphs_.drop(program_);
    devices_.drop(program_);
    pinned_.drop(program_);
    packages_.drop(program_);
  }

  Program& program_;
  Handles<kernelgen_package, kernelgen_package_release, 2> packages_;
  Handles<kernelgen_device, kernelgen_device_release, 2> devices_;
  Handles<kernelgen_pinned, kernelgen_pinned_release, 2> pinned_;
  Handles<kernelgen_stream, kernelgen_stream_release, 2> streams_;
  Handles<kernelgen_event, kernelgen_event_release, 2> events_;
  Handles<kernelgen_graph, kernelgen_graph_release, 2> graphs_;
  Tensors tensors_;
};

}  // namespace

std::vector<std::string> kernelgen::fuzz::seeds() {
  std::mt19937_64 random(1);
  std::vector<std::string> seeds(64, std::string(256, '\0'));
  for (std::string& seed : seeds)
    for (char& byte : seed) byte = static_cast<char>(random());
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Program program({data, size});
  Machine machine(program);
  while (!program.is_over()) machine.step();
  return 0;
}
