//===- Memory.cpp - The memory of kernels ---------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks come from the C library, with a header in front that links them into
// the ledger of their invocation, so that a failure can free them.
//
//===----------------------------------------------------------------------===//

#include "Invocation.h"

#include <inttypes.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>

using namespace ember::runtime;

struct ember::runtime::Block {
  Block *previous;
  Block *next;
  Ledger *ledger; // null once the caller of the kernel owns the block
  void *base;     // what the C library gave out
};

static constexpr size_t minAlignment = alignof(max_align_t);
static_assert(sizeof(Block) % minAlignment == 0);

namespace {
class LedgerLock {
public:
  explicit LedgerLock(Ledger &ledger) : ledger(ledger) {
    while (__atomic_exchange_n(&ledger.lock, 1, __ATOMIC_ACQUIRE))
      sched_yield();
  }
  ~LedgerLock() { __atomic_store_n(&ledger.lock, 0, __ATOMIC_RELEASE); }
  LedgerLock(const LedgerLock &) = delete;
  LedgerLock &operator=(const LedgerLock &) = delete;

private:
  Ledger &ledger;
};
} // namespace

static void link(Ledger &ledger, Block *block) {
  block->ledger = &ledger;
  block->previous = nullptr;
  block->next = ledger.first;
  if (ledger.first)
    ledger.first->previous = block;
  ledger.first = block;
}

static void unlink(Ledger &ledger, Block *block) {
  if (block->previous)
    block->previous->next = block->next;
  else
    ledger.first = block->next;
  if (block->next)
    block->next->previous = block->previous;
}

// Null if there is not enough memory.
static Block *allocateBlock(size_t bytes, size_t alignment) {
  // The header takes the last bytes of a whole number of alignments.
  size_t header = (sizeof(Block) + alignment - 1) & ~(alignment - 1);
  size_t total;
  if (__builtin_add_overflow(header, bytes, &total))
    return nullptr;
  void *base = nullptr;
  if (alignment <= minAlignment)
    base = malloc(total);
  else if (posix_memalign(&base, alignment, total) != 0)
    base = nullptr;
  if (!base)
    return nullptr;
  Block *block = reinterpret_cast<Block *>(static_cast<char *>(base) + header -
                                           sizeof(Block));
  block->base = base;
  return block;
}

void *ember_alloc(int64_t bytes, int64_t alignment) {
  size_t aligned = minAlignment;
  if (alignment > static_cast<int64_t>(minAlignment))
    aligned = static_cast<size_t>(alignment);
  Block *block =
      bytes < 0 ? nullptr : allocateBlock(static_cast<size_t>(bytes), aligned);
  if (!block)
    fail(EMBER_MEMORY, "out of memory: cannot allocate %" PRId64 " bytes",
         bytes);

  Frame *frame = currentFrame();
  if (!frame || !frame->blocks) {
    block->ledger = nullptr;
    return block + 1;
  }
  LedgerLock lock(*frame->blocks);
  link(*frame->blocks, block);
  return block + 1;
}

void ember_free(void *memory) {
  if (!memory)
    return;
  Block *block = static_cast<Block *>(memory) - 1;
  if (Ledger *ledger = block->ledger) {
    LedgerLock lock(*ledger);
    unlink(*ledger, block);
  }
  free(block->base);
}

void ember::runtime::freeBlocks(Ledger &ledger) {
  for (Block *block = ledger.first; block;) {
    Block *next = block->next;
    free(block->base);
    block = next;
  }
  ledger.first = nullptr;
}

void ember::runtime::handOverBlocks(Ledger &ledger, Ledger *enclosing) {
  if (!ledger.first)
    return;
  if (!enclosing) {
    for (Block *block = ledger.first; block; block = block->next)
      block->ledger = nullptr;
    ledger.first = nullptr;
    return;
  }
  LedgerLock lock(*enclosing);
  for (Block *block = ledger.first; block;) {
    Block *next = block->next;
    link(*enclosing, block);
    block = next;
  }
  ledger.first = nullptr;
}
