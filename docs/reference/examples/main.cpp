// Prints what the examples show: page, example and text of each line, separated by tabs.
#include "docs/reference/examples/example.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace examples {
namespace {

struct Example {
  std::string page, name;
  void (*function)();
};

std::vector<Example>& all() {
  static std::vector<Example> examples;
  return examples;
}

const Example* current = nullptr;

}  // namespace

Registered::Registered(const char* file, const char* name, void (*function)()) {
  all().push_back({std::filesystem::path(file).stem().string(), name, function});
}

void print_line(const std::string& text) {
  std::cout << current->page << '\t' << current->name << '\t' << text << '\n';
}

}  // namespace examples

int main() {
  for (const examples::Example& example : examples::all()) {
    examples::current = &example;
    example.function();
  }
}
