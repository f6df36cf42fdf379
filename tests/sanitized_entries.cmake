# Entries that run the test programs of another build (HASTEN_TEST_PROGRAMS) with this build's
# library, which the sanitizers instrument: the tests' own code, most of what there is to compile, is
# compiled once. The sanitizers see the library and the kernels that it makes, all memory that
# anything allocates, and nothing else of the tests' code; ./dev test --all instruments that, too.
#
# Chosen is what the sanitizers find most in: every unit and error test, and the programs that move
# arrays and threads about, fail, or are misused. Left out are tests that only check kernels on PoCL
# (the sanitizers do not see these kernels, and PoCL's compiler is slow under them), that compile
# device code with NVRTC, and those that fork, end, or limit the memory of processes:
# LeakSanitizer counts what a child leaves behind, and AddressSanitizer needs more addresses than the
# limit leaves.
execute_process(
  COMMAND "${CMAKE_CXX_COMPILER}" "-print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so"
  OUTPUT_VARIABLE _runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT EXISTS "${_runtime}")
  message(FATAL_ERROR "There is no shared AddressSanitizer runtime beside ${CMAKE_CXX_COMPILER}. "
    "On Debian, it is in libclang-rt-19-dev; ./dev setup installs it.")
endif()
# Programs that the tests start, such as the linker that PoCL calls, inherit the runtime; their leaks
# are not ours. The runtime looks for a file of options with the name of the program (%b).
set(_leaks "${CMAKE_BINARY_DIR}/leaks_of")
foreach(program IN ITEMS unit_tests error_tests program_tests)
  file(WRITE "${_leaks}/${program}" "detect_leaks=1\n")
endforeach()
set(_watched "LD_PRELOAD=${_runtime}" "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:hasten>"
  "ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1:detect_leaks=0:include_if_exists=${_leaks}/%b")

set(_unwatched "Targets/*opencl*:*/ContractionsOnDevices*:*/NeighbourhoodsOnDevices*:*Processes.*:CallsInFlight.*:Memory.*:*AttacksByFork*")

# The test suites of these sources, as a filter.
file(GLOB_RECURSE _sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/programs/*_test.cpp")
list(FILTER _sources INCLUDE REGEX
  "/programs/((asynchrony|attacks|foreign|memory|reports|several_devices)/|(devices|reads|stopping|stream)_test)")
set(_suites "")
foreach(source IN LISTS _sources)
  file(STRINGS "${source}" tests REGEX "^TEST(_F|_P)?\\(")
  list(TRANSFORM tests REPLACE "^TEST[_FP]*\\(([A-Za-z0-9_]+),.*" "\\1")
  list(APPEND _suites ${tests})
endforeach()
list(REMOVE_DUPLICATES _suites)
list(TRANSFORM _suites REPLACE "(.+)" "\\1.*:*/\\1.*")
list(JOIN _suites ":" _suites)

hasten_test_entries("${HASTEN_TEST_PROGRAMS}/unit_tests" unit SHARDS 2 ENTRY unit_tests
  FILTER "-RealNvrtc.*" ENVIRONMENT ${_watched})
hasten_test_entries("${HASTEN_TEST_PROGRAMS}/error_tests" errors SHARDS 1 ENTRY error_tests
  ENVIRONMENT ${_watched})
hasten_test_entries("${HASTEN_TEST_PROGRAMS}/program_tests" programs SHARDS 2 ENTRY program_tests
  FILTER "${_suites}:-${_unwatched}" ENVIRONMENT ${_watched})
if(HASTEN_WITH_OPENCL)
  hasten_test_entries("${HASTEN_TEST_PROGRAMS}/program_tests" programs SHARDS 1
    ENTRY program_tests_small_device FILTER "First/Devices*opencl*"
    ENVIRONMENT ${_watched} HASTEN_DEVICE_MEMORY=2M)
  hasten_test_entries("${HASTEN_TEST_PROGRAMS}/program_tests" programs SHARDS 1
    ENTRY program_tests_two_devices FILTER "*SeveralDevices*opencl*"
    ENVIRONMENT ${_watched} HASTEN_OPENCL_SUBDEVICES=2 POCL_MAX_PTHREAD_COUNT=2)
endif()
