# hasten_add_library(NAME SOURCES FILE... [TARGETS cpu cuda opencl|jit]
#                    [LEVELS baseline avx2 avx512] [SHARED|STATIC])
#
# in:  a program whose main function is `return hs::export_main(argc, argv, hs::library("NAME")...)`
# out: a target NAME, with NAME.h (C11) and NAME.hpp (C++17): linked to it, C and C++ call the
#      library's entries. docs/libraries.md is about both.
#
# With TARGETS cpu, the default, machine code is made when NAME is built, for each level; with cuda and
# opencl, alone or beside it, the texts of kernels, and code for CUDA's driver where NVRTC is; the
# library then needs nothing of Hasten's. With TARGETS jit the same functions compile when a context is made,
# on the target that is chosen there, and NAME is linked to Hasten.
include_guard(GLOBAL)

# Functions that kernels may call; the static library if there is one.
find_library(HASTEN_SLEEF_LIBRARY NAMES libsleef.a sleef)
mark_as_advanced(HASTEN_SLEEF_LIBRARY)

function(hasten_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SHARED;STATIC" "" "SOURCES;TARGETS;LEVELS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "hasten_add_library(${name} SOURCES FILE... [TARGETS cpu cuda opencl|jit] "
                        "[LEVELS ...] [SHARED|STATIC]): not understood: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "C" IN_LIST languages)
    message(FATAL_ERROR "hasten_add_library(${name}) compiles C: project(... LANGUAGES C CXX)")
  endif()
  if(NOT arg_TARGETS)
    set(arg_TARGETS cpu)
  endif()
  foreach(target IN LISTS arg_TARGETS)
    if(NOT target MATCHES "^(cpu|cuda|opencl)$" AND NOT arg_TARGETS STREQUAL "jit")
      message(FATAL_ERROR "hasten_add_library(${name}): TARGETS are cpu, cuda and opencl, or jit "
                          "alone, not ${arg_TARGETS}")
    endif()
  endforeach()
  if(arg_LEVELS AND NOT "cpu" IN_LIST arg_TARGETS)
    message(FATAL_ERROR "hasten_add_library(${name}): LEVELS are of TARGETS cpu; what is compiled at "
                        "run time is made for the machine that it runs on")
  endif()
  set(kind SHARED)
  if(arg_STATIC OR (NOT arg_SHARED AND DEFINED BUILD_SHARED_LIBS AND NOT BUILD_SHARED_LIBS))
    set(kind STATIC)
  endif()
  if(NOT arg_LEVELS)
    set(arg_LEVELS baseline avx2 avx512)
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}_library")
  file(MAKE_DIRECTORY "${folder}")
  add_executable(${name}_export ${arg_SOURCES})
  target_link_libraries(${name}_export PRIVATE hasten::hasten)
  if(arg_TARGETS STREQUAL "jit")
    _hasten_jit_library(${name} ${kind} "${folder}" "${arg_SOURCES}")
  elseif(TARGET hasten::runtime)
    _hasten_linked_library(${name} ${kind} "${folder}" "${arg_TARGETS}" "${arg_LEVELS}")
  else()
    message(FATAL_ERROR "hasten_add_library(${name}): this Hasten was built without LLVM; TARGETS "
                        "jit does without")
  endif()
  target_include_directories(${name} PUBLIC "${folder}")
endfunction()

function(_hasten_linked_library name kind folder targets levels)
  list(JOIN targets "," targets)
  list(JOIN levels "," levels)
  add_custom_command(
    OUTPUT "${folder}/${name}.c" "${folder}/${name}.h" "${folder}/${name}.hpp"
           "${folder}/${name}_kernels.a"
    COMMAND ${name}_export --name ${name} --out "${folder}" --targets ${targets}
            --levels ${levels}
    DEPENDS ${name}_export
    COMMENT "Exporting ${name}"
    VERBATIM)
  add_library(${name} ${kind} "${folder}/${name}.c" "${folder}/${name}.h" "${folder}/${name}.hpp")
  target_include_directories(${name} PRIVATE
    "$<TARGET_PROPERTY:hasten::hasten,INTERFACE_INCLUDE_DIRECTORIES>")
  # A static library passes on its dependencies; a shared one contains them and exports its own
  # functions only.
  target_link_libraries(${name} PRIVATE "${folder}/${name}_kernels.a" hasten::runtime m)
  if(HASTEN_SLEEF_LIBRARY)
    target_link_libraries(${name} PRIVATE "${HASTEN_SLEEF_LIBRARY}")
  endif()
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX C_VISIBILITY_PRESET hidden
                                           C_STANDARD 11 POSITION_INDEPENDENT_CODE ON)
  target_link_options(${name} PRIVATE -Wl,--as-needed -Wl,--gc-sections -Wl,--exclude-libs,ALL)
  if(NOT HASTEN_SANITIZE)  # which replace the C++ library's functions
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc -Wl,-z,defs)
  endif()
endfunction()

function(_hasten_jit_library name kind folder sources)
  add_custom_command(
    OUTPUT "${folder}/${name}.cpp" "${folder}/${name}.h" "${folder}/${name}.hpp"
    COMMAND ${name}_export --name ${name} --out "${folder}" --jit
    DEPENDS ${name}_export
    COMMENT "Exporting ${name}"
    VERBATIM)
  add_library(${name} ${kind} ${sources} "${folder}/${name}.cpp" "${folder}/${name}.h"
                              "${folder}/${name}.hpp")
  target_compile_definitions(${name} PRIVATE main=${name}_define)
  target_link_libraries(${name} PRIVATE hasten::hasten)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()
