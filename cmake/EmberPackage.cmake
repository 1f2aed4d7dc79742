# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What goes into the Python package besides Python: programs in ember/bin, what
# they link and Python loads in ember/lib, the C interface in ember/include, and
# the module that calls kernels. 'pip install .' installs the component.

set(EMBER_PACKAGE_PROGRAMS emberc ember-dag ember-opt ember-run ember-sim)
set(EMBER_PACKAGE_LINKED libember_columns.so libember_runtime.a ember_queue.bc ember_guest_runtime.o)

add_custom_target(EmberPackage)
if(TARGET ember_calls)
  add_dependencies(EmberPackage ember_calls)
  install(TARGETS ember_calls LIBRARY DESTINATION ember COMPONENT package)
endif()

if(EMBER_PREBUILT)
  foreach(program IN LISTS EMBER_PACKAGE_PROGRAMS)
    install(PROGRAMS "${EMBER_PREBUILT}/bin/${program}" DESTINATION ember/bin COMPONENT package)
  endforeach()
  set(linked_folder "${EMBER_PREBUILT}/lib")
else()
  add_dependencies(EmberPackage ${EMBER_PACKAGE_PROGRAMS} EmberColumns EmberRuntime EmberQueueBitcode EmberGuestRuntime)
  # They find libMLIR and libLLVM where they were linked with them.
  set_target_properties(${EMBER_PACKAGE_PROGRAMS} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS ${EMBER_PACKAGE_PROGRAMS} RUNTIME DESTINATION ember/bin COMPONENT package)
  set(linked_folder "${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}")
endif()
foreach(file IN LISTS EMBER_PACKAGE_LINKED)
  install(FILES "${linked_folder}/${file}" DESTINATION ember/lib COMPONENT package)
endforeach()
# Machines that ember-sim runs programs on, by name.
install(DIRECTORY "${CMAKE_SOURCE_DIR}/sim/machines" DESTINATION ember COMPONENT package
        FILES_MATCHING PATTERN "*.json")
install(FILES "${CMAKE_SOURCE_DIR}/cmake/EmberNotation.cmake" DESTINATION ember/cmake COMPONENT package)
install(FILES "${CMAKE_SOURCE_DIR}/runtime/include/ember/Notation.h"
        DESTINATION ember/include/ember COMPONENT package)
foreach(header IN ITEMS Columns Export KernelLibrary Ownership Runtime Statement)
  install(FILES "${CMAKE_SOURCE_DIR}/runtime/include/ember/Runtime/${header}.h"
          DESTINATION ember/include/ember/Runtime COMPONENT package)
endforeach()
