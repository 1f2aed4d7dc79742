//===- Trace.h - What instrumented kernels report ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels compiled with instrumentation report their loads and what they push;
// a collector in the host program adds up totals and, if asked to, lists the
// contents of the queues in the order of the pushes:
//
//   ctrl e.ite
//   ctrl e.end f32 0.5
//   data index 0
//   data vector<4xf32> [1, 2, 3, 4]
//   ctrl done
//
// Only programs that run instrumented kernels link the collector; it is not
// part of the runtime archive.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_TRACE_H
#define EMBER_RUNTIME_TRACE_H

#include "ember/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

// Reports; without an active collector they do nothing. Any thread may call.

// One load of the access unit from `memref`, or store to it, of `elements`
// elements. `level` is the cache that the access names, from 1 for the first,
// or 0; `nontemporal` whether it says that the elements are not needed again.
void ember_count_access(const char *memref, int64_t elements, int32_t isStore,
                        int32_t level, int32_t nontemporal);

enum {
  EMBER_OPERAND_INT = 0,
  EMBER_OPERAND_FLOAT = 1,
  EMBER_OPERAND_INDEX = 2
};

// An operand pushed into the data queue: `lanes` elements (1 for a scalar) of
// `elementBits` at `data`, packed if they are narrower than a byte. `bytes` is
// what the operand takes without the rounding of the queue.
void ember_trace_operand(const char *name, const char *type, int64_t lanes,
                         int32_t elementBits, int32_t kind, int64_t bytes,
                         const void *data);

// A token pushed into the control queue: `name` is that of the callback, e.g.
// "e.end"; EMBER_DONE (-1) is listed as "done". `program` is the pair of
// programs it belongs to, e.g. "bag.0", and `point` the callback in it,
// whatever its units are called: "tu1.end".
void ember_trace_token(const char *program, const char *point, const char *name,
                       int64_t id);

// The same for a token that carries a scalar, with what ember_trace_operand
// says of one; `value` holds its bits.
void ember_trace_token_value(const char *program, const char *point,
                             const char *name, const char *type,
                             int32_t elementBits, int32_t kind, int64_t value);

// Starts to collect, from zero. `listing` is the file to list the queues in,
// or null. Returns EMBER_OK, or EMBER_ASSERT and *error (which may be null) if
// the file cannot be written.
int32_t ember_trace_begin(const char *listing, ember_error *error);

// Stops collecting and closes the listing; the totals stay readable. Returns
// EMBER_ASSERT if the listing is incomplete, for example on a full disk.
int32_t ember_trace_end(ember_error *error);

#ifdef __cplusplus
} // extern "C"

#include <string>
#include <vector>

namespace ember::runtime {

// The accesses of one memref with the same hints.
struct AccessTotal {
  std::string memref;
  bool isStore = false;
  int32_t level = 0;
  bool isNontemporal = false;
  int64_t accesses = 0;
  int64_t elements = 0;
};

struct OperandTotal {
  std::string name;
  std::string type;
  int64_t count = 0;
  int64_t bytes = 0;
};

struct TokenTotal {
  std::string name; // "done" for the last one
  int64_t count = 0;
  int64_t values = 0; // of them, tokens that carried a value
};

struct PointTotal {
  std::string program;
  std::string point;
  int64_t tokens = 0;
};

// Each list is sorted by name (and type), so that it does not depend on how
// threads interleaved.
struct TraceTotals {
  std::vector<AccessTotal> accesses; // loads before stores of a memref
  std::vector<OperandTotal> operands;
  std::vector<TokenTotal> tokens;
  std::vector<PointTotal> points;
};

// What has been collected since ember_trace_begin.
TraceTotals traceTotals();

} // namespace ember::runtime
#endif

#endif // EMBER_RUNTIME_TRACE_H
