#pragma once
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace kernelgen::tool {

/// The tool's exit codes.
inline constexpr int exit_ok = 0;
inline constexpr int exit_failure =
    1;  ///< the work was understood but failed: drift, a kernel that does not compile
inline constexpr int exit_bad_input = 2;

/// One thing that is wrong with the input.
struct Fault {
  std::string file;     ///< path as the user knows it; empty: not in a file (the command line)
  std::string pointer;  ///< JSON pointer (RFC 6901) or "line L, column C"; empty: the whole file
  std::string what;
  std::optional<std::string> meant;  ///< the nearest right name

  /// "kernel-gen: error: FILE: /json/pointer: what (did you mean 'x'?)": one line without its end, printable
  /// whatever the input held, and cut where a part of it is long.
  std::string line() const;

  bool operator==(const Fault&) const = default;
};

/// All that is wrong with the input; the tool prints it and exits with exit_bad_input. what() holds the lines of
/// fault_lines().
class BadInput : public std::runtime_error {
 public:
  explicit BadInput(std::vector<Fault> faults);
  explicit BadInput(Fault fault);
  const std::vector<Fault>& faults() const noexcept { return faults_; }

 private:
  std::vector<Fault> faults_;
};

/// Collects faults, so that a user sees all of them in one run. One that is there already (a manifest's default
/// is read again for each entry it serves) is not added again.
class Faults {
 public:
  void add(std::string_view file, std::string_view pointer, std::string what,
           std::optional<std::string> meant = std::nullopt);
  /// As add(), with the name among `names` that is nearest to `wrong`.
  void add_unknown(std::string_view file, std::string_view pointer, std::string what, std::string_view wrong,
                   std::span<const std::string> names);

  bool empty() const { return faults_.empty(); }
  std::size_t size() const { return faults_.size(); }
  const std::vector<Fault>& list() const { return faults_; }
  /// Throws BadInput when there is any.
  void throw_if_any() const;

 private:
  std::vector<Fault> faults_;
  std::unordered_set<std::string> seen_;
};

/// A line for each of the first 50, and one that says how many more there are.
std::string fault_lines(std::span<const Fault> faults);
/// Prints them on stderr.
void print_faults(std::span<const Fault> faults);

}  // namespace kernelgen::tool
