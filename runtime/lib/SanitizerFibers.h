//===- SanitizerFibers.h - Switches of stacks, for sanitizers ---*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The archive itself is never built with a sanitizer, but runs in programs that
// are. Their runtimes define these functions; elsewhere they are null.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_LIB_SANITIZERFIBERS_H
#define EMBER_RUNTIME_LIB_SANITIZERFIBERS_H

#include <stddef.h>

#define EMBER_WEAK __attribute__((weak, visibility("default")))

extern "C" {
EMBER_WEAK void __sanitizer_start_switch_fiber(void **fakeStack,
                                               const void *bottom, size_t size);
EMBER_WEAK void __sanitizer_finish_switch_fiber(void *fakeStack,
                                                const void **previousBottom,
                                                size_t *previousSize);
EMBER_WEAK void *__tsan_get_current_fiber(void);
EMBER_WEAK void *__tsan_create_fiber(unsigned flags);
EMBER_WEAK void __tsan_destroy_fiber(void *fiber);
EMBER_WEAK void __tsan_switch_to_fiber(void *fiber, unsigned flags);
}

#undef EMBER_WEAK

namespace ember::runtime {

// What sanitizers know of one stack.
struct SanitizedStack {
  const void *bottom = nullptr;
  size_t size = 0;
  void *fakeStack = nullptr;   // of the address sanitizer, while switched away
  void *threadState = nullptr; // of the thread sanitizer
};

// Just before the switch; `isLast` if `from` is never switched to again.
inline void aboutToSwitch(SanitizedStack &from, SanitizedStack &to,
                          bool isLast) {
  if (__sanitizer_start_switch_fiber)
    __sanitizer_start_switch_fiber(isLast ? nullptr : &from.fakeStack,
                                   to.bottom, to.size);
  if (__tsan_switch_to_fiber)
    __tsan_switch_to_fiber(to.threadState, 0);
}

// Just after the switch, on the new stack; `previous` learns where the stack
// lies that was switched away from.
inline void haveSwitched(SanitizedStack &to, SanitizedStack &previous) {
  if (__sanitizer_finish_switch_fiber)
    __sanitizer_finish_switch_fiber(to.fakeStack, &previous.bottom,
                                    &previous.size);
}

} // namespace ember::runtime

#endif // EMBER_RUNTIME_LIB_SANITIZERFIBERS_H
