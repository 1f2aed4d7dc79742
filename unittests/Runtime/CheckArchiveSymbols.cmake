# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fails if ARCHIVE needs a symbol of the C++ library that it does not define.
execute_process(COMMAND "${NM}" -u "${ARCHIVE}" OUTPUT_VARIABLE symbols
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(_Z|__cxa|__gxx|_Unwind)[A-Za-z0-9_]*" symbols "${symbols}")
list(FILTER symbols EXCLUDE REGEX "^_ZN5ember")
list(FILTER symbols EXCLUDE REGEX "^_ZNK5ember")
if(symbols)
  message(FATAL_ERROR "${ARCHIVE} needs ${symbols}")
endif()
