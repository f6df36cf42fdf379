// The header files of an exported library.
#pragma once

#include <hasten/run/library.hpp>

#include <string>
#include <vector>

namespace hasten::ahead {

/// For a library's array struct: extents and components that suffice for every entry.
struct ArrayPlaces {
  std::uint32_t ranks = 4, components = 8;
};
[[nodiscard]] ArrayPlaces places_for(const Library& library);

/// NAME.h: C11, and C++.
[[nodiscard]] std::string c_header(const Library& library);
/// NAME.hpp: C++17 on top of it, with contexts and arrays that free themselves.
[[nodiscard]] std::string cpp_header(const Library& library);

// -- shared by both -------------------------------------------------------------------------------

/// "const nbody_array* bodies, float dt, nbody_array* r0", one string per parameter.
[[nodiscard]] std::vector<std::string> c_parameters(const Library& library,
                                                    const detail::LibraryEntry& entry);
/// "float", "int64_t", "nbody_c64".
[[nodiscard]] std::string c_type(const Library& library, detail::ScalarType type);
/// "nbody_f32x3_1": the function that makes an array of these components and rank.
[[nodiscard]] std::string maker_name(const Library& library, const detail::LibraryValue& value);
/// The kinds of arrays that parameters take, each once.
[[nodiscard]] std::vector<detail::LibraryValue> kinds_of_arrays(const Library& library);
[[nodiscard]] std::string joined(const std::vector<std::string>& list, const char* between);
[[nodiscard]] std::string upper_case(std::string text);

}  // namespace hasten::ahead
