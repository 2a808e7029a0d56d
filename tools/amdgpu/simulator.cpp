#include "simulator.hpp"

#include <fmt/format.h>
#include <llvm/TargetParser/TargetParser.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "checks/checks.hpp"
#include "launch.hpp"
#include "opcodes.hpp"

namespace kernelgen::amdgpu {
namespace {

Isa isa_of(const std::string& processor) {
  const auto version = llvm::AMDGPU::getIsaVersion(processor);
  if (version.Major < 9)
    throw Fault(Fault::Kind::unsupported,
                fmt::format("simulated {}: no AMD GPU that LLVM knows and that is simulated (gfx9 to gfx12)",
                            processor));
  return {processor, version.Major, version.Minor, version.Stepping};
}

/// Device memory while it lives.
class Registered {
 public:
  Registered(Memory& memory, std::span<const std::byte> bytes, const char* name,
             std::shared_ptr<std::vector<std::uint8_t>> initialized = nullptr)
      : memory_(memory), data_(bytes.data()) {
    memory_.add(data_, bytes.size(), name, std::move(initialized));
  }
  ~Registered() { memory_.remove(data_); }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;

 private:
  Memory& memory_;
  const std::byte* data_;
};

void check_host() {
#if defined(__AVX2__) && defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    throw Fault(Fault::Kind::unsupported,
                "the simulator of AMD GPUs needs a CPU with AVX2 and FMA (x86-64-v3)");
#endif
}

}  // namespace

Module::Module(std::span<const std::byte> bytes, const Isa& isa)
    : object_(bytes), program_32_(object_, isa, 32), program_64_(object_, isa, 64) {}

const Kernel& Module::kernel(const std::string& name) const {
  const auto found = object_.kernels().find(name);
  if (found == object_.kernels().end())
    throw Fault(Fault::Kind::arguments, fmt::format("simulated module: it has no kernel '{}'", name));
  return found->second;
}

Simulator::Simulator(const std::string& target) : Simulator(target, Options()) {}

Simulator::Simulator(const std::string& target, Options options) : isa_(isa_of(target)), options_(options) {
  check_host();
  if (options_.checks) memory_.track_initialization();
}

std::shared_ptr<Module> Simulator::load(std::span<const std::byte> bytes) {
  Memory* const memory = &memory_;
  const std::shared_ptr<Module> module(new Module(bytes, isa_), [memory](Module* old) {
    memory->remove(old->object().image().data());
    delete old;
  });
  memory_.add(module->object().image().data(), module->object().image().size(), "code object");
  return module;
}

Counters Simulator::launch(Module& module, const std::string& name, Extent grid, Extent block,
                           std::uint32_t dynamic_lds_bytes, std::span<const std::byte> arguments) {
  const std::lock_guard lock(launching_);
  const Kernel& kernel = module.kernel(name);
  const std::uint64_t items = std::uint64_t{block.x} * block.y * block.z;
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  if (items == 0 || items > 1024 || blocks == 0)
    throw Fault(Fault::Kind::arguments,
                fmt::format("simulated kernel '{}': {} blocks of {} work-items", name, blocks, items));

  Launch launch{&kernel, &isa_, &module.program(kernel.wave_size),    &memory_,
                grid,    block, kernel.lds_bytes + dynamic_lds_bytes, 0,
                0,       0};
  const std::vector<std::byte> kernarg = kernarg_segment(kernel, arguments, grid, block, dynamic_lds_bytes);
  launch.kernarg = reinterpret_cast<std::uint64_t>(kernarg.data());
  const std::vector<std::byte> packet = dispatch_packet(launch);
  launch.dispatch_packet = reinterpret_cast<std::uint64_t>(packet.data());
  std::shared_ptr<std::vector<std::uint8_t>> given;
  if (options_.checks)
    given = std::make_shared<std::vector<std::uint8_t>>(kernarg_given(kernel, arguments.size()));
  const Registered kernarg_memory(memory_, kernarg, "kernel arguments", std::move(given));
  const Registered packet_memory(memory_, packet, "dispatch packet");
  const Instruction* const entry = launch.program->at(kernel.entry);
  if (entry == nullptr)
    throw Fault(Fault::Kind::code_object, fmt::format("simulated kernel '{}': no code", name));

  std::optional<Checks> checks;
  if (options_.checks) checks.emplace(launch, *options_.checks);
  std::atomic<std::uint64_t> next = 0;
  std::mutex result_mutex;
  Counters total;
  Traffic traffic;
  std::exception_ptr error;
  const auto work = [&] {
    Block state;
    state.launch = &launch;
    state.counters.by_opcode.resize(numbered_opcodes().size());
    state.checks = checks ? &*checks : nullptr;
    try {
      for (std::uint64_t i = next++; i < blocks; i = next++) {
        state.id = {static_cast<std::uint32_t>(i % grid.x), static_cast<std::uint32_t>(i / grid.x % grid.y),
                    static_cast<std::uint32_t>(i / grid.x / grid.y)};
        start_block(state, entry);
        run_block(state, options_.most_instructions);
      }
    } catch (...) {
      next = blocks;
      const std::lock_guard result_lock(result_mutex);
      if (!error) error = std::current_exception();
    }
    const std::lock_guard result_lock(result_mutex);
    total += state.counters;
    traffic.loaded.merge(state.traffic.loaded);
    traffic.stored.merge(state.traffic.stored);
  };
  const unsigned wanted = checks                  ? 1u
                          : options_.threads != 0 ? options_.threads
                                                  : std::max(1u, std::thread::hardware_concurrency());
  const auto threads = static_cast<unsigned>(std::min<std::uint64_t>(wanted, blocks));
  {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
    work();
  }
  if (error) std::rethrow_exception(error);
  for (std::size_t i = 0; i < total.by_opcode.size(); ++i)
    total.executed[static_cast<std::size_t>(numbered_opcodes()[i].pipe)] += total.by_opcode[i];
  total.distinct_loaded = traffic.loaded.count();
  total.distinct_stored = traffic.stored.count();
  return total;
}

}  // namespace kernelgen::amdgpu
