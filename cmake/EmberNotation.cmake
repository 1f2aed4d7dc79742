# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Kernels of statements in index notation, compiled when a project is built:
#
#   ember_notation_kernel(spmv "y[i] = sum[j](A[i,j] * x[j])" FORMATS A:csr TYPES x:f32 FILLS A:0)
#   target_link_libraries(program PRIVATE spmv)
#
# The target spmv has a header spmv.h, which declares the kernel as a function spmv of its parameters: sizes, arrays and
# numbers. The kernel library is loaded at the first call. The text may have several lines. OPTIONS are further ones of
# emberc; a file of --functions is relative to the source folder, and the kernel is compiled again if it changes. The program
# emberc is found by EMBER_COMPILER, the folder of Ember's headers by EMBER_INCLUDE_DIR; both come with the Python package.

cmake_policy(VERSION 3.25)

set(EMBER_NOTATION_FILE "${CMAKE_CURRENT_LIST_FILE}")

# What neither a function nor a parameter in the header of a kernel can be called.
set(EMBER_NOTATION_RESERVED
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class co_await
    co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do
    double dynamic_cast else enum explicit export extern false float for friend goto if inline int int64_t long mutable
    namespace new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast
    requires return short signed sizeof static static_assert static_cast struct switch template this thread_local throw
    true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq)

# The header of a kernel out of the manifest of its library.
function(ember_notation_header name text library manifest header)
  file(READ "${manifest}" manifest)
  string(JSON count LENGTH "${manifest}" entries 0 arguments)
  set(parameters "")
  set(arguments "")
  set(comments "")
  math(EXPR last "${count} - 1")
  foreach(number RANGE ${last})
    string(JSON argument GET "${manifest}" entries 0 arguments ${number} name)
    string(JSON kind GET "${manifest}" entries 0 arguments ${number} kind)
    string(JSON dtype GET "${manifest}" entries 0 arguments ${number} dtype)
    set(parameter "${argument}")
    while(parameter STREQUAL "library" OR parameter IN_LIST EMBER_NOTATION_RESERVED OR parameter IN_LIST arguments)
      string(APPEND parameter "_")
    endwhile()
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
      set(plural "s")
      if(rank EQUAL 1)
        set(plural "")
      endif()
      string(APPEND comments "/// ${argument}: an array of ${dtype}, of ${rank} dimension${plural}.\n")
    endif()
    list(APPEND parameters "${type}${parameter}")
    list(APPEND arguments "${parameter}")
  endforeach()
  list(JOIN parameters ", " parameters)
  list(JOIN arguments ", " arguments)
  string(TOUPPER "${name}" guard)
  string(REPLACE "\\" "\\\\" library "${library}")
  # A comment goes on behind a line that ends with a backslash.
  string(REGEX REPLACE "\\\\+[ \t]*(\n|$)" "\\1" text "${text}")
  string(REPLACE "\n" "\n/// " text "${text}")
  file(WRITE "${header}"
"// Made by ember_notation_kernel.
#ifndef EMBER_KERNEL_${guard}_H
#define EMBER_KERNEL_${guard}_H

#include <ember/Runtime/KernelLibrary.h>

/// ${text}
///
${comments}inline void ${name}(${parameters}) {
  static const ember::KernelLibrary library(\"${library}\");
  library.entry(\"kernel\")({${arguments}});
}

#endif
")
endfunction()

# The absolute name of the file of --functions=FILE in `option`, or nothing.
function(ember_notation_functions result option)
  set(${result} "" PARENT_SCOPE)
  if(option MATCHES "^--?functions=(.*)$")
    cmake_path(ABSOLUTE_PATH CMAKE_MATCH_1 BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE file)
    set(${result} "${file}" PARENT_SCOPE)
  endif()
endfunction()

function(ember_notation_kernel name text)
  cmake_parse_arguments(PARSE_ARGV 2 kernel "" "" "FORMATS;TYPES;FILLS;OPTIONS")
  if(kernel_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ember_notation_kernel(${name}): unknown arguments: ${kernel_UNPARSED_ARGUMENTS}")
  endif()
  string(MAKE_C_IDENTIFIER "${name}" identifier)
  if(NOT identifier STREQUAL name OR name IN_LIST EMBER_NOTATION_RESERVED OR name MATCHES "^(ember|main|std)$")
    message(FATAL_ERROR
            "ember_notation_kernel(${name}): '${name}' cannot be the name of a function, which the kernel is in C++")
  endif()
  find_program(EMBER_COMPILER emberc REQUIRED DOC "Ember's compiler")
  find_path(EMBER_INCLUDE_DIR ember/Runtime/KernelLibrary.h REQUIRED
            DOC "where Ember's headers are: ember.include_folder() in Python")
  set(library "${CMAKE_CURRENT_BINARY_DIR}/lib${name}.so")
  set(manifest "${CMAKE_CURRENT_BINARY_DIR}/lib${name}.json")
  set(header "${CMAKE_CURRENT_BINARY_DIR}/${name}.h")
  # Neither shells nor build systems take all statements as words of a command: a script of each kernel has them.
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${name}_kernel.cmake")
  set(words "[====[${EMBER_COMPILER}]====]\n  [====[--notation=${text}]====]")
  set(files "")
  foreach(kind format type fill)
    string(TOUPPER "${kind}s" list)
    foreach(value IN LISTS kernel_${list})
      string(APPEND words "\n  [====[--${kind}=${value}]====]")
    endforeach()
  endforeach()
  foreach(option IN LISTS kernel_OPTIONS)
    ember_notation_functions(file "${option}")
    if(file)
      list(APPEND files "${file}")
      set(option "--functions=${file}")
    endif()
    string(APPEND words "\n  [====[${option}]====]")
  endforeach()
  set(commands
"# Made by ember_notation_kernel.
include([====[${EMBER_NOTATION_FILE}]====])
execute_process(COMMAND
  ${words}
  -o [====[${library}]====] RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR \"the statement ${name} could not be compiled (\${failed})\")
endif()
ember_notation_header(${name}
  [====[${text}]====]
  [====[${library}]====] [====[${manifest}]====] [====[${header}]====])
")
  set(before "")
  if(EXISTS "${script}")
    file(READ "${script}" before)
  endif()
  if(NOT before STREQUAL commands)
    file(WRITE "${script}" "${commands}")
  endif()
  add_custom_command(
    OUTPUT "${library}" "${manifest}" "${header}"
    COMMAND "${CMAKE_COMMAND}" -P "${script}"
    DEPENDS "${EMBER_COMPILER}" "${EMBER_NOTATION_FILE}" "${script}" ${files}
    COMMENT "Compiling the statement ${name}" VERBATIM)
  add_custom_target(${name}_kernel DEPENDS "${library}" "${header}")
  add_library(${name} INTERFACE)
  add_dependencies(${name} ${name}_kernel)
  target_include_directories(${name} INTERFACE "${CMAKE_CURRENT_BINARY_DIR}" "${EMBER_INCLUDE_DIR}")
  target_compile_features(${name} INTERFACE cxx_std_17)
  target_link_libraries(${name} INTERFACE ${CMAKE_DL_LIBS})
endfunction()
