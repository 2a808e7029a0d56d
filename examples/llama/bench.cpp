#include "bench.hpp"

#include <algorithm>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <vector>

#include "json.hpp"
#include "model.hpp"
#include "sampler.hpp"
#include "stopwatch.hpp"
#include "tokens.hpp"

using namespace kernelgen;

namespace {

constexpr int turns = 5;

struct Lengths {
  std::int64_t prompt, steps;
};

Lengths read_lengths(const std::string& text) {
  long prompt = 0, steps = 0;
  char behind = 0;
  if (std::sscanf(text.c_str(), "%ld,%ld%c", &prompt, &steps, &behind) != 2 || prompt < 1 || steps < 1 ||
      prompt > 1 << 20 || steps > 1 << 20)
    throw std::invalid_argument("--bench is '" + text + "', wanted two lengths as 512,128");
  return {prompt, steps};
}

/// Tokens a second of each turn but the first.
template <class Body>
std::vector<double> rates(Model& model, std::int64_t tokens, const Body& body) {
  std::vector<double> values;
  for (int turn = 0; turn <= turns; ++turn) {
    model.clear();
    model.device().synchronize();
    Stopwatch watch;
    body();
    model.device().synchronize();
    const double seconds = watch.lap();
    if (turn > 0) values.push_back(static_cast<double>(tokens) / seconds);
  }
  return values;
}

double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

void bench(const std::string& path, const BenchOptions& options) {
  const Lengths lengths = read_lengths(options.lengths);
  Stopwatch watch;
  const Device device = Device::open(options.device);
  const GgufFile file = GgufFile::open(path);
  Model model(device, file,
              {.dtype = options.dtype,
               .positions = std::max(lengths.prompt, lengths.steps),
               .graph = options.graph.value_or(device.kind() != DeviceKind::cpu)});
  std::mt19937 random(1);
  std::vector<Token> prompt;
  for (std::int64_t i = 0; i < lengths.prompt; ++i)
    prompt.push_back(
        static_cast<Token>(random() % static_cast<std::uint64_t>(model.hyperparameters().vocabulary)));
  const Tensor tokens = upload_tokens(device, prompt);
  Sampler sampler({});
  device.synchronize();
  const double load = watch.lap();
  read_token(sampler.pick(model.forward(tokens)));
  const double first = watch.lap();

  const std::vector<double> prefill = rates(model, lengths.prompt, [&] { model.forward(tokens); });
  const std::vector<double> decode = rates(model, lengths.steps, [&] {
    Tensor next = tokens.narrow(0, 0, 1);
    for (std::int64_t i = 0; i < lengths.steps; ++i) next = sampler.pick(model.forward(next));
    read_token(next);
  });
  if (options.json)
    std::printf(
        "{\"device\": %s, \"load_seconds\": %.3f, \"first_token_seconds\": %.3f, "
        "\"prefill_tokens_per_second\": %s, \"decode_tokens_per_second\": %s}\n",
        json_text(device.name()).c_str(), load, first, json_list(prefill).c_str(), json_list(decode).c_str());
  else
    std::printf(
        "%s: loaded in %.2f s, first token of %ld after %.2f s more\n"
        "prefill of %ld tokens: %.1f tokens/s (the middle of %d; %.1f at best)\n"
        "decode of %ld tokens: %.2f tokens/s (%.2f at best)\n",
        device.name().c_str(), load, static_cast<long>(lengths.prompt), first,
        static_cast<long>(lengths.prompt), middle(prefill), turns,
        *std::max_element(prefill.begin(), prefill.end()), static_cast<long>(lengths.steps), middle(decode),
        *std::max_element(decode.begin(), decode.end()));
}
