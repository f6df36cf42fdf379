# hasten_units(OUT PREFIX ROOT FOLDER MOST n SOURCES file...): translation units of several sources.
#
# in:  sources below ROOT, which is a folder that the target includes from
# out: OUT, what the target is made of: with HASTEN_UNITY, files that include the sources of one
#      folder and the same options each, at most n of them; else the sources.
#
# Most of a source's compilation is its headers, so a whole build takes a third of the time. CMake's
# UNITY_BUILD would do, but CMake 3.25 writes absolute paths into its files: the compiler cache would
# not know them again in another clone. Names in anonymous namespaces must differ within a folder.
include_guard(GLOBAL)

set(HASTEN_UNITY_MOST "" CACHE STRING "Sources in a unit, in place of the number each target asks for")

function(hasten_units out prefix)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "ROOT;MOST" "SOURCES")
  if(NOT HASTEN_UNITY)
    set(${out} ${arg_SOURCES} PARENT_SCOPE)
    return()
  endif()
  if(HASTEN_UNITY_MOST)
    set(arg_MOST ${HASTEN_UNITY_MOST})
  endif()
  set(made "")
  set(folders "")
  foreach(source IN LISTS arg_SOURCES)
    file(RELATIVE_PATH path "${arg_ROOT}" "${source}")
    cmake_path(GET path PARENT_PATH folder)
    get_source_file_property(options "${source}" COMPILE_OPTIONS)
    if(NOT options)
      set(options "")
    endif()
    string(MAKE_C_IDENTIFIER "${folder}${options}" folder)
    set(options_${folder} "${options}")
    list(APPEND folders "${folder}")
    list(APPEND sources_${folder} "${path}")
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    _hasten_units_of_folder("${sources_${folder}}" ${arg_MOST} "${prefix}_${folder}")
    set_source_files_properties(${units} PROPERTIES COMPILE_OPTIONS "${options_${folder}}")
    list(APPEND made ${units})
  endforeach()
  set(${out} ${made} PARENT_SCOPE)
endfunction()

# Writes the units of one folder, of nearly the same number of sources, and sets `units`.
function(_hasten_units_of_folder paths most name)
  list(LENGTH paths count)
  math(EXPR parts "(${count} + ${most} - 1) / ${most}")
  set(written "")
  foreach(part RANGE 1 ${parts})
    math(EXPR begin "${count} * (${part} - 1) / ${parts}")
    math(EXPR size "${count} * ${part} / ${parts} - ${begin}")
    list(SUBLIST paths ${begin} ${size} members)
    list(TRANSFORM members REPLACE "(.+)" "#include \"\\1\"")
    list(JOIN members "\n" text)
    set(unit "${CMAKE_BINARY_DIR}/units/${name}_${part}.cpp")
    file(CONFIGURE OUTPUT "${unit}" CONTENT "${text}\n" @ONLY)
    list(APPEND written "${unit}")
  endforeach()
  set(units "${written}" PARENT_SCOPE)
endfunction()
