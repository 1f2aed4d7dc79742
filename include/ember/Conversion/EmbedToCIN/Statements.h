//===- Statements.h - What embedding operations are named forms of -*- C++ -*-//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_EMBEDTOCIN_STATEMENTS_H
#define EMBER_CONVERSION_EMBEDTOCIN_STATEMENTS_H

#include "ember/Dialect/Embed/IR/Embed.h"

namespace ember {

/// Each puts a `cin.evaluate` with the statements of one operation in its
/// place, behind comparisons of sizes that no type fixes.
/// `mostCopiedBytes` are what the copy of a table may take whose rows do not
/// lie in one piece.
void writeStatements(embed::BagOp op, int64_t mostCopiedBytes);
void writeStatements(embed::BlockValuesOp op);
void writeStatements(embed::ScoreOp op);
void writeStatements(embed::SDDMMOp op);
void writeStatements(embed::MessageOp op);
void writeStatements(embed::SpMMOp op);
void writeStatements(embed::GatherOp op);
void writeStatements(embed::BlockScoresOp op);

} // namespace ember

#endif // EMBER_CONVERSION_EMBEDTOCIN_STATEMENTS_H
