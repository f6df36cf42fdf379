// Keys of kernels: the text form says all that matters about a kernel and nothing else.
#include "kernels/kernel.hpp"

#include "support/hash.hpp"

namespace hasten::kernels {

support::Digest key_of(const Kernel& kernel) {
  const std::string text = print(kernel);
  return support::hash_bytes(text.data(), text.size());
}

}  // namespace hasten::kernels
