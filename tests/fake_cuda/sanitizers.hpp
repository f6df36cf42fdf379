// The sanitizers of this compilation, as either compiler announces them.
#pragma once

#if defined(__has_feature)
#define FAKE_CUDA_HAS(feature) __has_feature(feature)
#else
#define FAKE_CUDA_HAS(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || FAKE_CUDA_HAS(address_sanitizer)
#define FAKE_CUDA_ASAN 1
#else
#define FAKE_CUDA_ASAN 0
#endif
#if defined(__SANITIZE_THREAD__) || FAKE_CUDA_HAS(thread_sanitizer)
#define FAKE_CUDA_TSAN 1
#else
#define FAKE_CUDA_TSAN 0
#endif
