// Finds kernels in the preprocessed text, where no macro hides them. Adds, for each kernel, a
// function that calls it with arguments by address, and a record.
#include "tests/fake_cuda/translate.hpp"

#include <cctype>
#include <stdexcept>

namespace fake_cuda {

const char* const shim =
#include "tests/fake_cuda/shim.inc"
    ;

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Scanner {
 public:
  explicit Scanner(std::string& text) : text_(text) {}

  [[nodiscard]] std::vector<Entry> run() {
    std::vector<Entry> entries;
    while (position_ < text_.size()) {
      const std::string word = next();
      if (word == "__global__") {
        if (depth_ > 0) throw std::runtime_error("a __global__ function inside another");
        blank(word.size());
        Entry entry = head();
        if (peek() == "{") entries.push_back(std::move(entry));
      } else if (word == "__launch_bounds__") {
        throw std::runtime_error("__launch_bounds__ without __global__ before it");
      } else if (word == "__shared__") {
        if (depth_ == 0 || entries.empty())
          throw std::runtime_error("a __shared__ variable outside a kernel");
        entries.back().has_shared = true;
        replace(word.size(), "static __attribute__((used, section(\"" +
                                 shared_section(entries.back().name) + "\")))");
      } else if (word == "{") {
        ++depth_;
      } else if (word == "}") {
        --depth_;
      }
    }
    return entries;
  }

 private:
  // The next word or character, or nothing at the end; skips string literals and preprocessor
  // lines.
  std::string next() {
    for (; position_ < text_.size(); ++position_) {
      const char c = text_[position_];
      if (c == '#' && (position_ == 0 || text_[position_ - 1] == '\n')) {
        position_ = std::min(text_.find('\n', position_), text_.size() - 1);
      } else if (c == '"') {
        while (text_[++position_] != '"')
          if (text_[position_] == '\\') ++position_;
      } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
        break;
      }
    }
    const std::size_t begin = position_;
    if (begin == text_.size()) return {};
    while (position_ < text_.size() && is_word(text_[position_])) ++position_;
    if (position_ == begin) ++position_;
    return text_.substr(begin, position_ - begin);
  }
  std::string peek() {
    const std::size_t here = position_;
    std::string word = next();
    position_ = here;
    return word;
  }

  void replace(std::size_t length, const std::string& by) {
    text_.replace(position_ - length, length, by);
    position_ += by.size() - length;
  }
  void blank(std::size_t length) { replace(length, std::string(length, ' ')); }

  // void __launch_bounds__(256) name(parameters)
  Entry head() {
    Entry entry;
    for (;;) {
      const std::string word = next();
      if (word == "__launch_bounds__") {
        const std::size_t begin = position_ - word.size();
        if (next() != "(") throw std::runtime_error("__launch_bounds__ without numbers");
        const std::vector<std::string> numbers = list();
        entry.threads_max = numbers.at(0);
        for (std::size_t i = begin; i < position_; ++i) text_[i] = ' ';
      } else if (word == "(") {
        break;
      } else if (word.empty() || word == ";" || word == "{") {
        throw std::runtime_error("a __global__ function without parameters");
      } else {
        entry.name = word;
      }
    }
    for (std::string& parameter : list()) {
      while (!parameter.empty() && !is_word(parameter.back())) parameter.pop_back();
      while (!parameter.empty() && is_word(parameter.back())) parameter.pop_back();
      entry.parameters.push_back(std::move(parameter));
    }
    return entry;
  }

  // The parts between commas up to the closing parenthesis.
  std::vector<std::string> list() {
    std::vector<std::string> parts;
    std::string part;
    for (int open = 1;;) {
      const std::string word = next();
      if (word.empty()) throw std::runtime_error("a list without an end");
      if (word == "(") ++open;
      if (word == ")" && --open == 0) break;
      if (word == "," && open == 1) {
        parts.push_back(std::move(part));
        part.clear();
      } else {
        part += (part.empty() ? "" : " ") + word;
      }
    }
    if (!part.empty()) parts.push_back(std::move(part));
    return parts;
  }

  std::string& text_;
  std::size_t position_ = 0;
  int depth_ = 0;
};

void add_caller(std::string& text, const Entry& entry) {
  const std::string& name = entry.name;
  text += "static void fake_cuda_call_" + name + "(void** a) {\n  " + name + "(";
  for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
    if (i > 0) text += ", ";
    text += "*(fake_cuda::Plain<" + entry.parameters[i] + ">::type*)a[" + std::to_string(i) + "]";
  }
  text += ");\n  (void)a;\n}\nstatic const unsigned fake_cuda_sizes_" + name + "[] = {";
  for (const std::string& parameter : entry.parameters)
    text += "fake_cuda::size<" + parameter + ">, ";
  text += "0};\n";
  if (!entry.has_shared) return;
  for (const char* const edge : {"__start_", "__stop_"})
    text += std::string("extern \"C\" __attribute__((visibility(\"hidden\"))) char ") + edge +
            shared_section(name) + "[];\n";
}

}  // namespace

std::string shared_section(const std::string& kernel) { return "fake_shared_" + kernel; }

std::string translate(std::string text, int architecture) {
  const std::vector<Entry> entries = Scanner(text).run();
  text += "\n# 1 \"records\"\n";
  for (const Entry& entry : entries) add_caller(text, entry);
  const std::string visible = "extern \"C\" { __attribute__((visibility(\"default\"))) ";
  text += visible + "fake_cuda::KernelRecord fake_cuda_kernels[] = {\n";
  for (const Entry& entry : entries) {
    const std::string edges = entry.has_shared ? "__start_" + shared_section(entry.name) +
                                                     ", __stop_" + shared_section(entry.name)
                                               : "0, 0";
    text += "  {\"" + entry.name + "\", fake_cuda_call_" + entry.name + ", fake_cuda_sizes_" +
            entry.name + ", " + std::to_string(entry.parameters.size()) + ", " + entry.threads_max +
            ", " + edges + "},\n";
  }
  text += "  {0, 0, 0, 0, 0, 0, 0}};\n}\n";
  text += visible + "int fake_cuda_architecture = " + std::to_string(architecture) + ";\n}\n";
  return text;
}

}  // namespace fake_cuda
