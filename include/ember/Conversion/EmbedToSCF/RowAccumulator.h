//===- RowAccumulator.h - Where the rows of a segment are reduced  -*- C++
//-*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_EMBEDTOSCF_ROWACCUMULATOR_H
#define EMBER_CONVERSION_EMBEDTOSCF_ROWACCUMULATOR_H

#include "ember/Conversion/EmbedToSCF/NestBuilder.h"
#include "ember/Dialect/Embed/IR/Embed.h"

namespace ember {

/// A row of the output, or, where that is narrower than what is computed in, a
/// row of scratch memory that is rounded into it once.
class RowAccumulator {
public:
  /// Rows are `length` long and begin at `column` of `out`'s rows. Allocates
  /// scratch memory at the insertion point if it is needed.
  RowAccumulator(NestBuilder &builder, embed::Reduction reduction,
                 mlir::Value out, mlir::Value length, mlir::Value column,
                 mlir::FloatType type);

  /// Goes to a row of the output, and zeroes it.
  void begin(mlir::Value row);
  /// Goes on with a row of the output.
  void resume(mlir::Value newRow) { row = newRow; }
  /// Reduces `term(d)` into every element; `isFirst` (i1) says if it is the
  /// segment's first one and `isKept` (i1, or null) if it counts at all.
  void add(mlir::Value isFirst, mlir::Value isKept,
           llvm::function_ref<mlir::Value(mlir::Value)> term);
  /// Ends the segment of `count` (index) terms.
  void end(mlir::Value count);
  /// Frees the scratch memory.
  void release();

private:
  llvm::SmallVector<mlir::Value> place(mlir::Value position);
  llvm::SmallVector<mlir::Value> outputPlace(mlir::Value position);

  NestBuilder &builder;
  embed::Reduction reduction;
  mlir::Value out, length, column;
  mlir::FloatType type;
  mlir::Value scratch, row;
};

} // namespace ember

#endif // EMBER_CONVERSION_EMBEDTOSCF_ROWACCUMULATOR_H
