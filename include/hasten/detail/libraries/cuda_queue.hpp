// Where NVIDIA's libraries do what they are told.
#pragma once

namespace hasten::detail {

/// A CUstream of a CUcontext, which is the thread's current one.
struct CudaQueue {
  void *context, *stream;
};

}  // namespace hasten::detail
