#include "build/compile_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/digest.hpp"
#include "build/depfile.hpp"

namespace kernelgen::tool {

namespace {

/// Maximum sets of read files that are kept for a request: enough to switch back and forth between branches.
constexpr std::size_t most_alternatives = 8;

/// Incremented when the meaning of what is stored changes.
constexpr std::string_view scheme = "1";

Hash128 request_key(const CompileJob& job) {
  const CompileRequest& request = job.request;
  return Digest()
      .add(scheme)
      .add(request.compiler)
      .add(request.bitcode)
      .add(request.flags)
      .add(request.source)
      .finish();
}

Hash128 object_key(const Hash128& request, const ReadSet& reads) {
  Digest digest;
  digest.add(request.hex());
  for (const auto& [name, state] : reads) digest.add(name).add(state);
  return digest.finish();
}

Hash128 job_key(std::string_view target, std::string_view module, std::string_view manifest) {
  return Digest().add(scheme).add(target).add(module).add(manifest).finish();
}

Hash128 job_key(const CompileJob& job) { return job_key(job.target, job.module, job.source->manifest); }

/// A line for each file: its state, then its name, which may have blanks.
std::string spell(const ReadSet& reads) {
  std::string text;
  for (const auto& [name, state] : reads) text += fmt::format("{} {}\n", state, name);
  return text;
}

/// Reads such lines up to an empty one or the end.
ReadSet read_set(std::istream& lines) {
  ReadSet reads;
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    const std::size_t blank = line.find(' ');
    if (blank != std::string::npos) reads.emplace_back(line.substr(blank + 1), line.substr(0, blank));
  }
  return reads;
}

std::vector<ReadSet> read_alternatives(const std::string& text) {
  std::istringstream lines(text);
  std::vector<ReadSet> all;
  // The set of a compile that read only its source is empty.
  while (lines.peek() != std::istringstream::traits_type::eof()) all.push_back(read_set(lines));
  return all;
}

/// How a job was last compiled.
struct LastCompile {
  double seconds = 0;
  CompileRequest request;
  ReadSet reads;
};

std::string spell(const LastCompile& last) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", last.seconds, last.request.compiler, last.request.bitcode,
                     last.request.flags, last.request.source, spell(last.reads));
}

LastCompile read_last(const std::string& text) {
  std::istringstream lines(text);
  LastCompile last;
  std::string seconds;
  for (std::string* field :
       {&seconds, &last.request.compiler, &last.request.bitcode, &last.request.flags, &last.request.source})
    std::getline(lines, *field);
  last.seconds = std::strtod(seconds.c_str(), nullptr);
  last.reads = read_set(lines);
  return last;
}

}  // namespace

Remembered CompileCache::find(const CompileJob& job) {
  Remembered found;
  const Hash128 request = request_key(job);
  if (const auto alternatives = cache_.find(Cache::Kind::reads, request))
    for (ReadSet& reads : read_alternatives(*alternatives)) {
      if (files_.changed(reads, job.source->scanned)) continue;
      found.object = cache_.find(Cache::Kind::object, object_key(request, reads));
      if (!found.object) continue;
      found.reads = std::move(reads);
      return found;
    }
  const auto last = cache_.find(Cache::Kind::job, job_key(job));
  found.why = last ? why(job, *last) : "it was not compiled before";
  if (last) found.seconds = read_last(*last).seconds;
  return found;
}

std::string CompileCache::why(const CompileJob& job, const std::string& text) const {
  const LastCompile last = read_last(text);
  if (last.request.compiler != job.request.compiler)
    return fmt::format("the compiler changed: {}, before {}", job.request.compiler, last.request.compiler);
  if (last.request.bitcode != job.request.bitcode) return "the device bitcode changed";
  if (last.request.flags != job.request.flags) return "the flags changed";
  if (last.request.source != job.request.source) return fmt::format("{} changed", job.source->manifest_path);
  const auto changed = files_.changed(last.reads, job.source->scanned);
  return changed ? files_.spell_change(*changed) : "its object is no longer in the cache";
}

std::optional<ReadSet> CompileCache::reads_of(const CompileJob& job, std::string_view depfile,
                                              std::int64_t start) {
  std::vector<std::filesystem::path> files = read_depfile(depfile);
  if (files.empty()) return std::nullopt;
  files.erase(files.begin());  // the source itself comes first
  return files_.reads_of(job.source->scanned, files, start);
}

void CompileCache::store(const CompileJob& job, std::string_view object, const ReadSet& reads,
                         double seconds) {
  const Hash128 request = request_key(job);
  std::vector<ReadSet> alternatives;
  if (const auto known = cache_.find(Cache::Kind::reads, request)) alternatives = read_alternatives(*known);
  std::erase(alternatives, reads);
  alternatives.insert(alternatives.begin(), reads);
  if (alternatives.size() > most_alternatives) alternatives.resize(most_alternatives);
  std::string text;
  for (const ReadSet& set : alternatives) text += spell(set) + '\n';
  cache_.store(Cache::Kind::object, object_key(request, reads), object);
  cache_.store(Cache::Kind::reads, request, text);
  cache_.store(Cache::Kind::job, job_key(job), spell(LastCompile{seconds, job.request, reads}));
}

std::optional<double> last_seconds(const Cache& cache, std::string_view target, std::string_view module,
                                   std::string_view manifest) {
  const auto last = cache.find(Cache::Kind::job, job_key(target, module, manifest));
  if (!last) return std::nullopt;
  const double seconds = read_last(*last).seconds;
  return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

}  // namespace kernelgen::tool
