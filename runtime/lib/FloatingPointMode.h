//===- FloatingPointMode.h - Rounding and flushing of a thread --*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A caller that flushes denormals or rounds in another direction expects the
// same of the access side of its kernels, which runs on a thread of ours.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_LIB_FLOATINGPOINTMODE_H
#define EMBER_RUNTIME_LIB_FLOATINGPOINTMODE_H

#include <stdint.h>

namespace ember::runtime {

#if defined(__x86_64__)

// Without the sticky flags of exceptions that have happened.
inline uint64_t floatingPointMode() {
  return __builtin_ia32_stmxcsr() & ~uint32_t(0x3f);
}
inline void setFloatingPointMode(uint64_t mode) {
  __builtin_ia32_ldmxcsr(static_cast<uint32_t>(mode));
}

#elif defined(__aarch64__)

inline uint64_t floatingPointMode() {
  uint64_t mode;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
}
inline void setFloatingPointMode(uint64_t mode) {
  asm volatile("msr fpcr, %0" : : "r"(mode));
}

#else

inline uint64_t floatingPointMode() { return 0; }
inline void setFloatingPointMode(uint64_t) {}

#endif

} // namespace ember::runtime

#endif // EMBER_RUNTIME_LIB_FLOATINGPOINTMODE_H
