// One template with the library's names inserted; entries and makers of arrays one by one.
#include "ahead/exporting/header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace hasten::ahead {
namespace {

using detail::LibraryEntry;
using detail::LibraryKind;
using detail::LibraryValue;
using detail::ScalarType;

// {0}: name, {1}: NAME, {2}: ranks, {3}: components.
constexpr const char* c_beginning =
    R"(/* {0}.h: programs of Hasten, compiled ahead of time. Generated; do not edit. */
#ifndef {1}_H
#define {1}_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

#if defined(__GNUC__)
#define {1}_API __attribute__((visibility("default")))
#else
#define {1}_API
#endif

/* What every function returns. The text of an error is {0}_last_error(). */
typedef enum {0}_status {{
  {1}_OK = 0,
  {1}_INVALID_ARGUMENT = 1, /* null, wrong type, rank or extents, freed before, another library's */
  {1}_SHAPE_ERROR = 2,
  {1}_INDEX_ERROR = 3,      /* of entries that check */
  {1}_ARITHMETIC_ERROR = 4, /* of entries that check */
  {1}_MEMORY_ERROR = 5,
  {1}_TARGET_ERROR = 6, /* there is no code for this processor, level or target, or no such device */
  {1}_STOPPED = 7,
  {1}_INTERNAL_ERROR = 8
}} {0}_status;

typedef enum {0}_type {{
  {1}_BOOL = 0,
  {1}_I8 = 1,
  {1}_I16 = 2,
  {1}_I32 = 3,
  {1}_I64 = 4,
  {1}_U8 = 5,
  {1}_U16 = 6,
  {1}_U32 = 7,
  {1}_U64 = 8,
  {1}_F16 = 9,
  {1}_BF16 = 10,
  {1}_F32 = 11,
  {1}_F64 = 12,
  {1}_C64 = 13, /* two floats: real, imaginary */
  {1}_C128 = 14 /* two doubles */
}} {0}_type;

typedef struct {0}_c64 {{
  float re, im;
}} {0}_c64;
typedef struct {0}_c128 {{
  double re, im;
}} {0}_c128;

enum {{ {1}_RANK_MAX = {2}, {1}_COMPONENTS_MAX = {3} }};

/* Elements lie without gaps, the last index runs fastest; an array of structs has one component for
 * each member. Addresses are multiples of the element's size.
 *   Arguments: memory of the caller's, which is read during the call only.
 *   Results: a struct of zeros gets memory of the library's, which {0}_free_array gives back; a
 *     struct with types, extents and addresses is the caller's memory, which gets the elements. */
typedef struct {0}_array {{
  int32_t rank;
  int32_t components;
  uint64_t owner; /* 0: the caller's memory */
  int64_t extents[{1}_RANK_MAX];
  int32_t types[{1}_COMPONENTS_MAX]; /* {0}_type */
  void* data[{1}_COMPONENTS_MAX];
}} {0}_array;

/* Threads and programs. Several threads may share one. */
typedef struct {0}_context {0}_context;

typedef enum {0}_level {{
  {1}_BEST = 0, /* the highest that the library has and the processor can run */
  {1}_BASELINE = 1,
  {1}_AVX2 = 2,
  {1}_AVX512 = 3
}} {0}_level;

typedef enum {0}_target {{
  {1}_ANY = 0, /* the processor if the library has code for it, else what it has code for */
  {1}_PROCESSOR = 1,
  {1}_CUDA = 2,
  {1}_OPENCL = 3
}} {0}_target;

typedef struct {0}_options {{
  int32_t threads;      /* 0: HASTEN_THREADS, else as many as may run */
  int32_t level;        /* {0}_level, of the processor */
  int64_t memory_limit; /* bytes of arrays that a call may hold; 0: the entry's own limit */
  int32_t target;       /* {0}_target */
  int32_t device;       /* of CUDA or OpenCL, by its number there */
}} {0}_options;

/* `options` may be null. */
{1}_API {0}_status {0}_create_context({0}_context** context, const {0}_options* options);
/* Arrays of results live on. Null is allowed. */
{1}_API {0}_status {0}_free_context({0}_context* context);
/* The memory of a result; the struct is all zeros then. Null is allowed. */
{1}_API {0}_status {0}_free_array({0}_array* array);
/* Of this thread's last call that went wrong; "" if none has. */
{1}_API const char* {0}_last_error(void);
)";

constexpr const char* c_ending = R"(
#ifdef __cplusplus
}}
#endif

#endif
)";

// "f32x3_i32": runs of equal types.
std::string leaves_name(const std::vector<ScalarType>& leaves) {
  std::string text;
  for (std::size_t i = 0; i < leaves.size();) {
    std::size_t end = i + 1;
    while (end < leaves.size() && leaves[end] == leaves[i]) ++end;
    text += (text.empty() ? "" : "_") + std::string(name_of(leaves[i]));
    if (end - i > 1) text += "x" + std::to_string(end - i);
    i = end;
  }
  return text;
}

