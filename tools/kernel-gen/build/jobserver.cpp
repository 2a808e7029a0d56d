#include "build/jobserver.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <sstream>

namespace kernelgen::tool {

std::optional<JobserverAuth> find_jobserver(std::string_view makeflags) {
  std::istringstream words{std::string(makeflags)};
  std::optional<JobserverAuth> auth;
  for (std::string word; words >> word;) {
    if (word == "--") break;  // variables follow
    // --jobserver-fds is that of make before 4.2. The last one counts.
    for (const std::string_view option : {"--jobserver-auth=", "--jobserver-fds="}) {
      if (!word.starts_with(option)) continue;
      const std::string value = word.substr(option.size());
      JobserverAuth found;
      if (value.starts_with("fifo:"))
        found.fifo = value.substr(5);
      else if (std::sscanf(value.c_str(), "%d,%d", &found.read, &found.write) != 2)
        continue;
      auth = std::move(found);
    }
  }
  // "-1,-1" is how make says that it keeps them from this process.
  if (auth && auth->fifo.empty() && (auth->read < 0 || auth->write < 0)) return std::nullopt;
  return auth;
}

std::unique_ptr<Jobserver> Jobserver::connect(const Environment& environment) {
  const auto auth = find_jobserver(environment("MAKEFLAGS"));
  if (!auth) return nullptr;
  // Reopened, so that O_NONBLOCK does not affect other processes that share make's descriptors.
  const auto path = [&](int inherited) {
    return auth->fifo.empty() ? fmt::format("/proc/self/fd/{}", inherited) : auth->fifo;
  };
  const int read = ::open(path(auth->read).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (read < 0) return nullptr;
  const int write = ::open(path(auth->write).c_str(), O_WRONLY | O_CLOEXEC);
  if (write < 0) {
    ::close(read);
    return nullptr;
  }
  return std::unique_ptr<Jobserver>(new Jobserver(read, write));
}

Jobserver::~Jobserver() {
  while (held() > 0) release();
  ::close(read_);
  ::close(write_);
}

bool Jobserver::acquire() {
  char token;
  ssize_t n = 0;
  do n = ::read(read_, &token, 1);
  while (n < 0 && errno == EINTR);
  if (n != 1) return false;
  tokens_ += token;
  return true;
}

void Jobserver::release() {
  // The same byte: a server may distinguish its tokens.
  while (::write(write_, &tokens_.back(), 1) < 0 && errno == EINTR) {
  }
  tokens_.pop_back();
}

}  // namespace kernelgen::tool
