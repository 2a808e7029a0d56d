/// Streams and events, which are always done.
#include <chrono>
#include <utility>

#include "amdgpu/hip/function.hpp"

namespace kernelgen::amdgpu::hip {
namespace {

struct Event {
  std::chrono::steady_clock::time_point time;
  std::shared_ptr<Graph> capture;  ///< that it was recorded in
};

thread_local int capture_mode = 0;

}  // namespace

KERNELGEN_HIP int hipStreamCreateWithFlags(void** stream, unsigned) {
  *stream = new Stream{current_ordinal(), nullptr};
  return hipSuccess;
}

KERNELGEN_HIP int hipStreamCreate(void** stream) { return hipStreamCreateWithFlags(stream, 0); }

KERNELGEN_HIP int hipStreamCreateWithPriority(void** stream, unsigned flags, int) {
  return hipStreamCreateWithFlags(stream, flags);
}

KERNELGEN_HIP int hipDeviceGetStreamPriorityRange(int* least, int* most) {
  *least = 1;
  *most = -1;
  return hipSuccess;
}

KERNELGEN_HIP int hipStreamDestroy(void* stream) {
  if (&stream_of(stream) == &stream_of(nullptr)) return hipErrorInvalidValue;
  delete static_cast<Stream*>(stream);
  return hipSuccess;
}

KERNELGEN_HIP int hipStreamSynchronize(void* stream) { return refuse_in_capture(stream); }

KERNELGEN_HIP int hipStreamQuery(void* stream) { return refuse_in_capture(stream); }

KERNELGEN_HIP int hipStreamWaitEvent(void* stream, void* event, unsigned) {
  // Work behind captured work is captured too.
  if (const auto& capture = static_cast<Event*>(event)->capture) stream_of(stream).capture = capture;
  return hipSuccess;
}

KERNELGEN_HIP int hipStreamAddCallback(void* stream, void (*function)(void*, int, void*), void* data,
                                       unsigned) {
  return do_in(stream, __func__, [=](Gpu&) {
    function(stream, hipSuccess, data);
    return hipSuccess;
  });
}

KERNELGEN_HIP int hipLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
  return do_in(stream, __func__, [=](Gpu&) {
    function(data);
    return hipSuccess;
  });
}

KERNELGEN_HIP int hipEventCreateWithFlags(void** event, unsigned) {
  *event = new Event;
  return hipSuccess;
}

KERNELGEN_HIP int hipEventCreate(void** event) { return hipEventCreateWithFlags(event, 0); }

KERNELGEN_HIP int hipEventRecord(void* event, void* stream) {
  *static_cast<Event*>(event) = {std::chrono::steady_clock::now(), stream_of(stream).capture};
  return hipSuccess;
}

int between_events(void* start, void* stop, void* stream, const std::function<int()>& work) {
  if (start != nullptr) hipEventRecord(start, stream);
  const int status = work();
  if (stop != nullptr) hipEventRecord(stop, stream);
  return status;
}

KERNELGEN_HIP int hipEventDestroy(void* event) {
  delete static_cast<Event*>(event);
  return hipSuccess;
}

KERNELGEN_HIP int hipEventSynchronize(void*) { return hipSuccess; }
KERNELGEN_HIP int hipEventQuery(void*) { return hipSuccess; }

KERNELGEN_HIP int hipEventElapsedTime(float* milliseconds, void* start, void* end) {
  const auto passed = static_cast<Event*>(end)->time - static_cast<Event*>(start)->time;
  *milliseconds = std::chrono::duration<float, std::milli>(passed).count();
  return hipSuccess;
}

KERNELGEN_HIP int hipThreadExchangeStreamCaptureMode(int* mode) {
  std::swap(capture_mode, *mode);
  return hipSuccess;
}

}  // namespace kernelgen::amdgpu::hip
