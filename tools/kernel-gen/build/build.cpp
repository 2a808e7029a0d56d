#include "build/build.hpp"

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "code_object/check.hpp"

namespace kernelgen::tool {

void Build::make_room() {
  for (const TargetTools& tools : plan_.tools)
    built_.targets.push_back({tools.target, std::vector<BuiltObject>(plan_.set.modules.size())});
  built_.reads.resize(planned_.jobs.size());
  rows_.resize(planned_.jobs.size());
}

void Build::look_up(unsigned threads) {
  make_room();
  std::vector<Remembered> known;
  for (const CompileJob& job : planned_.jobs) known.push_back(cache_.find(job));
  // Of some hundred objects, what they say of their kernels takes longer to read than one of them to compile.
  std::vector<char> is_good(known.size());
  in_parallel(threads, known.size(), [&] {
    return [&](std::size_t job) {
      is_good[job] = known[job].object && accept(job, *std::move(known[job].object)).empty();
    };
  });
  for (std::size_t job = 0; job < known.size(); ++job) {
    if (is_good[job]) {
      built_.reads[job] = std::move(known[job].reads);
      continue;
    }
    std::string& why = known[job].why;
    if (why.empty()) why = "its object in the cache does not pass the checks";
    rows_[job] = {ObjectRow::State::pending, std::move(why), known[job].seconds};
    prepare(plan_, planned_, job, disk_);
  }
}

BuiltObjects Build::run(Schedule& schedule) {
  std::vector<Pending> pending;
  for (std::size_t job = 0; job < rows_.size(); ++job)
    if (rows_[job].state == ObjectRow::State::pending) pending.push_back({job, rows_[job].seconds});
  progress_.begin(planned_.jobs.size(), planned_.jobs.size() - pending.size());
  const auto finish_job = [&](std::size_t job, const Compiled& compiled) { return finish(job, compiled); };
  if (std::vector<std::string> failures = schedule.run(planned_.jobs, std::move(pending), finish_job);
      !failures.empty())
    throw BuildFailed(std::move(failures));
  return std::move(built_);
}

BuiltObjects Build::take(const std::filesystem::path& folder) {
  make_room();
  std::vector<std::string> failures;
  for (std::size_t job = 0; job < planned_.jobs.size(); ++job) {
    const std::filesystem::path file = folder / planned_.jobs[job].output.filename();
    for (std::string& message : accept(job, disk_.read(file))) failures.push_back(std::move(message));
    rows_[job].state = ObjectRow::State::taken;
  }
  if (!failures.empty()) throw BuildFailed(std::move(failures));
  return std::move(built_);
}

std::vector<std::string> Build::accept(std::size_t job, std::string bytes) {
  const std::size_t modules = plan_.set.modules.size();
  const Module& module = plan_.set.modules[job % modules];
  BuiltTarget& target = built_.targets[job / modules];
  BuiltObject& object = target.objects[job % modules];
  object.bytes = std::move(bytes);
  try {
    object.code = read_code_object(object.bytes);
  } catch (const BadCodeObject& error) {
    return {fmt::format("kernel-gen: error: {}: code object cannot be read: {}", planned_.jobs[job].name(),
                        error.what())};
  }
  std::vector<std::string> messages = check_code_object(object.code, *target.target, plan_.set, module);
  for (std::string& message : messages) message = "kernel-gen: error: " + message;
  return messages;
}

std::vector<std::string> Build::finish(std::size_t job, const Compiled& compiled) {
  std::vector<std::string> objections = accept(job, compiled.object);
  rows_[job].state = ObjectRow::State::compiled;
  rows_[job].seconds = compiled.seconds;
  if (objections.empty()) store(job, compiled);
  return objections;
}

void Build::store(std::size_t index, const Compiled& compiled) {
  const CompileJob& job = planned_.jobs[index];
  const auto& reads = built_.reads[index] = cache_.reads_of(job, compiled.depfile, compiled.start);
  if (!reads || !can_store_) return;
  try {
    cache_.store(job, compiled.object, *reads, compiled.seconds);
    has_stored_ = true;
  } catch (const DiskError& error) {
    // The object is good; only the next build will be slower.
    can_store_ = false;
    progress_.note(fmt::format("kernel-gen: warning: objects are not cached: {}", error.what()));
  }
}

}  // namespace kernelgen::tool
