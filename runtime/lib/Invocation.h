//===- Invocation.h - The frames a failure unwinds to -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A failure leaves generated code by longjmp, to the innermost frame of its
// thread. ember_invoke makes such frames, and so does each side of a decoupled
// run and each thread of parallel loops, which have stacks of their own.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_LIB_INVOCATION_H
#define EMBER_RUNTIME_LIB_INVOCATION_H

#include "ember/Runtime/Runtime.h"

#include <setjmp.h>

namespace ember::runtime {

// Precedes every block that ember_alloc gives out.
struct Block;

// The blocks given out in an invocation. The two sides of a decoupled run share
// the one of their caller, hence the lock; nobody else ever contends for it.
struct Ledger {
  Block *first = nullptr;
  int32_t lock = 0;
};

struct Frame {
  jmp_buf target;
  Frame *previous;
  Ledger ownBlocks;
  Ledger *blocks;      // ownBlocks, or those of the frame this one is a side of
  bool isPart = false; // inside a part of parallel loops
  // Iterations change places, which a body has done, or they must not.
  enum { MayReorder, HasReordered, InOrder } order = InOrder;
  ember_error error;
  // What ember_rename was given.
  const char *const *names = nullptr;
  // Where the frame's calls begin; stacks grow down from there.
  uintptr_t stack = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
};

// The innermost frame of this thread; null outside of invocations.
Frame *currentFrame();
void setCurrentFrame(Frame *frame);

// Fails in the innermost frame with a formatted message. Outside of any
// invocation there is nobody to tell: prints the message and aborts.
[[noreturn]] __attribute__((cold, format(printf, 2, 3))) void
fail(int32_t code, const char *format, ...);
[[noreturn]] __attribute__((cold)) void failWith(const ember_error &error);

// Leaves to `frame` of this thread, through any frames inside it.
[[noreturn]] __attribute__((cold)) void unwindTo(Frame *frame);

__attribute__((format(printf, 3, 4))) void
formatError(ember_error &error, int32_t code, const char *format, ...);

// Has a message call things by the second names of pairs.
void rename(ember_error &error, const char *names);

// Frees all blocks of a failed invocation.
void freeBlocks(Ledger &ledger);

// Hands the blocks of a successful invocation to the enclosing one, or to the
// caller of the kernel if there is none.
void handOverBlocks(Ledger &ledger, Ledger *enclosing);

} // namespace ember::runtime

#endif // EMBER_RUNTIME_LIB_INVOCATION_H
