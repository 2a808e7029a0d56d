#include "hyperparameters.hpp"

#include "kernelgen/error.hpp"

using kernelgen::Code;
using kernelgen::Error;
using kernelgen::GgufFile;

namespace {

class Reader {
 public:
  Reader(const GgufFile& file, std::string architecture)
      : file_(file), prefix_(std::move(architecture) + ".") {}

  [[noreturn]] void fail(Code code, const std::string& what) const {
    throw Error(code, file_.name() + ": " + what);
  }

  std::int64_t count(const std::string& key, std::optional<std::int64_t> absent = std::nullopt) const {
    const std::int64_t value = file_.integer(prefix_ + key, absent);
    constexpr std::int64_t most = 1 << 24;
    if (value < 1 || value > most)
      fail(Code::bad_package, "metadata '" + prefix_ + key + "' is " + std::to_string(value) +
                                  ", wanted 1 to " + std::to_string(most));
    return value;
  }
  double real(const std::string& key, std::optional<double> absent = std::nullopt) const {
    const double value = file_.real(prefix_ + key, absent);
    if (!(value > 0 && value < 1e12))
      fail(Code::bad_package,
           "metadata '" + prefix_ + key + "' is " + std::to_string(value) + ", wanted a number above 0");
    return value;
  }
  std::string text(const std::string& key, std::string_view absent) const {
    return std::string(file_.text(prefix_ + key, absent));
  }

 private:
  const GgufFile& file_;
  std::string prefix_;
};

RopeScaling read_scaling(const Reader& reader, std::int64_t context) {
  RopeScaling scaling;
  const std::string kind = reader.text("rope.scaling.type", "none");
  if (kind == "none") return scaling;
  if (kind != "linear" && kind != "yarn")
    reader.fail(Code::unsupported, "rope.scaling.type '" + kind + "'; none, linear and yarn are known here");
  scaling.kind = kind == "linear" ? RopeScaling::Kind::linear : RopeScaling::Kind::yarn;
  scaling.factor = reader.real("rope.scaling.factor", 1);
  scaling.original_context =
      static_cast<double>(reader.count("rope.scaling.original_context_length", context));
  scaling.attention_factor = reader.real("rope.scaling.attn_factor", 1);
  return scaling;
}

}  // namespace

Hyperparameters read_hyperparameters(const GgufFile& file) {
  Hyperparameters h;
  h.architecture = file.text("general.architecture");
  const Reader reader(file, h.architecture);
  if (h.architecture != "llama" && h.architecture != "qwen2" && h.architecture != "qwen3")
    reader.fail(Code::unsupported,
                "architecture '" + h.architecture + "'; llama, qwen2 and qwen3 are known here");
  h.has_neighbour_pairs = h.architecture == "llama";
  h.layers = reader.count("block_count");
  h.width = reader.count("embedding_length");
  h.hidden = reader.count("feed_forward_length");
  h.context = reader.count("context_length");
  h.heads = reader.count("attention.head_count");
  h.kv_heads = reader.count("attention.head_count_kv", h.heads);
  h.head = reader.count("attention.key_length", h.width / h.heads);
  h.epsilon = reader.real("attention.layer_norm_rms_epsilon");
  h.rope_base = reader.real("rope.freq_base", 10000);
  h.scaling = read_scaling(reader, h.context);
  const kernelgen::Shape& table = file.tensor("token_embd.weight").shape;
  if (table.size() != 2 || table[1] != h.width)
    reader.fail(Code::bad_package, "tensor 'token_embd.weight' has shape " + table.to_string() +
                                       ", wanted rows of " + std::to_string(h.width));
  h.vocabulary = table[0];
  if (h.heads % h.kv_heads != 0)
    reader.fail(Code::bad_package, std::to_string(h.heads) + " heads are not a multiple of " +
                                       std::to_string(h.kv_heads) + " heads of keys");
  if (h.head % 2 != 0 || reader.count("attention.value_length", h.head) != h.head ||
      reader.count("rope.dimension_count", h.head) != h.head)
    reader.fail(Code::unsupported,
                "heads of " + std::to_string(h.head) +
                    ": only those that are rotated as a whole, with values as wide, are known here");
  return h;
}
