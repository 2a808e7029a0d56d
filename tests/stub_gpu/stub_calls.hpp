#pragma once
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>

#include "stub_gpu/stub_gpu.hpp"

#ifdef STUB_CUDA
#define STUB(hip, cuda) extern "C" int cuda
#else
#define STUB(hip, cuda) extern "C" int hip
#endif

/// What the files of a stub driver share. Each library has its own.
#pragma GCC visibility push(hidden)
namespace kernelgen::test::stub_driver {

extern StubGpu stub;
extern std::mutex of_stub;

/// Notes the call; the status it shall fail with, or 0.
int enter(const char* function);

void* new_handle(std::size_t bytes = 1);
int drop_handle(const char* function, void* handle);

/// The graph that the stream is captured for; null where it is not.
StubGpu::Graph* captured(void* stream);
/// Of a call that cannot be part of a graph.
int spoil(const char* function, StubGpu::Graph& graph);
/// Does the work, or keeps it for the graph that is captured.
int do_in(void* stream, const std::string& what, const std::function<void(void*)>& work);

#ifndef STUB_CUDA
/// 100 · major + minor
int hip_version();
#endif

}  // namespace kernelgen::test::stub_driver
#pragma GCC visibility pop
