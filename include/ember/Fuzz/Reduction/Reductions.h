//===- Reductions.h - Single steps towards smaller programs -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function changes a program in one place, named by numbers so that the
// place can be found again in a copy, and returns whether there was something
// to change.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_REDUCTION_REDUCTIONS_H
#define EMBER_FUZZ_REDUCTION_REDUCTIONS_H

#include "ember/Fuzz/Program/Ast.h"

namespace ember::fuzz {

/// Where a block is: its function, and its position among the function's
/// blocks, outer ones first.
struct BlockPlace {
  size_t function = 0;
  size_t block = 0;
};

std::vector<BlockPlace> allBlocks(const Program &program);
Block &blockAt(Program &program, BlockPlace place);

/// Removes `count` operations from `first` on. Their results become constants.
bool removeOps(Program &program, BlockPlace place, size_t first, size_t count,
               uint64_t replacement);

/// Puts the body of a loop, run once, or a branch in the operation's place.
bool inlineRegion(Program &program, BlockPlace place, size_t op, size_t region);

/// Stops carrying value `slot` through a loop.
bool removeCarried(Program &program, BlockPlace place, size_t op, size_t slot);

/// Gives an integer constant the value `value`, if that is smaller.
bool setConstant(Program &program, BlockPlace place, size_t op, int64_t value);

/// Returns one value less.
bool removeResult(Program &program, size_t function, size_t result);

/// Removes what nothing reads: values, parameters with their arguments,
/// functions.
void removeUnused(Program &program);

/// Removes what cannot be seen from outside: values nothing reads, also those
/// that loops only carry around, and local memory nothing loads. A compiler may
/// do the same, and with it drop an access that is out of bounds.
void removeDeadCode(Program &program);

/// Shortens dimension `dimension` of a parameter of the entry to `size`. Only
/// where the memref is just read and written.
bool shrinkDimension(Program &program, size_t parameter, size_t dimension,
                     int64_t size);

/// Sets the elements of input `input` to one value.
bool flattenInput(Program &program, size_t input, uint64_t bits);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_REDUCTION_REDUCTIONS_H
