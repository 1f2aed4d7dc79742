//===- Waiting.h - Spinning and sleeping ------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_LIB_WAITING_H
#define EMBER_RUNTIME_LIB_WAITING_H

#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace ember::runtime {

inline void relaxProcessor() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

inline int64_t nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

// Spins until `ready()` holds, for about `limit` nanoseconds; returns whether
// it does. By the clock, because a pause takes from 10 to 140 cycles depending
// on the processor.
template <typename Ready> bool spinUntil(int64_t limit, Ready ready) {
  int64_t start = nanoseconds();
  do {
    for (int32_t i = 0; i < 16; ++i) {
      if (ready())
        return true;
      relaxProcessor();
    }
  } while (nanoseconds() - start < limit);
  return ready();
}

// Sleeps while *word is `expected`; may also return for no reason.
inline void futexWait(int32_t *word, int32_t expected) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

inline void futexWake(int32_t *word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

} // namespace ember::runtime

#endif // EMBER_RUNTIME_LIB_WAITING_H
