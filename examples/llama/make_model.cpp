#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>

#include "../npy.hpp"
#include "command_line.hpp"
#include "gguf_writer.hpp"
#include "kernelgen/ops.hpp"
#include "vocabulary.hpp"

using namespace kernelgen;

namespace {

constexpr const char* help = R"(make_model [OPTIONS] OUT.gguf
Writes a Llama-family model as a GGUF file, with seeded random weights or with those that train.py wrote.

  --preset 1b            1.1 billion weights: 16 layers of 2048, 32 heads on 8, hidden 8192, vocabulary 32000
  --layers N --width N --heads N --kv-heads N --hidden N --context N --vocabulary N
                         the shape, each in place of the preset's
  --architecture NAME    llama (rotates neighbours), qwen2 (biases of q, k and v), qwen3 (norms of q and k): llama
  --type FORMAT          of the matrices: f32 f16 bf16 q4_0 q8_0 q4_K q6_K mxfp4 …: q8_0
  --output-type FORMAT   of the output matrix: q6_K beside q4_K as in files called Q4_K_M, else as --type
  --tied                 the table of embeddings is the output matrix too
  --seed N               of the weights: 1
  --weights FOLDER       what train.py wrote, in place of random weights; it brings its shape and vocabulary

  make_model --preset 1b --type q4_K model.gguf
  make_model --weights trained --type q8_0 tiny.gguf
)";

using Shapes = std::map<std::string, std::int64_t>;

/// Option, and key of the metadata after the architecture's name.
constexpr std::pair<const char*, const char*> shape_keys[] = {
    {"layers", "block_count"},         {"width", "embedding_length"},
    {"heads", "attention.head_count"}, {"kv-heads", "attention.head_count_kv"},
    {"hidden", "feed_forward_length"}, {"context", "context_length"},
    {"vocabulary", "vocab_size"},
};

Shapes preset(const std::string& name) {
  if (name == "1b")
    return {{"layers", 16},   {"width", 2048},   {"heads", 32},        {"kv-heads", 8},
            {"hidden", 8192}, {"context", 4096}, {"vocabulary", 32000}};
  if (name == "small")
    return {{"layers", 2},   {"width", 256},   {"heads", 4},       {"kv-heads", 2},
            {"hidden", 512}, {"context", 512}, {"vocabulary", 512}};
  throw std::invalid_argument("--preset is '" + name + "', wanted 1b or small");
}

Shapes read_shapes(const std::string& folder) {
  if (!std::filesystem::is_regular_file(folder + "/shape.txt"))
    throw std::runtime_error(folder + "/shape.txt is no regular file");
  std::ifstream file(folder + "/shape.txt");
  Shapes shapes;
  std::string name;
  for (std::int64_t value; file >> name >> value;) shapes[name] = value;
  for (const auto& [option, key] : shape_keys)
    if (!shapes.contains(option)) throw std::runtime_error(folder + "/shape.txt says no '" + option + "'");
  return shapes;
}

struct Job {
  std::string architecture, weights, out;
  Shapes shapes;
  DType type = DType::f32, output_type = DType::f32;
  bool is_tied = false;
  std::uint64_t seed = 1;
};

struct Planned {
  std::string name;
  Shape shape;
  DType dtype;
};

DType parse_format(const std::string& name, const std::string& option) {
  const auto dtype = parse_dtype(name);
  if (!dtype || !(is_quantized(*dtype) || is_float(*dtype)))
    throw std::invalid_argument(option + " is '" + name +
                                "', wanted f32, f16, bf16 or one of GGML's formats, as q4_K");
  return *dtype;
}

std::vector<Planned> plan(const Job& job) {
  const auto size = [&](const char* name) { return job.shapes.at(name); };
  const std::int64_t width = size("width"), head = width / size("heads"), kv = size("kv-heads") * head;
  std::vector<Planned> tensors{{"token_embd.weight", {size("vocabulary"), width}, job.type}};
  for (std::int64_t i = 0; i < size("layers"); ++i) {
    const std::string prefix = "blk." + std::to_string(i) + ".";
    const auto matrix = [&](const char* name, std::int64_t rows, std::int64_t columns) {
      tensors.push_back({prefix + name + ".weight", {rows, columns}, job.type});
    };
    const auto vector = [&](const std::string& name, std::int64_t length) {
      tensors.push_back({prefix + name, {length}, DType::f32});
    };
    vector("attn_norm.weight", width);
    matrix("attn_q", width, width);
    matrix("attn_k", kv, width);
    matrix("attn_v", kv, width);
    if (job.architecture == "qwen2") {
      vector("attn_q.bias", width);
      vector("attn_k.bias", kv);
      vector("attn_v.bias", kv);
    }
    if (job.architecture == "qwen3") {
      vector("attn_q_norm.weight", head);
      vector("attn_k_norm.weight", head);
    }
    matrix("attn_output", width, width);
    vector("ffn_norm.weight", width);
    matrix("ffn_gate", size("hidden"), width);
    matrix("ffn_up", size("hidden"), width);
    matrix("ffn_down", width, size("hidden"));
  }
  tensors.push_back({"output_norm.weight", {width}, DType::f32});
  if (!job.is_tied) tensors.push_back({"output.weight", {size("vocabulary"), width}, job.output_type});
  return tensors;
}

