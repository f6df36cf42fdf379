// The command `hasten`: what this machine offers, what the kernel cache holds.
#include "commands.hpp"

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
  CLI::App app("Hasten, an embedded data-parallel array language");
  app.set_version_flag("--version", "hasten " HASTEN_VERSION);
  app.require_subcommand(1);
  app.add_subcommand("info", "targets, libraries, threads, switches: what this machine offers")
      ->callback([] { hasten_tool::info(std::cout); });
  bool clears = false;
  CLI::App* cache = app.add_subcommand("cache", "what the cache of compiled kernels holds");
  cache->add_flag("--clear", clears, "remove everything in it");
  cache->callback([&] { hasten_tool::cache(std::cout, clears); });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e);
  } catch (const std::exception& e) {
    std::cerr << "hasten: " << e.what() << '\n';
    return 1;
  }
  return 0;
}
