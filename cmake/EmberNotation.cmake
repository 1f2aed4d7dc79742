# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Kernels of statements in index notation, compiled when a project is built:
#
#   ember_notation_kernel(spmv "y[i] = sum[j](A[i,j] * x[j])" FORMATS A:csr TYPES x:f32 FILLS A:0)
#   target_link_libraries(program PRIVATE spmv)
#
# The target spmv has a header spmv.h, which declares the kernel as a function spmv of its parameters: sizes, arrays and
# numbers. The kernel library is loaded at the first call. OPTIONS are further ones of emberc. The program emberc is found
# by EMBER_COMPILER, the folder of Ember's headers by EMBER_INCLUDE_DIR; both come with the Python package.

set(EMBER_NOTATION_FILE "${CMAKE_CURRENT_LIST_FILE}")

# As a script (cmake -P): the header of a kernel out of the manifest of its library.
if(CMAKE_SCRIPT_MODE_FILE AND EMBER_NOTATION_MANIFEST)
  file(READ "${EMBER_NOTATION_MANIFEST}" manifest)
  string(JSON count LENGTH "${manifest}" entries 0 arguments)
  set(parameters "")
  set(arguments "")
  set(comments "")
  math(EXPR last "${count} - 1")
  foreach(number RANGE ${last})
    string(JSON name GET "${manifest}" entries 0 arguments ${number} name)
    string(JSON kind GET "${manifest}" entries 0 arguments ${number} kind)
    string(JSON dtype GET "${manifest}" entries 0 arguments ${number} dtype)
    set(type "const ember::Argument &")
    if(kind STREQUAL "scalar")
      set(type "int64_t ")
      if(dtype STREQUAL "f32")
        set(type "float ")
      elseif(dtype MATCHES "^f")
        set(type "double ")
      elseif(dtype STREQUAL "i1")
        set(type "bool ")
      endif()
    else()
      string(JSON rank LENGTH "${manifest}" entries 0 arguments ${number} shape)
      string(APPEND comments "/// ${name}: an array of ${dtype}, of ${rank} dimensions.\n")
    endif()
    list(APPEND parameters "${type}${name}")
    list(APPEND arguments "${name}")
  endforeach()
  list(JOIN parameters ", " parameters)
  list(JOIN arguments ", " arguments)
  string(TOUPPER "${EMBER_NOTATION_NAME}" guard)
  string(REPLACE "\\" "\\\\" library "${EMBER_NOTATION_LIBRARY}")
  file(WRITE "${EMBER_NOTATION_HEADER}"
"// Made by ember_notation_kernel.
#ifndef EMBER_KERNEL_${guard}_H
#define EMBER_KERNEL_${guard}_H

#include <ember/Runtime/KernelLibrary.h>

/// ${EMBER_NOTATION_TEXT}
///
${comments}inline void ${EMBER_NOTATION_NAME}(${parameters}) {
  static const ember::KernelLibrary library(\"${library}\");
  library.entry(\"kernel\")({${arguments}});
}

#endif
")
  return()
endif()

function(ember_notation_kernel name text)
  cmake_parse_arguments(PARSE_ARGV 2 kernel "" "" "FORMATS;TYPES;FILLS;OPTIONS")
  if(kernel_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ember_notation_kernel(${name}): unknown arguments: ${kernel_UNPARSED_ARGUMENTS}")
  endif()
  find_program(EMBER_COMPILER emberc REQUIRED DOC "Ember's compiler")
  find_path(EMBER_INCLUDE_DIR ember/Runtime/KernelLibrary.h REQUIRED
            DOC "where Ember's headers are: ember.include_folder() in Python")
  set(options ${kernel_OPTIONS})
  foreach(format IN LISTS kernel_FORMATS)
    list(APPEND options "--format=${format}")
  endforeach()
  foreach(type IN LISTS kernel_TYPES)
    list(APPEND options "--type=${type}")
  endforeach()
  foreach(fill IN LISTS kernel_FILLS)
    list(APPEND options "--fill=${fill}")
  endforeach()
  set(library "${CMAKE_CURRENT_BINARY_DIR}/lib${name}.so")
  set(header "${CMAKE_CURRENT_BINARY_DIR}/${name}.h")
  add_custom_command(
    OUTPUT "${library}" "${CMAKE_CURRENT_BINARY_DIR}/lib${name}.json" "${header}"
    COMMAND "${EMBER_COMPILER}" "--notation=${text}" ${options} -o "${library}"
    COMMAND "${CMAKE_COMMAND}" "-DEMBER_NOTATION_MANIFEST=${CMAKE_CURRENT_BINARY_DIR}/lib${name}.json"
            "-DEMBER_NOTATION_NAME=${name}" "-DEMBER_NOTATION_LIBRARY=${library}"
            "-DEMBER_NOTATION_HEADER=${header}" "-DEMBER_NOTATION_TEXT=${text}" -P "${EMBER_NOTATION_FILE}"
    DEPENDS "${EMBER_COMPILER}" "${EMBER_NOTATION_FILE}"
    COMMENT "Compiling the statement ${name}" VERBATIM)
  add_custom_target(${name}_kernel DEPENDS "${library}" "${header}")
  add_library(${name} INTERFACE)
  add_dependencies(${name} ${name}_kernel)
  target_include_directories(${name} INTERFACE "${CMAKE_CURRENT_BINARY_DIR}" "${EMBER_INCLUDE_DIR}")
  target_compile_features(${name} INTERFACE cxx_std_17)
  target_link_libraries(${name} INTERFACE ${CMAKE_DL_LIBS})
endfunction()
