# How Hasten's own targets are compiled: language level, warnings, sanitizers, fast tools.
# Every target of this tree calls hasten_target(<name>); nothing here reaches a user's targets.

if(HASTEN_FAST_TOOLS)
  find_program(HASTEN_CCACHE ccache)
  if(HASTEN_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    # The build folder is not part of the hash, and paths in this tree are relative, so one
    # compilation serves every build of the same kind: in another clone, or in tests/package. With
    # precompiled headers, the cache must be told that no source asks for the time.
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env;CCACHE_NOHASHDIR=1"
        "CCACHE_SLOPPINESS=pch_defines,time_macros"
        "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" "${HASTEN_CCACHE}")
  endif()
  find_program(HASTEN_MOLD mold)
  find_program(HASTEN_LLD NAMES ld.lld ld.lld-19)
  if(HASTEN_MOLD)
    add_link_options(-fuse-ld=mold)
  elseif(HASTEN_LLD AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_link_options("-fuse-ld=${HASTEN_LLD}")
  endif()
endif()

set(_hasten_warnings -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Wextra-semi)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # -Wrestrict has false reports on std::string (GCC bug 105651); the others depend on what the
  # inliner happened to do, so they warn and do not stop the build.
  if(HASTEN_UNITY)  # a source that others include is not a header
    list(APPEND _hasten_warnings -Wno-subobject-linkage)
  endif()
  list(APPEND _hasten_warnings -Wshadow=local -Wno-restrict -Wno-error=maybe-uninitialized
       -Wno-error=array-bounds -Wno-error=stringop-overflow -Wno-error=stringop-overread
       -Wno-error=dangling-pointer -Wno-error=free-nonheap-object)
else()
  list(APPEND _hasten_warnings -Wshadow)
endif()

set(_hasten_sanitize_options "")
if(HASTEN_SANITIZE)
  list(JOIN HASTEN_SANITIZE "," _sanitizers)
  set(_hasten_sanitize_options "-fsanitize=${_sanitizers}" -fno-omit-frame-pointer)
  if("undefined" IN_LIST HASTEN_SANITIZE)
    list(APPEND _hasten_sanitize_options -fno-sanitize-recover=undefined)
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      # It reads the bytes before a function's entry, which may not exist for generated code.
      list(APPEND _hasten_sanitize_options -fno-sanitize=function)
    endif()
  endif()
endif()

set(_hasten_coverage_options "")
if(HASTEN_COVERAGE)
  set(_hasten_coverage_options -fprofile-instr-generate -fcoverage-mapping)
endif()

# Settings of every target built here.
function(hasten_target target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  if(HASTEN_WARNINGS)
    target_compile_options(${target} PRIVATE ${_hasten_warnings})
  endif()
  target_compile_options(${target} PRIVATE ${_hasten_sanitize_options}
    ${_hasten_coverage_options})
  get_target_property(type ${target} TYPE)
  if(NOT type MATCHES "OBJECT_LIBRARY|INTERFACE_LIBRARY")
    target_link_options(${target} PRIVATE ${_hasten_sanitize_options} ${_hasten_coverage_options})
  endif()
endfunction()

# A target of this tree (test, tool) that includes from src/, which users of the library cannot.
function(hasten_internal target)
  hasten_target(${target})
  target_link_libraries(${target} PRIVATE hasten::hasten fmt::fmt)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(${target} PRIVATE HASTEN_WITH_LLVM=$<BOOL:${HASTEN_WITH_LLVM}>
    HASTEN_WITH_OPENCL=$<BOOL:${HASTEN_WITH_OPENCL}>)
endfunction()
