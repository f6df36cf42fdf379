// export_main: writes the files of a library, in the program that has its entries.
//
//   PROGRAM --name NAME --out FOLDER [--targets cpu,cuda,opencl] [--levels baseline,avx2,avx512]
//           [--jit]
//
// in:  the library; FOLDER, which exists
// out: NAME.h, NAME.hpp, NAME.c and NAME_kernels.a; with --jit NAME.cpp in place of the last two
#include "ahead/call/jit_programs.hpp"
#include "ahead/exporting/compile.hpp"
#include "ahead/exporting/header.hpp"
#include "ahead/exporting/source.hpp"

#include <hasten/run/error.hpp>
#include <hasten/run/library.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <optional>
#include <sstream>

namespace hasten {
namespace ahead {
namespace {

struct Wanted {
  std::string name, folder = ".";
  Targets targets;
  bool jit = false;
};

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

std::vector<backends::cpu::Level> parse_levels(const std::string& text) {
#ifndef __x86_64__
  return {backends::cpu::Level::baseline};
#endif
  std::vector<backends::cpu::Level> levels;
  for (const std::string& word : words_of(text)) {
    const auto level = backends::cpu::level_named(word);
    if (!level)
      throw Error("there is no level \"" + word + "\"; there are baseline, avx2 and avx512");
    if (std::ranges::find(levels, *level) == levels.end()) levels.push_back(*level);
  }
  std::ranges::sort(levels);
  return levels;
}

Targets parse_targets(const std::string& text, const std::string& levels) {
  Targets targets;
  for (const std::string& word : words_of(text)) {
    if (word == "cpu") {
      targets.levels = parse_levels(levels);
      continue;
    }
    if (word != "cuda" && word != "opencl")
      throw Error("there is no target \"" + word + "\"; there are cpu, cuda and opencl");
    const Device device = word == "cuda" ? Device::cuda : Device::opencl;
    if (std::ranges::find(targets.devices, device) == targets.devices.end())
      targets.devices.push_back(device);
  }
  return targets;
}

Wanted parse_arguments(const std::vector<std::string>& arguments) {
  Wanted wanted;
  std::string targets = "cpu", levels = "baseline,avx2,avx512";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string* to = arguments[i] == "--name"      ? &wanted.name
                      : arguments[i] == "--out"     ? &wanted.folder
                      : arguments[i] == "--targets" ? &targets
                      : arguments[i] == "--levels"  ? &levels
                                                    : nullptr;
    if (arguments[i] == "--jit")
      wanted.jit = true;
    else if (to && i + 1 < arguments.size())
      *to = arguments[++i];
    else
      throw Error("\"" + arguments[i] +
                  "\" is not understood; known are --name NAME, --out FOLDER, --targets "
                  "cpu,cuda,opencl, --levels baseline,avx2,avx512 and --jit");
  }
  wanted.targets = parse_targets(targets, levels);
  if (wanted.targets.levels.empty() && wanted.targets.devices.empty() && !wanted.jit)
    throw Error("there is no level and no device to compile for");
  return wanted;
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw Error("cannot write " + path);
}

void export_library(const Library& library, const Wanted& wanted) {
  if (!wanted.name.empty() && wanted.name != library.name())
    throw Error("the library is called \"" + library.name() + "\" in the program and \"" +
                wanted.name + "\" where it is built; give both one name");
  if (library.entries().empty())
    throw Error("the library \"" + library.name() + "\" has no entries");
  const std::string path = wanted.folder + "/" + library.name();
  const std::string source = [&] {
    if (wanted.jit) return jit_source(library, library.name() + "_define");
    return linked_source(library, compile_library(library, wanted.targets, path + "_kernels.a"));
  }();
  write(path + ".h", c_header(library));
  write(path + ".hpp", cpp_header(library));
  write(path + (wanted.jit ? ".cpp" : ".c"), source);
}

}  // namespace
}  // namespace ahead

int export_main(int argc, char** argv, const Library& library) {
  if (ahead::take_definition(library)) return 0;
  try {
    ahead::export_library(library, ahead::parse_arguments({argv + 1, argv + argc}));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argc > 0 ? argv[0] : "export", error.what());
    return 1;
  }
}

}  // namespace hasten
