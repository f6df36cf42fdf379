// Preprocesses, translates and compiles in a temporary folder. A cache by content is optional:
// several processes that test the same texts then compile each text once.
#include "tests/fake_cuda/compile.hpp"

#include "tests/fake_cuda/translate.hpp"

#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace fake_cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t shared_max = 48 * 1024;  // static, on every device

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

void spill(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// A folder that the destructor removes, unless FAKE_CUDA_KEEP names its parent.
class Folder {
 public:
  Folder() {
    const char* const parent = std::getenv("FAKE_CUDA_KEEP");
    kept_ = parent != nullptr;
    std::string name = (parent ? fs::path(parent) : fs::temp_directory_path()) / "fake_cuda.XXXXXX";
    if (!mkdtemp(name.data())) throw std::runtime_error("cannot make " + name);
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    if (!kept_) fs::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path path;

 private:
  bool kept_;
};

// Runs a program and writes its messages to a file. Throws if the program fails.
void run(std::vector<std::string> command, const fs::path& messages) {
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, messages.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                   0600);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error(command[0] + ": " + std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  if (status != 0) throw std::runtime_error(slurp(messages) + command[0] + " failed");
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::vector<std::string> compiler(bool contract) {
  const char* const other = std::getenv("FAKE_CUDA_COMPILER");
  std::vector<std::string> command = {other ? other : FAKE_CUDA_COMPILER};
  for (const char* option : {"-std=c++20", "-w", "-O1", "-fPIC", "-fvisibility=hidden", "-pipe"})
    command.emplace_back(option);
  command.emplace_back(contract ? "-ffp-contract=fast" : "-ffp-contract=off");
  for (std::string& word : words(FAKE_CUDA_COMPILER_OPTIONS)) command.push_back(std::move(word));
  return command;
}

void append(std::vector<std::string>& command, std::initializer_list<std::string> more) {
  command.insert(command.end(), more);
}

template <class T>
const T* at(const void* bytes, std::size_t offset) {
  return reinterpret_cast<const T*>(static_cast<const char*>(bytes) + offset);
}

// CUDA's assembler rejects kernels whose variables do not fit.
void check_shared(const std::string& image) {
  const auto* const head = at<Elf64_Ehdr>(image.data(), 0);
  const auto* const sections = at<Elf64_Shdr>(image.data(), head->e_shoff);
  const char* const names = image.data() + sections[head->e_shstrndx].sh_offset;
  const std::string prefix = shared_section("");
  for (int i = 0; i < head->e_shnum; ++i) {
    const std::string name = names + sections[i].sh_name;
    if (name.starts_with(prefix) && sections[i].sh_size > shared_max)
      throw std::runtime_error(
          "Entry function '" + name.substr(prefix.size()) + "' uses too much shared data (" +
          std::to_string(sections[i].sh_size) + " bytes, " + std::to_string(shared_max) + " max)");
  }
}

std::string build(const std::string& text, int architecture, bool contract) {
  const Folder folder;
  const fs::path source = folder.path / "kernel.cpp", plain = folder.path / "kernel.ii",
                 object = folder.path / "kernel.so", messages = folder.path / "log";
  spill(source, std::string(shim) + text);
  std::vector<std::string> command = compiler(contract);
  append(command, {"-E", source, "-o", plain});
  run(command, messages);
  spill(plain, translate(slurp(plain), architecture));
  command = compiler(contract);
  for (std::string& word : words(FAKE_CUDA_LINK_OPTIONS)) command.push_back(std::move(word));
  append(command, {"-shared", "-nostartfiles", plain, "-o", object, "-lm"});
  run(command, messages);
  std::string image = slurp(object);
  if (image_size(image.data()) > image.size()) throw std::runtime_error("a broken object");
  check_shared(image);
  return image;
}

// The name of an image in FAKE_CUDA_CACHE; the first part of the image is the whole text.
fs::path cache_file(const std::string& text) {
  const char* const folder = std::getenv("FAKE_CUDA_CACHE");
  if (!folder) return {};
  return fs::path(folder) / (std::to_string(std::hash<std::string>()(text)) + ".image");
}

}  // namespace

std::size_t image_size(const void* bytes) {
  if (std::memcmp(bytes, ELFMAG, SELFMAG) != 0) return 0;
  const auto* const head = at<Elf64_Ehdr>(bytes, 0);
  std::size_t end = head->e_shoff + std::size_t{head->e_shnum} * head->e_shentsize;
  const auto* const sections = at<Elf64_Shdr>(bytes, head->e_shoff);
  for (int i = 0; i < head->e_shnum; ++i)
    if (sections[i].sh_type != SHT_NOBITS)
      end = std::max<std::size_t>(end, sections[i].sh_offset + sections[i].sh_size);
  return end;
}

Compiled compile(const std::string& text, int architecture, bool contract) try {
  std::string key = std::to_string(architecture) + (contract ? " contract " : " ");
  for (const std::string& word : compiler(contract)) key += word + " ";
  key += shim + text;
  const fs::path cached = cache_file(key);
  if (!cached.empty() && fs::exists(cached)) {
    const std::string content = slurp(cached);
    if (content.starts_with(key)) return {true, content.substr(key.size()), {}};
  }
  Compiled result{true, build(text, architecture, contract), {}};
  if (!cached.empty()) {
    fs::create_directories(cached.parent_path());
    const fs::path own = cached.string() + "." + std::to_string(getpid()) + "." +
                         std::to_string(reinterpret_cast<std::uintptr_t>(&result));
    spill(own, key + result.image);
    fs::rename(own, cached);
  }
  return result;
} catch (const std::exception& error) {
  return {false, {}, error.what()};
}

}  // namespace fake_cuda
