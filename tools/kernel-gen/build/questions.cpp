#include "build/questions.hpp"

#include <algorithm>
#include <sstream>

#include "base/digest.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

/// Programs that compilers start, by path relative to the compiler.
constexpr const char* companions[] = {"lld", "ptxas", "cudafe++", "fatbinary", "../nvvm/bin/cicc"};

Json part(const std::string& path, const FileStamp& stamp) {
  return {path, stamp.size, stamp.inode, stamp.changed};
}

/// The libraries in a loader's trace: "libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x…)".
std::vector<fs::path> loaded_libraries(const std::string& trace) {
  std::vector<fs::path> libraries;
  std::istringstream words(trace);
  for (std::string word; words >> word;)
    if (word.starts_with('/')) libraries.emplace_back(word);
  return libraries;
}

}  // namespace

const ProcessResult& Questions::ask(const CommandLine& command) {
  const auto known = answers_.find(command);
  if (known != answers_.end()) return known->second;
  Program& asked = program(command.front());
  const std::string key = key_of(command);
  ProcessResult result;
  if (const auto kept = asked.answers.find(key); kept != asked.answers.end()) {
    result.exit_code = kept->at(0).get<int>();
    result.out = kept->at(1).get<std::string>();
    result.err = kept->at(2).get<std::string>();
  } else {
    result = run_process(runner_, command);
    // What could not be started, or was ended by a signal, may do better another time.
    if (result.start_error.empty() && result.signal == 0) {
      asked.answers[key] = {result.exit_code, result.out, result.err};
      save(command.front(), asked);
    }
  }
  return answers_.emplace(command, std::move(result)).first->second;
}

const std::string& Questions::identity(const fs::path& program) { return this->program(program).identity; }

Questions::Program& Questions::program(const fs::path& path) {
  const auto [entry, is_new] = programs_.try_emplace(path.string());
  Program& program = entry->second;
  if (!is_new) return program;
  if (const auto kept =
          cache_ ? cache_->find(Cache::Kind::program, cache_key(path.string())) : std::nullopt) {
    Json json = Json::parse(*kept);
    if (is_unchanged(json["parts"])) {
      program = {json["identity"].get<std::string>(), std::move(json["parts"]), std::move(json["answers"])};
      return program;
    }
  }
  program.parts = Json::array();
  program.answers = Json::object();
  Digest digest;
  for (const fs::path& file : parts_of(path)) {
    try {
      // The stamp first: what changes while it is read is read again next time.
      program.parts.push_back(part(file.string(), disk_.stamp(file)));
      digest.add(hash128(disk_.read(file)).hex());
    } catch (const DiskError&) {
      // Not ours to read: its version has to tell.
    }
  }
  program.identity = digest.finish().hex();
  save(path.string(), program);
  return program;
}

bool Questions::is_unchanged(const Json& parts) const {
  return std::ranges::all_of(parts, [&](const Json& row) {
    const auto path = row.at(0).get<std::string>();
    try {
      return part(path, disk_.stamp(path)) == row;
    } catch (const DiskError&) {
      return false;
    }
  });
}

std::vector<fs::path> Questions::parts_of(const fs::path& path) {
  std::vector<fs::path> parts = {path};
  const fs::path file = disk_.resolve(path);
  for (const char* companion : companions)
    if (const fs::path program = file.parent_path() / companion; disk_.exists(program))
      parts.push_back(program);
  if (!disk_.exists(file) || !disk_.read(file).starts_with("\x7f"
                                                           "ELF"))
    return parts;
  // As ldd does; it is a script of bash.
  const ProcessResult trace = run_process(runner_, {"env", "LD_TRACE_LOADED_OBJECTS=1", file.string()});
  for (fs::path& library : loaded_libraries(trace.out)) parts.push_back(std::move(library));
  return parts;
}

std::string Questions::key_of(const CommandLine& command) const {
  Digest digest;
  for (const std::string& argument : command) {
    digest.add(argument);
    if (argument.starts_with('/') && argument != command.front() && !argument.starts_with("/dev/") &&
        disk_.exists(argument) && !disk_.is_directory(argument))
      digest.add(part(argument, disk_.stamp(argument)).dump());
  }
  return digest.finish().hex();
}

Hash128 Questions::cache_key(const std::string& path) const {
  Digest digest;
  digest.add("1").add(path);
  // What decides which libraries and which other programs a program loads and starts.
  for (const char* name : {"PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "NVCC_CCBIN"})
    digest.add(environment_(name));
  return digest.finish();
}

void Questions::save(const std::string& path, const Program& program) {
  if (!cache_) return;
  const Json json = {{"identity", program.identity}, {"parts", program.parts}, {"answers", program.answers}};
  try {
    cache_->store(Cache::Kind::program, cache_key(path),
                  json.dump(-1, ' ', false, Json::error_handler_t::replace));
  } catch (const DiskError&) {
    // A cache that cannot be written: asked again next time.
  }
}

}  // namespace kernelgen::tool
