// Errors of kernels appear in later calls, and end the context: the driver repeats them for ever.
#include "backends/cuda/context.hpp"

#include <hasten/run/error.hpp>

namespace hasten::backends::cuda {
namespace {

// Errors that a correct kernel cannot cause: a bug of the code generator.
bool is_of_a_kernel(CUresult error) {
  switch (error) {
    case illegal_address:
    case device_assert:
    case hardware_stack_error:
    case illegal_instruction:
    case misaligned_address:
    case invalid_address_space:
    case invalid_pc:
    case launch_failed: return true;
    default: return false;
  }
}

bool ends_the_context(CUresult error) {
  return is_of_a_kernel(error) || error == launch_timeout || error == ecc_uncorrectable ||
         error == context_is_destroyed || error == unknown_error || error == device_unavailable;
}

}  // namespace

Context::Context(const Library& library, CUdevice device, std::string name)
    : library_(library),
      device_(device),
      name_(std::move(name)) {
  check("cuDevicePrimaryCtxRetain", library_.cuDevicePrimaryCtxRetain(&context_, device_));
}

Context::~Context() { library_.cuDevicePrimaryCtxRelease_v2(device_); }

Context::Current::Current(const Context& context) : context_(context) {
  context.check("cuCtxPushCurrent", context.library_.cuCtxPushCurrent_v2(context.context_));
}

Context::Current::~Current() {
  CUcontext same = nullptr;
  context_.library_.cuCtxPopCurrent_v2(&same);
}

void Context::check(const char* what, CUresult error) const {
  if (error != success) fail(what, error);
}

void Context::fail(const char* what, CUresult error) const {
  CUresult none = success;  // the first error that ends the context is the cause
  if (ends_the_context(error)) lost_.compare_exchange_strong(none, error);
  const std::string message = name_ + ": " + what + " failed: " + library_.words(error);
  if (is_lost()) {
    const std::string lost =
        message + "; the device is lost to this process, which must be started again";
    if (is_of_a_kernel(lost_)) throw InternalError(lost + ". A kernel did what it must not");
    throw TargetError(lost);
  }
  if (error == out_of_memory)
    throw MemoryError(message + "; use smaller extents, or work in parts");
  if (error == unsupported_ptx_version)
    throw TargetError(
        message + "; NVRTC is newer than the driver: name an older one in HASTEN_NVRTC_LIBRARY");
  throw TargetError(message);
}

Stream::Stream(const Context& context) : context_(context) {
  context.check("cuStreamCreate", context.library().cuStreamCreate(&stream_, stream_non_blocking));
}

Stream::~Stream() {
  context_.library().cuStreamSynchronize(stream_);
  context_.library().cuStreamDestroy_v2(stream_);
}

void Stream::synchronize() const {
  context_.check("cuStreamSynchronize", context_.library().cuStreamSynchronize(stream_));
}

Event::Event(const Context& context, bool has_time) : context_(context) {
  context.check("cuEventCreate",
                context.library().cuEventCreate(&event_, has_time ? 0 : event_disable_timing));
}

Event::~Event() { context_.library().cuEventDestroy_v2(event_); }

void Event::record(const Stream& stream) const {
  context_.check("cuEventRecord", context_.library().cuEventRecord(event_, stream.handle()));
}

void Event::wait_on(const Stream& stream) const {
  context_.check("cuStreamWaitEvent",
                 context_.library().cuStreamWaitEvent(stream.handle(), event_, 0));
}

void Event::synchronize() const {
  context_.check("cuEventSynchronize", context_.library().cuEventSynchronize(event_));
}

bool Event::is_done() const { return context_.library().cuEventQuery(event_) != not_ready; }

double Event::milliseconds_since(const Event& other) const {
  float result = 0;
  context_.check("cuEventElapsedTime",
                 context_.library().cuEventElapsedTime(&result, other.event_, event_));
  return static_cast<double>(result);
}

}  // namespace hasten::backends::cuda