void add_metadata(GgufWriter& writer, const Job& job) {
  const std::string prefix = job.architecture + ".";
  const std::int64_t head = job.shapes.at("width") / job.shapes.at("heads");
  writer.add("general.architecture", std::string_view(job.architecture));
  writer.add("general.name", std::string_view(job.weights.empty() ? "made up" : "kernel-gen's manual"));
  writer.add("general.quantization_version", std::uint32_t{2});
  for (const auto& [option, key] : shape_keys)
    writer.add(prefix + key, static_cast<std::uint32_t>(job.shapes.at(option)));
  writer.add(prefix + "attention.layer_norm_rms_epsilon", 1e-5f);
  writer.add(prefix + "rope.dimension_count", static_cast<std::uint32_t>(head));
  writer.add(prefix + "rope.freq_base", 10000.0f);
  const Vocabulary vocabulary =
      job.weights.empty() ? make_vocabulary(job.shapes.at("vocabulary")) : read_vocabulary(job.weights);
  vocabulary.add_to(writer);
}

/// Norms are ones, biases are small, rows of matrices have products of about one.
Tensor random(const Device& cpu, const Planned& tensor) {
  if (tensor.name.ends_with("norm.weight")) return rand_uniform(cpu, tensor.shape, DType::f32, 0.9, 1.1);
  const double deviation =
      tensor.shape.size() == 1 ? 0.1 : 1 / std::sqrt(static_cast<double>(tensor.shape.back()));
  return rand_normal(cpu, tensor.shape, DType::f32, 0, deviation);
}

std::vector<std::byte> elements(const Device& cpu, const Job& job, const Planned& tensor) {
  const Tensor values =
      job.weights.empty() ? random(cpu, tensor)
                          : load_npy(cpu, job.weights + "/" + tensor.name + ".npy", DType::f32, tensor.shape);
  return (is_quantized(tensor.dtype) ? quantize(values, tensor.dtype) : to_dtype(values, tensor.dtype))
      .to_host();
}

std::uint64_t bytes_of(const Planned& tensor) {
  const auto elements = static_cast<std::uint64_t>(Layout::contiguous(tensor.shape).elements());
  return elements / static_cast<std::uint64_t>(block_elements(tensor.dtype)) * size_of(tensor.dtype);
}

/// A file that appears under its name once it is whole, and of which nothing is left before that.
class NewFile {
 public:
  explicit NewFile(const std::string& name)
      : name_(name), unfinished_(name + ".unfinished"), stream_(unfinished_, std::ios::binary) {
    if (!stream_) throw std::runtime_error("cannot write " + unfinished_ + ": " + std::strerror(errno));
  }
  ~NewFile() {
    std::error_code ignored;
    if (!is_finished_ && stream_.is_open()) std::filesystem::remove(unfinished_, ignored);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  std::ostream& stream() { return stream_; }
  void finish() {
    if (!stream_.flush())
      throw std::runtime_error("cannot write " + unfinished_ + ": " + std::strerror(errno));
    std::filesystem::rename(unfinished_, name_);
    is_finished_ = true;
  }

 private:
  std::string name_, unfinished_;
  std::ofstream stream_;
  bool is_finished_ = false;
};

void write(const Job& job) {
  const std::vector<Planned> tensors = plan(job);
  for (const Planned& tensor : tensors)
    if (tensor.shape.back() % block_elements(tensor.dtype) != 0)
      throw std::invalid_argument(tensor.name + " has rows of " + std::to_string(tensor.shape.back()) +
                                  ", which " + std::string(name_of(tensor.dtype)) + "'s blocks of " +
                                  std::to_string(block_elements(tensor.dtype)) + " do not fill");
  GgufWriter writer;
  add_metadata(writer, job);
  for (const Planned& tensor : tensors)
    writer.add_tensor(tensor.name, tensor.shape, gguf_format(tensor.dtype), bytes_of(tensor));
  const Device cpu = Device::open("cpu");
  cpu.set_seed(job.seed);
  NewFile made(job.out);
  std::ostream& file = made.stream();
  file << writer.head();
  for (const Planned& tensor : tensors) {
    const std::vector<std::byte> bytes = elements(cpu, job, tensor);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    file << writer.padding(bytes.size());
  }
  made.finish();
  std::printf("%s: %zu tensors, %ju bytes\n", job.out.c_str(), tensors.size(),
              static_cast<std::uintmax_t>(std::filesystem::file_size(job.out)));
}

Job read_job(CommandLine& line) {
  constexpr std::int64_t most = 1 << 20;
  Job job;
  job.weights = line.text("--weights", "");
  job.shapes = job.weights.empty() ? preset(line.text("--preset", "small")) : read_shapes(job.weights);
  for (auto& [name, value] : job.shapes) value = line.integer("--" + name, value, 1, most);
  job.architecture = line.text("--architecture", "llama");
  if (job.architecture != "llama" && job.architecture != "qwen2" && job.architecture != "qwen3")
    throw std::invalid_argument("--architecture is '" + job.architecture + "', wanted llama, qwen2 or qwen3");
  const std::string type = line.text("--type", "q8_0");
  job.type = parse_format(type, "--type");
  job.output_type = parse_format(line.text("--output-type", type == "q4_K" ? "q6_K" : type), "--output-type");
  job.is_tied = line.flag("--tied") || !job.weights.empty();
  job.seed = static_cast<std::uint64_t>(line.integer("--seed", 1, 0, std::int64_t{1} << 53));
  const std::vector<std::string> words = line.words();
  if (words.size() != 1) throw std::invalid_argument("name one file to write; make_model --help tells more");
  job.out = words[0];
  line.finish();
  if (job.shapes["width"] % job.shapes["heads"] != 0 || job.shapes["heads"] % job.shapes["kv-heads"] != 0)
    throw std::invalid_argument("--width is a multiple of --heads, and that of --kv-heads");
  return job;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    CommandLine line(argc, argv, {"--help", "--tied"});
    if (line.flag("--help")) {
      std::fputs(help, stdout);
      return 0;
    }
    write(read_job(line));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_model: %s\n", error.what());
    return 1;
  }
}
