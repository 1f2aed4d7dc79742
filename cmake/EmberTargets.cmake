# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Functions that declare Ember's libraries and programs the same way everywhere.

include(EmberCompileOptions)
set(EMBER_SANITIZE_OPTIONS "")
if(EMBER_SANITIZE)
  # vptr checks need the type information of libMLIR's classes, which a
  # stripped shared library does not export.
  set(EMBER_SANITIZE_OPTIONS -fsanitize=address,undefined -fno-sanitize=vptr,function
                             -fno-sanitize-recover=undefined
                             -fno-omit-frame-pointer)
endif()

# Most of a pass's time is spent in libMLIR: more would lengthen the build by half
# and no compilation become noticeably shorter.
set(EMBER_COMPILER_OPTIMIZATION "$<$<CONFIG:Release>:-O1>")

function(ember_options target)
  target_compile_options(${target} PRIVATE ${EMBER_COMPILE_OPTIONS} ${EMBER_SANITIZE_OPTIONS})
  target_link_options(${target} PRIVATE ${EMBER_SANITIZE_OPTIONS})
endfunction()

# ember_precompiled(NAME HEADER OPTIONS...): a header that is parsed once for
# all targets that say REUSE_FROM NAME and are compiled with these options.
function(ember_precompiled name header)
  add_library(${name} STATIC "${CMAKE_SOURCE_DIR}/cmake/PrecompiledHeader.cpp")
  target_precompile_headers(${name} PRIVATE "${header}")
  ember_options(${name})
  target_compile_options(${name} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # The same headers give the same file, which ccache knows by its content.
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# The headers nearly every file of the compiler includes.
ember_precompiled(EmberPrecompiled "${CMAKE_SOURCE_DIR}/include/ember/PrecompiledHeader.h"
                  ${EMBER_COMPILER_OPTIMIZATION})

# ember_library(NAME sources... [DEPENDS tablegen-targets...] [LINK libraries...])
function(ember_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  ember_options(${name})
  target_compile_options(${name} PRIVATE ${EMBER_COMPILER_OPTIMIZATION})
  target_precompile_headers(${name} REUSE_FROM EmberPrecompiled)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# ember_tool(NAME sources... [LINK libraries...]): a program in build/bin.
function(ember_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  ember_options(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
  target_link_options(${name} PRIVATE -Wl,--gc-sections)
endfunction()

# ember_option_table(TOOL): the tool's Options.inc from the Options.td beside it.
function(ember_option_table tool)
  # Installed LLVM packages name mlir-tblgen, but not the generator of option tables.
  set(LLVM_TABLEGEN_EXE "${LLVM_TOOLS_BINARY_DIR}/llvm-tblgen")
  set(LLVM_TARGET_DEFINITIONS Options.td)
  tablegen(LLVM Options.inc -gen-opt-parser-defs)
  add_public_tablegen_target(${tool}-options)
  add_dependencies(${tool} ${tool}-options)
  target_include_directories(${tool} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
endfunction()

# ember_tablegen(TARGET FILE.td out1 args1...): runs mlir-tblgen for FILE.td
# once per (output, arguments) pair; arguments are a ;-list in quotes.
function(ember_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(pairs ${ARGN})
  while(pairs)
    list(POP_FRONT pairs output arguments)
    separate_arguments(arguments)
    mlir_tablegen(${output} ${arguments})
  endwhile()
  add_public_tablegen_target(${target})
  add_dependencies(EmberPrecompiled ${target})
endfunction()
