// NCCL for tests, on memory of the host: one thread makes the calls of all ranks, which are done at the end of its group.
#include "stub_gpu/stub_nccl.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>

namespace {

using kernelgen::test::StubNccl;

StubNccl stub;

constexpr int status_invalid_usage = 5;
constexpr int type_f32 = 7, sum = 0, minimum = 3, mean = 4;

struct Id {
  std::array<char, 128> bytes;
};

struct Call {
  std::string what;
  const void* from = nullptr;
  void* to = nullptr;
  std::size_t count = 0;
  int type = 0, reduction = 0, peer = 0;
};

struct Meeting {
  std::vector<std::vector<Call>> calls;  ///< by rank
};

struct Communicator {
  std::shared_ptr<Meeting> meeting;
  int rank;
};

std::map<std::array<char, 128>, std::shared_ptr<Meeting>> meetings;
int depth = 0;

/// Notes the call; the status it shall fail with, or 0.
int enter(const char* function) {
  stub.calls.emplace_back(function);
  const auto failure = stub.failures.find(function);
  return failure == stub.failures.end() ? 0 : failure->second;
}

int add(const char* function, void* communicator, void* stream, Call call) {
  if (const int status = enter(function)) return status;
  // A call on its own would wait for the other ranks, which the same thread has yet to ask.
  if (depth == 0) return status_invalid_usage;
  call.what = function;
  const auto& one = *static_cast<Communicator*>(communicator);
  one.meeting->calls[static_cast<std::size_t>(one.rank)].push_back(call);
  stub.streams.push_back(stream);
  return 0;
}

float reduced(const std::vector<Call>& calls, std::size_t place) {
  float result = 0;
  for (std::size_t rank = 0; rank < calls.size(); ++rank) {
    const float value = static_cast<const float*>(calls[rank].from)[place];
    if (rank == 0)
      result = value;
    else
      result = calls[0].reduction == minimum ? std::min(result, value) : result + value;
  }
  return calls[0].reduction == mean ? result / static_cast<float>(calls.size()) : result;
}

void work(const std::vector<Call>& calls) {
  const Call& first = calls[0];
  std::vector<float> results;  // before any is written, which may be in place
  if (first.what == "ncclAllReduce" || first.what == "ncclReduceScatter")
    for (std::size_t i = 0; i < first.count * (first.what == "ncclAllReduce" ? 1 : calls.size()); ++i)
      results.push_back(first.type == type_f32 ? reduced(calls, i) : 0);
  for (std::size_t rank = 0; rank < calls.size(); ++rank) {
    auto* const to = static_cast<char*>(calls[rank].to);
    if (first.what == "ncclAllGather")
      for (std::size_t other = 0; other < calls.size(); ++other)
        std::memcpy(to + other * first.count, calls[other].from, first.count);
    else if (first.what == "ncclBroadcast")
      std::memcpy(to, calls[static_cast<std::size_t>(first.peer)].from, first.count);
    else
      std::memcpy(to, results.data() + (first.what == "ncclReduceScatter" ? rank * first.count : 0),
                  first.count * sizeof(float));
  }
}

void finish(Meeting& meeting) {
  auto& ranks = meeting.calls;
  // Sends and receives by their pairs, then what all take part in by its turn.
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    for (const Call& sent : ranks[rank]) {
      if (sent.what != "ncclSend") continue;
      auto& others = ranks[static_cast<std::size_t>(sent.peer)];
      const auto received = std::find_if(others.begin(), others.end(), [&](const Call& call) {
        return call.what == "ncclRecv" && call.peer == static_cast<int>(rank);
      });
      if (received == others.end()) continue;
      std::memcpy(received->to, sent.from, sent.count);
      received->what = "done";
    }
  for (auto& calls : ranks)
    std::erase_if(calls, [](const Call& call) { return call.what == "ncclSend" || call.what == "done"; });
  for (std::size_t turn = 0; turn < ranks[0].size(); ++turn) {
    std::vector<Call> calls;
    for (const auto& mine : ranks) calls.push_back(mine.at(turn));
    work(calls);
  }
  for (auto& calls : ranks) calls.clear();
}

}  // namespace

extern "C" {

StubNccl* stub_nccl() { return &stub; }

const char* ncclGetErrorString(int status) {
  return status == status_invalid_usage ? "invalid usage" : "stub";
}

int ncclGetUniqueId(Id* id) {
  static int last = 0;
  *id = {};
  id->bytes[0] = static_cast<char>(++last);
  return enter(__func__);
}

int ncclCommInitRank(void** communicator, int ranks, Id id, int rank) {
  if (const int status = enter(__func__)) return status;
  std::shared_ptr<Meeting>& meeting = meetings[id.bytes];
  if (meeting == nullptr) meeting = std::make_shared<Meeting>();
  meeting->calls.resize(static_cast<std::size_t>(ranks));
  *communicator = new Communicator{meeting, rank};
  ++stub.communicators;
  return 0;
}

int ncclCommDestroy(void* communicator) {
  delete static_cast<Communicator*>(communicator);
  --stub.communicators;
  return enter(__func__);
}

int ncclAllReduce(const void* from, void* to, std::size_t count, int type, int reduction, void* communicator,
                  void* stream) {
  return add(__func__, communicator, stream, {{}, from, to, count, type, reduction, 0});
}
int ncclReduceScatter(const void* from, void* to, std::size_t count, int type, int reduction,
                      void* communicator, void* stream) {
  return add(__func__, communicator, stream, {{}, from, to, count, type, reduction, 0});
}
int ncclBroadcast(const void* from, void* to, std::size_t count, int type, int root, void* communicator,
                  void* stream) {
  return add(__func__, communicator, stream, {{}, from, to, count, type, sum, root});
}
int ncclAllGather(const void* from, void* to, std::size_t count, int type, void* communicator, void* stream) {
  return add(__func__, communicator, stream, {{}, from, to, count, type, sum, 0});
}
int ncclSend(const void* from, std::size_t count, int type, int peer, void* communicator, void* stream) {
  return add(__func__, communicator, stream, {{}, from, nullptr, count, type, sum, peer});
}
int ncclRecv(void* to, std::size_t count, int type, int peer, void* communicator, void* stream) {
  return add(__func__, communicator, stream, {{}, nullptr, to, count, type, sum, peer});
}

int ncclGroupStart() {
  ++depth;
  return enter(__func__);
}

int ncclGroupEnd() {
  if (--depth == 0)
    for (auto& [id, meeting] : meetings) finish(*meeting);
  return enter(__func__);
}
}
