// Keys of kernels: the text form says all that matters about a kernel and nothing else.
#include "kernels/kernel.hpp"

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

namespace hasten::kernels {

Key key_of(const Kernel& kernel) {
  const std::string text = print(kernel);
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return {hash.low64, hash.high64};
}

std::string Key::hex() const {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (std::uint64_t word : {hi, lo})
    for (int shift = 60; shift >= 0; shift -= 4) text += digits[(word >> shift) & 15];
  return text;
}

}  // namespace hasten::kernels
