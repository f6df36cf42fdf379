# Install rules and the exported package: find_package(hasten CONFIG) defines hasten::hasten.
# Everything is one component, so that a partly built tree can still be installed.
include(CMakePackageConfigHelpers)

set(_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/hasten")
install(TARGETS hasten EXPORT hastenTargets COMPONENT hasten
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT hasten
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT hasten
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT hasten)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        COMPONENT hasten FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
if(TARGET hasten_runtime)
  install(TARGETS hasten_runtime EXPORT hastenTargets COMPONENT hasten
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT hasten)
endif()
if(TARGET hasten_mpi)
  install(TARGETS hasten_mpi EXPORT hastenTargets COMPONENT hasten
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT hasten
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT hasten)
endif()
install(EXPORT hastenTargets NAMESPACE hasten:: DESTINATION "${_package_dir}" COMPONENT hasten)

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/hastenConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/hastenConfig.cmake" INSTALL_DESTINATION "${_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/hastenConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/hastenConfig.cmake"
              "${PROJECT_BINARY_DIR}/hastenConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindSLEEF.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/HastenLibrary.cmake"
        DESTINATION "${_package_dir}" COMPONENT hasten)

if(TARGET hasten_cli)
  file(RELATIVE_PATH _bin_to_lib "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
  set_target_properties(hasten_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${_bin_to_lib}")
  install(TARGETS hasten_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT hasten)
endif()
