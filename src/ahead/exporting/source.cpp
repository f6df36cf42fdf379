// Data is in object files, where its size costs no compile time.
#include "ahead/exporting/source.hpp"

#include <fmt/format.h>

#include <iterator>

namespace hasten::ahead {
namespace {

using detail::LibraryEntry;

constexpr const char* functions_text = R"(
{0}_status {0}_create_context({0}_context** context, const {0}_options* options) {{
  return ({0}_status){2}()->create(&library, (void**)context,
                                   (const struct hasten_library_options*)options);
}}
{0}_status {0}_free_context({0}_context* context) {{
  return ({0}_status){2}()->free_context(&library, context);
}}
{0}_status {0}_free_array({0}_array* array) {{
  return ({0}_status){2}()->free_array(&library, array);
}}
const char* {0}_last_error(void) {{ return {2}()->last_error(); }}
)";

// "{tiny_entry_0, 1234}", a hasten_block; appends what it needs to `declarations`.
std::string block(const Embedded& data, std::string& declarations) {
  declarations += fmt::format("extern const unsigned char {}[];\n", data.symbol);
  return fmt::format("{{{}, {}}}", data.symbol, data.bytes);
}

std::string entry_function(const Library& library, const LibraryEntry& entry, std::size_t number,
                           const char* functions) {
  const std::string& name = library.name();
  std::vector<std::string> parameters{name + "_context* context"}, arguments, results;
  for (std::string& each : c_parameters(library, entry)) parameters.push_back(std::move(each));
  for (const auto& value : entry.interface.parameters)
    arguments.push_back((value.kind == detail::LibraryKind::array ? "" : "&") + value.name);
  for (const auto& value : entry.interface.results) results.push_back(value.name);
  arguments.push_back("0");  // no array without elements in C
  return fmt::format(
      "\n{0}_status {0}_{1}({2}) {{\n  const void* const arguments[] = {{{3}}};\n"
      "  void* const results[] = {{{4}}};\n"
      "  return ({0}_status){5}()->call(&library, context, {6}, arguments, results);\n}}\n",
      name, entry.name, joined(parameters, ", "), joined(arguments, ", "), joined(results, ", "),
      functions, number);
}

std::string all_functions(const Library& library, const char* functions) {
  std::string text =
      fmt::format(functions_text, library.name(), upper_case(library.name()), functions);
  for (std::size_t i = 0; i < library.entries().size(); ++i)
    text += entry_function(library, library.entries()[i], i, functions);
  return text;
}

std::string includes(const Library& library) {
  return fmt::format(
      "/* {0}.c: the functions of {0}.h. Generated; do not edit. */\n#include \"{0}.h\"\n\n"
      "#include <hasten/c_library.h>\n\n",
      library.name());
}

// The initialiser of hasten_library; tables are called "entries", "levels" and "devices".
std::string description(const Library& library, const CompiledLibrary& made,
                        const std::string& define) {
  const ArrayPlaces places = places_for(library);
  const auto table = [](bool is_empty, const char* name) { return is_empty ? "0" : name; };
  return fmt::format(
      "static const struct hasten_library library = {{\"{}\", {}, {}, {}, {}, {}, {}, {}, {}, "
      "{}, {}}};\n",
      library.name(), places.ranks, places.components, library.entries().size(), made.levels.size(),
      made.devices.size(), table(made.entries.empty(), "entries"),
      table(made.levels.empty(), "levels"),
      table(made.levels.empty() || !made.sorts, "&hasten_processor_sorter"),
      table(made.devices.empty(), "devices"), define);
}

std::string kernel_table(const LevelSource& level) {
  std::string declarations, rows;
  for (const auto& symbols : level.symbols) {
    std::vector<std::string> row;
    for (const std::string& symbol : symbols) {
      row.push_back(symbol.empty() ? "0" : symbol);
      if (!symbol.empty()) declarations += fmt::format("void {}(void);\n", symbol);
    }
    rows += fmt::format("  {{{{{}}}}},\n", joined(row, ", "));
  }
  if (rows.empty()) rows = "  {{0}},\n";
  return declarations +
         fmt::format("static const struct hasten_kernel_code kernels_{}[] = {{\n{}}};\n",
                     level.level, rows);
}

}  // namespace

std::string linked_source(const Library& library, const CompiledLibrary& made) {
  std::string text = includes(library), entry_rows, level_rows, device_rows;
  for (const Embedded& entry : made.entries)
    entry_rows += fmt::format("  {},\n", block(entry, text));
  for (const LevelSource& level : made.levels) {
    text += kernel_table(level);
    level_rows +=
        fmt::format("  {{{0}, {1}, kernels_{0}}},\n", level.level, block(level.schedules, text));
  }
  for (const DeviceSource& device : made.devices)
    device_rows += fmt::format(
        "  {{{}, {}, &{}}},\n", device.device == Device::cuda ? 2 : 3, block(device.kernels, text),
        device.device == Device::cuda ? "hasten_cuda_devices" : "hasten_opencl_devices");
  const auto table = [&](const char* type, const char* name, const std::string& rows) {
    if (!rows.empty())
      text += fmt::format("static const struct {} {}[] = {{\n{}}};\n", type, name, rows);
  };
  table("hasten_block", "entries", entry_rows);
  table("hasten_level_code", "levels", level_rows);
  table("hasten_device_code", "devices", device_rows);
  text += description(library, made, "0");
  return text + all_functions(library, "hasten_ahead_functions");
}

std::string jit_source(const Library& library, const std::string& main_name) {
  return includes(library) + fmt::format("int {}(int, char**);\n", main_name) +
         description(library, {}, main_name) + all_functions(library, "hasten_jit_functions");
}

}  // namespace hasten::ahead
