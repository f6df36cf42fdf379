// Shared by the fake's tests: a device with a context, and functions made from texts.
#pragma once

#include "tests/fake_cuda/abi.hpp"
#include "tests/fake_cuda/control.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fake_cuda::test {

/// Compiles with NVRTC's functions; has the log if that fails.
struct Image {
  std::string cubin, ptx, log;
  nvrtcResult result = NVRTC_SUCCESS;
};
Image compile(const std::string& text, std::vector<std::string> options = {"-arch=sm_90"});

/// The first device, its context current, and a stream.
class Cuda : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  CUmodule load(const std::string& text);
  CUfunction function(CUmodule module, const char* name);
  /// A buffer that holds these numbers.
  CUdeviceptr buffer(const std::vector<int>& numbers);
  std::vector<int> numbers(CUdeviceptr address, std::size_t count);
  /// Launches `blocks` blocks of `threads` threads.
  CUresult launch(CUfunction function, unsigned blocks, unsigned threads,
                  std::vector<void*> arguments);
  CUresult finish() { return cuStreamSynchronize(stream); }

  CUcontext context = nullptr;
  CUstream stream = nullptr;
  FakeCudaCounts before = {};
  long long mistakes_expected = 0;

 private:
  std::vector<CUmodule> modules_;
  std::vector<CUdeviceptr> buffers_;
};

}  // namespace fake_cuda::test
