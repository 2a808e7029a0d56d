#include "commands/build_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.hpp"
#include "base/table.hpp"

namespace kernelgen::tool {

namespace {

const char* spell(ObjectRow::State state) {
  switch (state) {
    case ObjectRow::State::cached:
      return "cached";
    case ObjectRow::State::pending:
      return "pending";
    case ObjectRow::State::compiled:
      return "compiled";
    case ObjectRow::State::taken:
      return "taken";
  }
  return "";
}

std::string spell_known(const Json& row, const char* name) {
  return row.contains(name) ? std::to_string(row.at(name).get<std::uint32_t>()) : "-";
}

}  // namespace

Json summarize(const KernelSet& set, std::span<const BuiltTarget> targets, std::span<const TargetTools> tools,
               std::size_t package_bytes) {
  Json rows = Json::array();
  for (std::size_t t = 0; t < targets.size(); ++t) {
    std::uint64_t bytes = 0;
    std::uint32_t vgprs = 0, lds = 0;
    for (const BuiltObject& object : targets[t].objects) {
      bytes += object.bytes.size();
      for (const CodeKernel& kernel : object.code.kernels) {
        vgprs = std::max(vgprs, kernel.vgprs);
        lds = std::max(lds, kernel.lds_bytes);
      }
    }
    Json row = {{"name", targets[t].target->name},
                {"objects", targets[t].objects.size()},
                {"bytes", bytes},
                {"compiler", tools[t].compiler.version}};
    // Only ELF files for GPUs record them.
    const CodeKind kind = targets[t].objects.front().code.kind;
    if (kind == CodeKind::hsaco || kind == CodeKind::cubin) {
      row["most_vgprs"] = vgprs;
      row["most_lds_bytes"] = lds;
    }
    rows.push_back(std::move(row));
  }
  return {{"kernels", set.kernels.size()},
          {"modules", set.modules.size()},
          {"bytes", package_bytes},
          {"targets", std::move(rows)}};
}

void print_summary(const std::string& package, const Json& summary, std::FILE* out) {
  const auto count = [&](const char* name) { return summary.at(name).get<std::size_t>(); };
  const Json& targets = summary.at("targets");
  fmt::print(out, "{}: {} in {}, {}, {}\n", printable(package), spell_count(count("kernels"), "kernel"),
             spell_count(count("modules"), "module"), spell_count(targets.size(), "target"),
             spell_bytes(count("bytes")));
  Table table({"target", "objects", "size", "most VGPRs", "most LDS", "compiler"});
  for (const Json& row : targets)
    table.add({row.at("name").get<std::string>(), std::to_string(row.at("objects").get<std::size_t>()),
               spell_bytes(row.at("bytes").get<std::uint64_t>()), spell_known(row, "most_vgprs"),
               spell_known(row, "most_lds_bytes"), row.at("compiler").get<std::string>()});
  table.print(out);
}

void print_reasons(std::span<const CompileJob> jobs, std::span<const ObjectRow> rows, std::FILE* out) {
  for (std::size_t i = 0; i < jobs.size(); ++i)
    fmt::print(out, "{}: {}\n", jobs[i].name(), rows[i].why.empty() ? "up to date" : printable(rows[i].why));
}

void print_commands(std::span<const CompileJob> jobs, std::span<const ObjectRow> rows, std::FILE* out) {
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (rows[i].state == ObjectRow::State::pending)
      fmt::print(out, "{}\n", printable(shown_commands(jobs[i])));
}

Json objects_json(std::span<const CompileJob> jobs, std::span<const ObjectRow> rows) {
  Json list = Json::array();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Json row = {{"target", jobs[i].target}, {"module", jobs[i].module}, {"state", spell(rows[i].state)}};
    if (!rows[i].why.empty()) row["why"] = rows[i].why;
    if (rows[i].seconds > 0) row["seconds"] = rows[i].seconds;
    list.push_back(std::move(row));
  }
  return list;
}

}  // namespace kernelgen::tool
