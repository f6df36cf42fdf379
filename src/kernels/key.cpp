// Keys of kernels: the text form contains all that identifies a kernel and nothing else, except for
// the texts of foreign functions, to which it refers by name.
#include "kernels/kernel.hpp"

#include "kernels/analysis/foreign_functions.hpp"
#include "support/hash.hpp"

namespace hasten::kernels {

support::Digest key_of(const Kernel& kernel) {
  std::string text = print(kernel);
  for (const detail::ForeignFunction* function : foreign_functions(kernel))
    text += function->source;
  return support::hash_bytes(text.data(), text.size());
}

}  // namespace hasten::kernels
