// Fills memory with equal elements: initial outputs of scatters, flags of chained scans. Elements
// are words of some width, or, if complex, pairs of words.
#include "backends/c_like/text/skeletons/skeletons.hpp"

namespace hasten::backends::c_like {

const char* fill_function(std::size_t word_bytes) {
  switch (word_bytes) {
    case 1: return "hasten_fill_8";
    case 2: return "hasten_fill_16";
    case 4: return "hasten_fill_32";
    default: return "hasten_fill_64";
  }
}

std::string fill_source(const Dialect& dialect) {
  std::string text = prelude_types(dialect, IndexWidth::wide);
  for (const std::size_t bytes : {1, 2, 4, 8}) {
    const std::string word = "u" + std::to_string(8 * bytes);
    text += std::string("KERNEL ") + fill_function(bytes) + "(GLOBAL " + word +
            "* to, const ix words, const " + word + " even, const " + word + " odd) {\n" +
            "  EACH(at, words) to[at] = (at & 1) != 0 ? odd : even;\n}\n";
  }
  return text;
}

}  // namespace hasten::backends::c_like
