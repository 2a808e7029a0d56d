#include "build/output_record.hpp"

#include <algorithm>

namespace kernelgen::tool {

namespace fs = std::filesystem;

FileHashes hash_files(const Disk& disk, const fs::path& folder, std::span<const std::string_view> names) {
  FileHashes hashes;
  for (const std::string_view name : names)
    hashes[std::string(name)] = hash128(disk.read(folder / name)).hex();
  return hashes;
}

OutputRecord::OutputRecord(Cache& cache, std::string_view tool, const PlannedJobs& planned,
                           std::span<const std::string> inputs)
    : cache_(cache) {
  Digest digest;
  digest.add("2").add(tool);
  for (const std::string& input : inputs) digest.add(input);
  digest.add(fingerprint(planned).hex());
  key_ = digest.finish();
}

std::optional<Json> OutputRecord::find(const Disk& disk, ReadFiles& files, const fs::path& folder) const {
  const auto kept = cache_.find(Cache::Kind::output, key_);
  if (!kept || !disk.is_directory(folder)) return std::nullopt;
  Json record = Json::parse(*kept);
  reads_.clear();
  for (const auto& [name, state] : record["reads"].items()) {
    if (files.state(name) != state.get<std::string>()) return std::nullopt;
    reads_.push_back(name);
  }
  try {
    if (disk.list(folder).size() != record["outputs"].size()) return std::nullopt;
    for (const auto& [name, hash] : record["outputs"].items())
      if (hash128(disk.read(folder / name)).hex() != hash.get<std::string>()) return std::nullopt;
  } catch (const DiskError&) {
    return std::nullopt;
  }
  return std::move(record["summary"]);
}

void OutputRecord::store(const BuiltObjects& built, const FileHashes& outputs, const Json& summary) {
  Json reads = Json::object();
  bool is_settled = true;
  std::map<std::string, std::string> states;
  for (const auto& set : built.reads) {
    // For sources that use line numbers, comparing files is not enough.
    is_settled =
        is_settled && set && std::ranges::none_of(*set, [](const auto& entry) { return entry.first == "="; });
    if (set) states.insert(set->begin(), set->end());
  }
  reads_.clear();
  for (const auto& [name, state] : states) {
    reads[name] = state;
    reads_.push_back(name);
  }
  if (!is_settled) return;
  cache_.store(Cache::Kind::output, key_,
               Json{{"reads", reads}, {"outputs", outputs}, {"summary", summary}}.dump());
}

}  // namespace kernelgen::tool
