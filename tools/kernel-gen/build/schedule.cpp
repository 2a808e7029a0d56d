#include "build/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <tuple>

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

/// What a compiler's words leave out: the file that it had no room for, or that the fault is its own.
std::string explanation(const std::string& said, const CompileJob& job) {
  if (said.find(std::strerror(ENOSPC)) != std::string::npos)
    return fmt::format(", writing {}: {}", job.output.string(), std::strerror(ENOSPC));
  for (const char* copy : {"illegal SGPR to VGPR copy", "illegal VGPR to SGPR copy"})
    if (said.find(copy) != std::string::npos)
      return ": a defect of the compiler; clang 15 has it most (apt install clang-19 lld-19)";
  return "";
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
    const std::string& manifest = job.source->manifest;
    const char behind = rest.size() > manifest.size() ? rest[manifest.size()] : '\n';
    if (is_start && !manifest.empty() && rest.starts_with(manifest) && (behind == ':' || behind == '(')) {
      text += job.source->manifest_path;
      at += manifest.size();
    }
    text += output[at];
    is_start = output[at] == '\n';
  }
  return text;
}

std::vector<std::string> Schedule::run(const std::vector<CompileJob>& jobs, std::vector<Pending> pending,
                                       const Finish& finish) {
  // The longest first, so that no long one starts last: those without a recorded time, which
  // may be long, then by time.
  std::ranges::stable_sort(pending, std::greater(), [&](const Pending& one) {
    return std::tuple(one.seconds == 0, one.seconds, jobs[one.job].source->text.size());
  });
  std::map<std::size_t, std::vector<std::string>> failures;
  Jobserver* const jobserver = options_.jobserver;
  for (std::size_t next = 0; next < pending.size() || !running_.empty();) {
    while (next < pending.size() && has_room()) {
      if (options_.verbose) progress_.note(shown_commands(jobs[pending[next].job]));
      start(jobs, {pending[next++].job, 0, {}, {}});
    }
    const bool wants_token = jobserver && next < pending.size() && running_.size() < options_.jobs;
    const std::optional<ProcessResult> process = runner_.wait_any(wants_token ? jobserver->descriptor() : -1);
    if (!process) throw Interrupted(runner_.interrupted());
    if (process->id == 0) continue;  // a token may have come
    Running running = std::move(running_.extract(process->id).mapped());
    const std::size_t job = running.job;
    if (auto messages = collect(jobs, std::move(running), *process, finish))
      failures[job] = *std::move(messages);
    while (jobserver && jobserver->held() > 0 && jobserver->held() >= running_.size()) jobserver->release();
  }
  progress_.clear();
  std::vector<std::string> all;
  for (auto& [job, list] : failures)
    all.insert(all.end(), std::make_move_iterator(list.begin()), std::make_move_iterator(list.end()));
  return all;
}

bool Schedule::has_room() {
  if (running_.size() >= options_.jobs) return false;
  return !options_.jobserver || running_.empty() || options_.jobserver->acquire();
}

void Schedule::start(const std::vector<CompileJob>& jobs, Running running) {
  if (running.command == 0) running.compiled.start = disk_.now();
  const std::uint64_t process = runner_.start(jobs[running.job].commands[running.command]);
  running_.emplace(process, std::move(running));
}

std::optional<std::vector<std::string>> Schedule::collect(const std::vector<CompileJob>& jobs,
                                                          Running running, const ProcessResult& process,
                                                          const Finish& finish) {
  const CompileJob& job = jobs[running.job];
  const std::string& program = job.commands[running.command].front();
  running.compiled.seconds += process.cpu_seconds;
  running.said += process.err + process.out;
  if (process.ok() && ++running.command < job.commands.size()) {
    start(jobs, std::move(running));
    return std::nullopt;
  }
  progress_.done(job.name());
  const std::string said = with_manifest_path(running.said, job);
  if (options_.verbose && !said.empty()) progress_.note(said);
  if (!process.ok())
    return {{fmt::format("kernel-gen: error: {}: {}: {}{}{}", job.name(), program, process.outcome(),
                         explanation(said, job), first_errors(said, shown_lines))}};
  if (!disk_.exists(job.output))
    return {
        {fmt::format("kernel-gen: error: {}: {} succeeded without writing an object", job.name(), program)}};
  running.compiled.object = disk_.read(job.output);
  if (disk_.exists(job.depfile)) running.compiled.depfile = disk_.read(job.depfile);
  return finish(running.job, running.compiled);
}

}  // namespace kernelgen::tool
