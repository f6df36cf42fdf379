// The command `hasten`: shows what this machine offers and what the kernel cache holds.
#include "commands.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <iostream>
#include <string>

namespace {

bool has_subcommand(const CLI::App& app, const std::string& name) {
  return std::ranges::any_of(app.get_subcommands({}),
                             [&](const CLI::App* each) { return each->get_name() == name; });
}

int no_subcommand(const CLI::App& app, const std::string& name, int code) {
  std::cerr << "hasten: there is no subcommand \"" << name << "\"; there are";
  const char* before = " ";
  for (const CLI::App* each : app.get_subcommands({})) {
    std::cerr << before << each->get_name();
    before = ", ";
  }
  std::cerr << '\n';
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Hasten, an embedded data-parallel array language");
  app.set_version_flag("--version", "hasten " HASTEN_VERSION);
  app.require_subcommand(1);
  bool remeasures = false;
  CLI::App* info =
      app.add_subcommand("info", "targets, speeds, libraries, switches: what this machine offers");
  info->add_flag("--remeasure", remeasures, "measure the machine anew");
  info->callback([&] { hasten_tool::info(std::cout, remeasures); });
  bool clears = false;
  CLI::App* cache = app.add_subcommand("cache", "what the cache of compiled kernels holds");
  cache->add_flag("--clear", clears, "remove all kernels");
  cache->callback([&] { hasten_tool::cache(std::cout, clears); });
  hasten_tool::HirOptions options;
  CLI::App* hir = app.add_subcommand(
      "hir", "reads a program, or kernels, in the text form of HASTEN_DUMP=core, kernels");
  hir->add_option("file", options.file)->required();
  hir->add_option("--passes", options.passes, "passes to run, in order, or all")->delimiter(',');
  hir->add_option("--emit", options.emit, "core, plan, kernels, or a target's llvm, asm");
  hir->add_option("--target", options.target, "cpu, interpreter, ...");
  hir->add_flag("--run", options.runs, "run it and show the results");
  hir->add_option("--array", options.arrays,
                  "extents of an argument, 3x4, or of an array of `use`; element i is i % 10");
  hir->add_option("--scalar", options.scalars, "a number as argument");
  hir->callback([&] { hasten_tool::hir(std::cout, options); });
  hasten_tool::SimulateOptions model;
  CLI::App* simulate = app.add_subcommand(
      "simulate", "what a program (HASTEN_DUMP=core) would take on a machine that is not here");
  simulate->add_option("file", model.file)->required();
  simulate->add_option("--machine", model.machine, "its devices and links: docs/simulation.md")
      ->required();
  simulate->add_option("--devices", model.devices, "numbers of devices, a line for each")
      ->delimiter(',');
  simulate->add_option("--array", model.arrays, "extents of an argument, 3x4");
  simulate->add_option("--scalar", model.scalars, "a number as argument");
  simulate->add_option("--kept", model.kept, "of what is compacted, which share is kept")
      ->check(CLI::Range(0.0, 1.0));
  simulate->callback([&] { hasten_tool::simulate(std::cout, model); });
  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError& e) {
    if (argc > 1 && argv[1][0] != '-' && !has_subcommand(app, argv[1]))
      return no_subcommand(app, argv[1], e.get_exit_code());
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return app.exit(e);
  } catch (const std::exception& e) {
    std::cerr << "hasten: " << e.what() << '\n';
    return 1;
  }
  if (std::cout.flush()) return 0;
  std::cerr << "hasten: what was to be shown could not be written\n";
  return 1;
}
