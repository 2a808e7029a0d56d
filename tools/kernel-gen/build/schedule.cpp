#include "build/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace kernelgen::tool {
namespace {

constexpr std::size_t shown_lines = 12;

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
    lines += "\n    " + output.substr(begin, end - begin);
    begin = end + 1;
  }
  return lines;
}

std::vector<CompileResult> Schedule::run(const std::vector<CompileJob>& jobs) {
  std::vector<CompileResult> results(jobs.size());
  progress_.begin(jobs.size());
  std::vector<std::size_t> waiting;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (std::optional<std::string> object = cache_.find(jobs[i].key)) {
      results[i].object = std::move(*object);
      progress_.done(jobs[i].target + " " + jobs[i].module, true);
    } else {
      waiting.push_back(i);
    }
  }
  std::map<std::uint64_t, std::size_t> running;
  std::size_t next = 0;
  while (next < waiting.size() || !running.empty()) {
    while (next < waiting.size() && running.size() < options_.jobs) {
      const CompileJob& job = jobs[waiting[next]];
      if (options_.verbose) progress_.note(quoted(shown_command(job)));
      running[runner_.start(job.command)] = waiting[next++];
    }
    const std::optional<ProcessResult> process = runner_.wait_any();
    if (!process) throw Interrupted();
    const auto which = running.find(process->id);
    results[which->second] = collect(jobs[which->second], *process);
    running.erase(which);
  }
  progress_.clear();
  return results;
}

CompileResult Schedule::collect(const CompileJob& job, const ProcessResult& process) {
  const std::string name = job.target + " " + job.module;
  progress_.done(name, false);
  if (options_.verbose && !process.err.empty()) progress_.note(process.err);
  if (!process.ok())
    return {"", fmt::format("kernel-gen: error: {}: {}: {}{}", name, job.command.front(), process.outcome(),
                            first_errors(process.err + process.out, shown_lines))};
  CompileResult result;
  result.object = disk_.read(job.output);
  try {
    cache_.store(job.key, result.object);
  } catch (const DiskError& error) {
    // The object is good; only the next build will be slower.
    progress_.note(fmt::format("kernel-gen: warning: object not cached: {}", error.what()));
  }
  return result;
}

}  // namespace kernelgen::tool
