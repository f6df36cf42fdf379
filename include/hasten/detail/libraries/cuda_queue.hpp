// The queue on which NVIDIA's libraries run their work.
#pragma once

namespace hasten::detail {

/// A CUstream of a CUcontext that is current on this thread.
struct CudaQueue {
  void *context, *stream;
};

}  // namespace hasten::detail
