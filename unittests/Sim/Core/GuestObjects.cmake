# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Code for the simulated machine, compiled by the clang that compiles Ember.

find_program(EMBER_GUEST_CLANG NAMES clang-22 clang REQUIRED)

# ember_guest_object(OUTPUT source flags...)
function(ember_guest_object output source)
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${EMBER_GUEST_CLANG}" --target=aarch64-linux-gnu -ffreestanding -fno-math-errno
            -ffp-contract=off -w ${ARGN} -c "${CMAKE_CURRENT_SOURCE_DIR}/${source}" -o "${output}"
    DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${source}"
    COMMENT "Compiling ${source} for AArch64" VERBATIM)
endfunction()
