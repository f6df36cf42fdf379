# Everything Hasten is built with. hastenConfig.cmake.in repeats what a static build hands on.
find_package(Threads REQUIRED)
if(NOT TARGET fmt::fmt)
  find_package(fmt REQUIRED)
endif()
find_path(HASTEN_XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
if(HASTEN_WITH_LLVM)
  # "19.1", not "19": LLVM's version file compares major and minor.
  find_package(LLVM 19.1 REQUIRED CONFIG)
  if(NOT TARGET TBB::tbb)
    find_package(TBB REQUIRED)
  endif()
  find_package(SLEEF REQUIRED)
endif()
