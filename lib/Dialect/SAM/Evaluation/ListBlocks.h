//===- ListBlocks.h - Blocks on nested lists --------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_SAM_EVALUATION_LISTBLOCKS_H
#define EMBER_LIB_DIALECT_SAM_EVALUATION_LISTBLOCKS_H

#include "ember/Dialect/SAM/IR/TokenText.h"

#include "ember/Dialect/CIN/IR/Function.h"

namespace ember::sam {

/// The same lists around other data, or around none yet.
StreamLists makeAround(const StreamLists &stream, unsigned levels,
                       bool hasValues);
/// Appends a token of another stream, or `N`.
void appendFrom(StreamLists &stream, const StreamLists &source, int64_t number);
void appendNothing(StreamLists &stream);
/// Whether the outer lists of two streams, so many levels of them, are the
/// same.
bool haveSameLists(const StreamLists &a, const StreamLists &b, unsigned levels);

/// A side of a joiner: coordinates, and what is beside them.
using JoinedSide = llvm::SmallVector<const StreamLists *>;

/// Coordinates that all sides have or, with `isUnion`, any of them, and what is
/// beside them. None, and why, if lists do not match.
std::optional<llvm::SmallVector<StreamLists>>
joinSides(llvm::ArrayRef<JoinedSide> sides, bool isUnion, std::string &reason);

/// What a reducer makes of values and coordinates, values first.
std::optional<llvm::SmallVector<StreamLists>>
reduceLists(cin::Function function, mlir::Type element, bool drops,
            const StreamLists &values,
            llvm::ArrayRef<const StreamLists *> coordinates,
            std::string &reason);

/// Outer and inner stream of a dropper.
std::optional<std::pair<StreamLists, StreamLists>>
dropLists(const StreamLists &outer, const StreamLists &inner,
          std::string &reason);

} // namespace ember::sam

#endif // EMBER_LIB_DIALECT_SAM_EVALUATION_LISTBLOCKS_H
