#include "build/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>

#include "base/printable.hpp"

namespace kernelgen::tool {
namespace {

constexpr std::size_t shown_lines = 12;
constexpr std::size_t most_columns = 1000;

std::string joined(const std::vector<std::string>& messages) {
  std::string text;
  for (const std::string& message : messages) text += (text.empty() ? "" : "\n") + message;
  return text;
}

}  // namespace

BuildFailed::BuildFailed(std::vector<std::string> messages)
    : std::runtime_error(joined(messages)), messages_(std::move(messages)) {}

std::string first_errors(const std::string& output, std::size_t most) {
  // Warnings come first in the stream and would hide the error.
  std::size_t begin = output.find("error");
  begin = begin == std::string::npos ? 0 : output.rfind('\n', begin);
  begin = begin == std::string::npos ? 0 : begin + (begin < output.size() && output[begin] == '\n');
  std::string lines;
  for (std::size_t n = 0; n < most && begin < output.size(); ++n) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    lines += "\n    " + shortened(std::string_view(output).substr(begin, end - begin), most_columns);
    begin = end + 1;
  }
  return lines;
}

std::string with_manifest_path(const std::string& output, const CompileJob& job) {
  std::string text;
  bool is_start = true;
  for (std::size_t at = 0; at < output.size(); ++at) {
    const std::string_view rest = std::string_view(output).substr(at);
    const char behind = rest.size() > job.manifest.size() ? rest[job.manifest.size()] : '\n';
    if (is_start && !job.manifest.empty() && rest.starts_with(job.manifest) &&
        (behind == ':' || behind == '(')) {
      text += job.manifest_path;
      at += job.manifest.size();
    }
    text += output[at];
    is_start = output[at] == '\n';
  }
  return text;
}

std::vector<std::string> Schedule::run(const std::vector<CompileJob>& jobs, const Accept& accept) {
  std::vector<std::vector<std::string>> failures(jobs.size());
  progress_.begin(jobs.size());
  std::vector<std::size_t> waiting;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    std::optional<std::string> object = cache_.find(jobs[i].key);
    if (object && accept(i, *std::move(object)).empty())
      progress_.done(jobs[i].target + " " + jobs[i].module, true);
    else
      waiting.push_back(i);
  }
  // The longest first, so that none of them is left over when the others are done.
  std::ranges::stable_sort(waiting, std::greater(), [&](std::size_t i) { return jobs[i].source_bytes; });
  std::map<std::uint64_t, std::size_t> running;
  std::size_t next = 0;
  while (next < waiting.size() || !running.empty()) {
    while (next < waiting.size() && running.size() < options_.jobs) {
      const CompileJob& job = jobs[waiting[next]];
      if (options_.verbose) progress_.note(quoted(shown_command(job)));
      running[runner_.start(job.command)] = waiting[next++];
    }
    const std::optional<ProcessResult> process = runner_.wait_any();
    if (!process) throw Interrupted(runner_.interrupted());
    const auto which = running.find(process->id);
    failures[which->second] = collect(jobs[which->second], which->second, *process, accept);
    running.erase(which);
  }
  progress_.clear();
  std::vector<std::string> all;
  for (std::vector<std::string>& list : failures)
    all.insert(all.end(), std::make_move_iterator(list.begin()), std::make_move_iterator(list.end()));
  return all;
}

std::vector<std::string> Schedule::collect(const CompileJob& job, std::size_t index,
                                           const ProcessResult& process, const Accept& accept) {
  const std::string name = job.target + " " + job.module;
  progress_.done(name, false);
  const std::string said = with_manifest_path(process.err + process.out, job);
  if (options_.verbose && !said.empty()) progress_.note(said);
  if (!process.ok())
    return {fmt::format("kernel-gen: error: {}: {}: {}{}", name, job.command.front(), process.outcome(),
                        first_errors(said, shown_lines))};
  if (!disk_.exists(job.output))
    return {fmt::format("kernel-gen: error: {}: {} succeeded without writing an object", name,
                        job.command.front())};
  const std::string object = disk_.read(job.output);
  std::vector<std::string> objections = accept(index, object);
  if (objections.empty()) store(job, object);
  return objections;
}

void Schedule::store(const CompileJob& job, const std::string& object) {
  if (!can_store_) return;
  try {
    cache_.store(job.key, object);
  } catch (const DiskError& error) {
    // The object is good; only the next build will be slower.
    can_store_ = false;
    progress_.note(fmt::format("kernel-gen: warning: objects are not cached: {}", error.what()));
  }
}

}  // namespace kernelgen::tool
