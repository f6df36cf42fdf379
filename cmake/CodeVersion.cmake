# Writes a header with a digest of SOURCES to OUTPUT, for the backend BACKEND, if it changes.
cmake_minimum_required(VERSION 3.25)

set(digests "")
foreach(source IN LISTS SOURCES)
  file(SHA256 "${source}" digest)
  string(APPEND digests "${digest}")
endforeach()
string(SHA256 digest "${digests}")
string(SUBSTRING "${digest}" 0 16 digest)
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT
"// Made by the build.
#pragma once

namespace hasten::backends::@BACKEND@ {
inline constexpr char code_version[] = \"@digest@\";
}
" @ONLY)
