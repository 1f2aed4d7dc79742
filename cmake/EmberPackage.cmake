# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What goes into the Python package besides Python: programs in ember/bin, what
# they link into kernels in ember/lib, the C interface in ember/include, and
# the module that calls kernels. 'pip install .' installs the component.

set(EMBER_PACKAGE_PROGRAMS emberc ember-opt ember-run)
set(EMBER_PACKAGE_LINKED libember_runtime.a ember_queue.bc)

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
  add_dependencies(EmberPackage ${EMBER_PACKAGE_PROGRAMS} EmberRuntime EmberQueueBitcode)
  # They find libMLIR and libLLVM where they were linked with them.
  set_target_properties(${EMBER_PACKAGE_PROGRAMS} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS ${EMBER_PACKAGE_PROGRAMS} RUNTIME DESTINATION ember/bin COMPONENT package)
  set(linked_folder "${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}")
endif()
foreach(file IN LISTS EMBER_PACKAGE_LINKED)
  install(FILES "${linked_folder}/${file}" DESTINATION ember/lib COMPONENT package)
endforeach()
foreach(header IN ITEMS Export KernelLibrary Ownership Runtime)
  install(FILES "${CMAKE_SOURCE_DIR}/runtime/include/ember/Runtime/${header}.h"
          DESTINATION ember/include/ember/Runtime COMPONENT package)
endforeach()
