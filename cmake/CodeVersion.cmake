# Writes a header with a digest of the COUNT files SOURCES ("a|b|c") to OUTPUT, for the backend
# BACKEND, if the digest changes. If a file were missing from the list, kernels of an older code
# generator could be taken for this one's.
cmake_minimum_required(VERSION 3.25)

string(REPLACE "|" ";" SOURCES "${SOURCES}")
list(LENGTH SOURCES count)
if(NOT count EQUAL COUNT)
  message(FATAL_ERROR "code version: ${count} of ${COUNT} files")
endif()

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
