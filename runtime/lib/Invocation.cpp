//===- Invocation.cpp - Entering a kernel and leaving it by failure -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Invocation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

using namespace ember::runtime;

// Half of the stack of a side of a decoupled run; other threads have more.
static constexpr uintptr_t recursionBytes = uintptr_t(1) << 19;

static thread_local Frame *innermost = nullptr;

// Out of line, so that no address of the thread-local is kept across a switch
// of stacks or threads.
__attribute__((noinline)) Frame *ember::runtime::currentFrame() {
  return innermost;
}

__attribute__((noinline)) void ember::runtime::setCurrentFrame(Frame *frame) {
  innermost = frame;
}

void ember::runtime::unwindTo(Frame *frame) {
  for (Frame *inner = currentFrame(); inner != frame; inner = inner->previous)
    if (inner->blocks == &inner->ownBlocks)
      freeBlocks(inner->ownBlocks);
  setCurrentFrame(frame);
  if (frame->names && *frame->names) {
    rename(frame->error, *frame->names);
    frame->names = nullptr;
  }
  longjmp(frame->target, 1);
}

void ember::runtime::failWith(const ember_error &error) {
  Frame *frame = currentFrame();
  if (!frame) {
    fprintf(stderr, "ember: failure outside of an invocation: %s\n",
            error.message);
    abort();
  }
  if (&error != &frame->error)
    frame->error = error;
  unwindTo(frame);
}

// Calls `fn` in `frame`; returns whether it returned. A function of its own,
// so that no local variable of a caller is clobbered by the second return.
__attribute__((noinline)) static bool
callInFrame(Frame *frame, void (*fn)(void **), void **args) {
  if (_setjmp(frame->target) != 0)
    return false;
  fn(args);
  return true;
}

int32_t ember_invoke(void (*fn)(void **args), void **args, ember_error *error) {
  Frame frame;
  frame.previous = currentFrame();
  frame.blocks = &frame.ownBlocks;
  frame.isPart = frame.previous && frame.previous->isPart;
  setCurrentFrame(&frame);
  bool returned = callInFrame(&frame, fn, args);
  setCurrentFrame(frame.previous);

  if (!returned) {
    freeBlocks(frame.ownBlocks);
    if (error)
      *error = frame.error;
    return frame.error.code;
  }
  handOverBlocks(frame.ownBlocks,
                 frame.previous ? frame.previous->blocks : nullptr);
  if (error) {
    error->code = EMBER_OK;
    error->message[0] = '\0';
  }
  return EMBER_OK;
}

void ember_rename(const char *const *names) {
  if (Frame *frame = currentFrame())
    frame->names = names;
}

void ember_check_recursion() {
  auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  Frame *frame = currentFrame();
  if (frame && frame->stack > here && frame->stack - here > recursionBytes)
    fail(EMBER_MEMORY, "a function calls itself too many times");
}
