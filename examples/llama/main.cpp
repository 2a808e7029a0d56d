#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

#include "bench.hpp"
#include "command_line.hpp"
#include "json.hpp"
#include "model.hpp"
#include "sampler.hpp"
#include "stopwatch.hpp"
#include "tokenizer.hpp"
#include "tokens.hpp"

using namespace kernelgen;

namespace {

constexpr const char* help = R"(llama MODEL.gguf [OPTIONS]
Writes on from a prompt with a Llama-family model (llama, qwen2, qwen3) of a GGUF file, in any format that the runtime
has: everything between the tokens' numbers and the next one is done by operations of kernelgen/ops.hpp on the device.

  --prompt TEXT       what is written on from: "The"
  --tokens N          how many tokens are written at most: 64
  --temperature X     0: always the most likely token; 1: as likely as the model says; between: less often others: 0
  --top-k N           how many of the most likely tokens are picked from: 40
  --seed N            another text of the same likelihood: 1
  --device NAME       cpu, cpu:2 (two threads), cuda:0, hip:0, auto: cpu
  --dtype NAME        of activations and of cached keys and values: f32, f16, bf16: f32
  --graph yes|no      whether each token is one launch of a graph, in place of hundreds: yes on GPUs
  --json              the text, its tokens and the times as one line of JSON
  --bench P,N         no text: times a prompt of P tokens, and N tokens one by one, a few times each

  llama examples/llama/tiny.gguf --prompt 'The conformance walk runs on'
  make_model --preset 1b --type q4_K model.gguf && llama model.gguf --device cuda:0 --bench 512,128
)";

struct Request {
  std::string file, prompt, device, bench;
  DType dtype = DType::f32;
  std::int64_t tokens = 0;
  SamplerOptions sampling;
  std::optional<bool> graph;
  bool json = false;
};

std::optional<bool> read_yes_or_no(CommandLine& line, const std::string& name) {
  const std::string word = line.text(name, "");
  if (word.empty()) return std::nullopt;
  if (word != "yes" && word != "no")
    throw std::invalid_argument(name + " is '" + word + "', wanted yes or no");
  return word == "yes";
}

Request read_request(CommandLine& line) {
  Request r;
  r.prompt = line.text("--prompt", "The");
  r.tokens = line.integer("--tokens", 64, 1, 1 << 20);
  r.sampling.temperature = line.real("--temperature", 0, 0, 100);
  r.sampling.top_k = line.integer("--top-k", 40, 1, 1 << 20);
  r.sampling.seed = static_cast<std::uint64_t>(line.integer("--seed", 1, 0, std::int64_t{1} << 53));
  r.device = line.text("--device", "cpu");
  const std::string dtype = line.text("--dtype", "f32");
  if (dtype != "f32" && dtype != "f16" && dtype != "bf16")
    throw std::invalid_argument("--dtype is '" + dtype + "', wanted f32, f16 or bf16");
  r.dtype = parse_dtype(dtype).value();
  r.graph = read_yes_or_no(line, "--graph");
  r.json = line.flag("--json");
  r.bench = line.text("--bench", "");
  const std::vector<std::string> words = line.words();
  if (words.size() != 1) throw std::invalid_argument("name one model, a GGUF file; llama --help tells more");
  r.file = words[0];
  line.finish();
  return r;
}

void generate(const Request& request) {
  Stopwatch watch;
  const Device device = Device::open(request.device);
  const GgufFile file = GgufFile::open(request.file);
  const Tokenizer tokenizer(file);
  const std::vector<Token> prompt = tokenizer.encode(request.prompt);
  if (prompt.empty()) throw std::invalid_argument("--prompt is no token long");
  const auto length = static_cast<std::int64_t>(prompt.size());
  Model model(device, file,
              {.dtype = request.dtype,
               .positions = length + request.tokens,
               .graph = request.graph.value_or(device.kind() != DeviceKind::cpu)});
  Sampler sampler(request.sampling);
  device.synchronize();
  const double load = watch.lap();

  Tensor next = sampler.pick(model.forward(upload_tokens(device, prompt)));
  std::vector<Token> tokens{read_token(next)};
  const double first = watch.lap();
  std::string text = request.prompt;
  const auto write = [&](Token token) {
    const std::string bytes = tokenizer.decode(token);
    text += bytes;
    if (request.json) return;
    std::fwrite(bytes.data(), 1, bytes.size(), stdout);
    std::fflush(stdout);
  };
  if (!request.json) std::fputs(request.prompt.c_str(), stdout);
  while (!tokenizer.is_end(tokens.back())) {
    write(tokens.back());
    if (static_cast<std::int64_t>(tokens.size()) == request.tokens) break;
    next = sampler.pick(model.forward(next));
    tokens.push_back(read_token(next));
  }
  const double decode = watch.lap();
  const double steps = static_cast<double>(tokens.size() - 1);
  const double prefill_rate = static_cast<double>(length) / first,
               decode_rate = decode > 0 ? steps / decode : 0;
  if (request.json)
    std::printf(
        "{\"text\": %s, \"prompt_tokens\": %s, \"tokens\": %s, \"load_seconds\": %.4f, "
        "\"first_token_seconds\": %.4f, \"prefill_tokens_per_second\": %.1f, "
        "\"decode_tokens_per_second\": %.1f}\n",
        json_text(text).c_str(), json_list(prompt).c_str(), json_list(tokens).c_str(), load, first,
        prefill_rate, decode_rate);
  else
    std::printf(
        "\n\n%s: loaded in %.2f s; prompt of %zu tokens in %.3f s (%.0f tokens/s), %.0f more at %.1f "
        "tokens/s\n",
        device.name().c_str(), load, prompt.size(), first, prefill_rate, steps, decode_rate);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    CommandLine line(argc, argv, {"--help", "--json"});
    if (line.flag("--help")) {
      std::fputs(help, stdout);
      return 0;
    }
    const Request request = read_request(line);
    if (request.bench.empty())
      generate(request);
    else
      bench(request.file, {request.device, request.dtype, request.bench, request.graph, request.json});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "llama: %s\n", error.what());
    return 1;
  }
}
