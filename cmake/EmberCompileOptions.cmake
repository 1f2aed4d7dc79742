# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The options that all of Ember's C++ is compiled with.

set(EMBER_COMPILE_OPTIONS -Wall -Wextra -Wno-unused-parameter -fno-exceptions
                          -ffunction-sections -fdata-sections)
