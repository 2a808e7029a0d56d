#include "command_line.hpp"

#include <algorithm>
#include <stdexcept>

CommandLine::CommandLine(int argc, char** argv, const std::vector<std::string>& flags) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (!word.starts_with("--")) {
      words_.push_back(word);
    } else if (std::find(flags.begin(), flags.end(), word) != flags.end()) {
      options_[word] = "";
    } else {
      if (i + 1 == argc) throw std::invalid_argument("option " + word + " takes a value, or is not known");
      options_[word] = argv[++i];
    }
  }
}

bool CommandLine::flag(const std::string& name) { return options_.erase(name) != 0; }

std::string CommandLine::text(const std::string& name, const std::string& absent) {
  const auto at = options_.find(name);
  if (at == options_.end()) return absent;
  const std::string value = at->second;
  options_.erase(at);
  return value;
}

std::int64_t CommandLine::integer(const std::string& name, std::int64_t absent, std::int64_t least,
                                  std::int64_t most) {
  const double value =
      real(name, static_cast<double>(absent), static_cast<double>(least), static_cast<double>(most));
  const auto whole = static_cast<std::int64_t>(value);
  if (static_cast<double>(whole) != value)
    throw std::invalid_argument(name + " is " + std::to_string(value) + ", wanted a whole number");
  return whole;
}

double CommandLine::real(const std::string& name, double absent, double least, double most) {
  const std::string given = text(name, "");
  if (given.empty()) return absent;
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(given, &used);
  } catch (const std::logic_error&) {
    used = 0;
  }
  if (used != given.size() || !(value >= least && value <= most))
    throw std::invalid_argument(name + " is '" + given + "', wanted a number from " + std::to_string(least) +
                                " to " + std::to_string(most));
  return value;
}

std::vector<std::string> CommandLine::words() { return std::move(words_); }

void CommandLine::finish() const {
  if (!options_.empty()) throw std::invalid_argument("option " + options_.begin()->first + " is not known");
}