std::string maker(const Library& library, const LibraryValue& value) {
  const std::string& name = library.name();
  std::vector<std::string> parameters;
  std::string body = fmt::format("  {0}_array array = {{{1}, {2}, 0, {{0}}, {{0}}, {{0}}}};\n",
                                 name, value.rank, value.leaves.size());
  for (std::size_t i = 0; i < value.leaves.size(); ++i) {
    parameters.push_back(fmt::format("const {}* data{}", c_type(library, value.leaves[i]), i));
    body += fmt::format("  array.types[{0}] = {1};\n  array.data[{0}] = (void*)data{0};\n", i,
                        static_cast<int>(value.leaves[i]));
  }
  for (std::uint32_t axis = 0; axis < value.rank; ++axis) {
    parameters.push_back(fmt::format("int64_t extent{}", axis));
    body += fmt::format("  array.extents[{0}] = extent{0};\n", axis);
  }
  return fmt::format("static inline {}_array {}({}) {{\n{}  return array;\n}}\n", name,
                     maker_name(library, value), joined(parameters, ", "), body);
}

std::string description(const LibraryEntry& entry) {
  const auto words = [](const std::vector<LibraryValue>& values) {
    std::vector<std::string> list;
    for (const LibraryValue& value : values)
      if (value.kind == LibraryKind::array)
        list.push_back(
            fmt::format("{} ({}, rank {})", value.name, leaves_name(value.leaves), value.rank));
    return list.empty() ? std::string("no arrays") : joined(list, ", ");
  };
  return fmt::format("/* {}: takes {}; gives {}. */\n", entry.name,
                     words(entry.interface.parameters), words(entry.interface.results));
}

}  // namespace

ArrayPlaces places_for(const Library& library) {
  ArrayPlaces places;
  for (const LibraryEntry& entry : library.entries())
    for (const auto* values : {&entry.interface.parameters, &entry.interface.results})
      for (const LibraryValue& value : *values) {
        places.ranks = std::max(places.ranks, value.rank);
        places.components =
            std::max(places.components, static_cast<std::uint32_t>(value.leaves.size()));
      }
  return places;
}

std::string joined(const std::vector<std::string>& list, const char* between) {
  return fmt::format("{}", fmt::join(list, between));
}

std::string upper_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string c_type(const Library& library, ScalarType type) {
  switch (type) {
    case ScalarType::boolean: return "bool";
    case ScalarType::f32: return "float";
    case ScalarType::f64: return "double";
    case ScalarType::f16:
    case ScalarType::bf16: return "uint16_t";
    case ScalarType::c64: return library.name() + "_c64";
    case ScalarType::c128: return library.name() + "_c128";
    default: break;
  }
  const std::string bits = std::to_string(8 * detail::size_in_bytes(type));
  return (detail::is_signed_int(type) ? "int" : "uint") + bits + "_t";
}

std::string maker_name(const Library& library, const LibraryValue& value) {
  return fmt::format("{}_{}_{}", library.name(), leaves_name(value.leaves), value.rank);
}

std::vector<LibraryValue> kinds_of_arrays(const Library& library) {
  std::vector<LibraryValue> kinds;
  std::set<std::string> known;
  for (const LibraryEntry& entry : library.entries())
    for (const LibraryValue& value : entry.interface.parameters)
      if (value.kind == LibraryKind::array && known.insert(maker_name(library, value)).second)
        kinds.push_back(value);
  return kinds;
}

std::vector<std::string> c_parameters(const Library& library, const LibraryEntry& entry) {
  std::vector<std::string> list;
  for (const LibraryValue& value : entry.interface.parameters)
    list.push_back(value.kind == LibraryKind::array
                       ? fmt::format("const {}_array* {}", library.name(), value.name)
                       : fmt::format("{} {}", c_type(library, value.leaves[0]), value.name));
  for (const LibraryValue& value : entry.interface.results)
    list.push_back(value.kind == LibraryKind::array
                       ? fmt::format("{}_array* {}", library.name(), value.name)
                       : fmt::format("{}* {}", c_type(library, value.leaves[0]), value.name));
  return list;
}

std::string c_header(const Library& library) {
  const ArrayPlaces places = places_for(library);
  const std::string& name = library.name();
  const std::string caps = upper_case(name);
  std::string text = fmt::format(c_beginning, name, caps, places.ranks, places.components);
  text += "\n/* Arguments in memory of the caller's: addresses of components, then extents. */\n";
  for (const LibraryValue& kind : kinds_of_arrays(library)) text += maker(library, kind);
  for (const LibraryEntry& entry : library.entries()) {
    std::vector<std::string> parameters{name + "_context* context"};
    for (std::string& each : c_parameters(library, entry)) parameters.push_back(std::move(each));
    text += "\n" + description(entry) +
            fmt::format("{}_API {}_status {}_{}({});\n", caps, name, name, entry.name,
                        joined(parameters, ", "));
  }
  return text + fmt::format(c_ending);
}

}  // namespace hasten::ahead
