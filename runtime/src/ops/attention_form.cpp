#include "ops/attention_form.hpp"

#include <algorithm>
#include <limits>

#include "ops/grid.hpp"

namespace kernelgen {
namespace {

/// Rows that share their keys, from which on matrix instructions pay.
constexpr std::int64_t worth_a_tile = 16;
/// Blocks that keep a large GPU busy, and keys that are worth one of them.
constexpr std::int64_t busy_blocks = 528, gpu_split_keys = 256;
/// Keys that are worth a piece for another thread of a CPU, and multiplications that are worth waking it.
constexpr std::int64_t cpu_split_keys = 512;
constexpr double worth_a_thread = 256 * 1024;

/// Keys that a run of rows meets at most.
std::int64_t keys_of(const kg::AttentionShape& call, std::int64_t rows) {
  constexpr int all = std::numeric_limits<int>::max();
  if (call.before == all || call.after == all) return call.keys;
  const std::int64_t queries = std::min<std::int64_t>(rows / call.group + 1, call.queries);
  return std::min<std::int64_t>(call.keys, std::int64_t{call.before} + call.after + queries);
}

/// Parts for the keys of `blocks` blocks, so that there are `busy` of them in all.
std::uint32_t splits_for(std::int64_t blocks, std::int64_t busy, std::int64_t keys, std::int64_t worth) {
  const std::int64_t wanted = std::min((busy + blocks - 1) / blocks, keys / worth);
  return static_cast<std::uint32_t>(std::max<std::int64_t>(wanted, 1));
}

std::string_view tile_name(unsigned width) {
  return width <= 64 ? "tile_64" : width <= 128 ? "tile_128" : "tile_256";
}

AttentionForm on_cpu(const DeviceState& device, kg::AttentionShape call) {
  call.splits = 1;
  const int threads = device.threads();
  const auto pieces = static_cast<std::int64_t>(kg::attention_pieces(call, kg::attention_cpu_rows));
  const std::int64_t keys = keys_of(call, kg::attention_cpu_rows);
  const double work =
      static_cast<double>(call.batch) * call.heads * call.queries * static_cast<double>(keys) * call.width;
  AttentionForm form{"rows", {}, 1};
  if (threads == 1 || work < worth_a_thread) return form;
  form.splits = splits_for(pieces, threads, keys, cpu_split_keys);
  form.shape.grid[0] = static_cast<std::uint32_t>(std::min<std::int64_t>(pieces * form.splits, threads * 64));
  return form;
}

}  // namespace

AttentionForm AttentionForm::of(const DeviceState& device, const kg::AttentionShape& call, DType type) {
  if (device.threads() > 0) return on_cpu(device, call);
  const bool on_cuda = device.kind() == DeviceKind::cuda;
  const bool by_tiles =
      (type == DType::f16 || type == DType::bf16) && std::int64_t{call.queries} * call.group >= worth_a_tile;
  const unsigned rows = by_tiles ? kg::attention_tile_rows : kg::attention_rows_each;
  kg::AttentionShape whole = call;
  whole.splits = 1;
  const auto pieces = static_cast<std::int64_t>(kg::attention_pieces(whole, rows));
  AttentionForm form{by_tiles ? tile_name(call.width) : "rows", {}, 1};
  form.splits = splits_for(pieces, busy_blocks, keys_of(call, rows), gpu_split_keys);
  form.shape = block_grid(pieces * form.splits);
  if (by_tiles) {
    const unsigned width = call.width <= 64 ? 64 : call.width <= 128 ? 128 : 256;
    form.shape.block[0] = kg::attention_tile_threads(width, on_cuda);
    if (on_cuda)
      form.shape.shared_bytes = kg::attention_shared_bytes(width, static_cast<unsigned>(size_of(type)));
  }
  return form;
}

}  // namespace kernelgen
