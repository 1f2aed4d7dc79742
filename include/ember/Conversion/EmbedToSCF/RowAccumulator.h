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

/// What is reduced into an element: a value, or its product with a factor,
/// mostly the same for all elements of the row. Sums round a product only
/// together with the sum (one fused operation where processors have it).
struct RowTerm {
  RowTerm(mlir::Value value, mlir::Value factor = {})
      : value(value), factor(factor) {}

  mlir::Value value, factor;
};

/// What an accumulator of sums does besides adding terms to elements.
struct RowSumKinds {
  /// There will be calls of shift.
  bool hasShifts = false;
  /// There will be calls of addPairs, and none of add.
  bool hasPairs = false;
};

class StoredRows;

/// A row of the output, or, where that is narrower than what is computed in, a
/// row of scratch memory that is rounded into it once.
class RowAccumulator {
public:
  /// Rows are `length` long and begin at `column` of `out`'s rows. Allocates
  /// scratch memory at the insertion point if it is needed.
  RowAccumulator(NestBuilder &builder, embed::Reduction reduction,
                 mlir::Value out, mlir::Value length, mlir::Value column,
                 mlir::FloatType type, RowSumKinds kinds = {});

  /// Goes to a row of the output, and zeroes it.
  void begin(mlir::Value row);
  /// Reduces `term(d)` into every element; `isFirst` (i1) says if it is the
  /// segment's first one and `isKept` (i1, or null) if it counts at all.
  /// Elements are visited as those of `stored` have to be, if it is given.
  void add(mlir::Value isFirst, mlir::Value isKept, StoredRows *stored,
           llvm::function_ref<RowTerm(mlir::Value)> term);
  /// The same for a sum or mean whose elements come two at a time: `pair(j)`
  /// are the terms of elements 2j and 2j + 1. The sums of even and of odd
  /// elements stand apart until the segment ends, so that neither terms nor
  /// sums have to change places.
  void
  addPairs(mlir::Value isKept,
           llvm::function_ref<std::pair<RowTerm, RowTerm>(mlir::Value)> pair);
  /// Adds `value` to all elements of a sum or mean. The shifts of a segment are
  /// summed up apart, which takes one addition for the row and not one for each
  /// element.
  void shift(mlir::Value isKept, mlir::Value value);
  /// Ends the segment of `count` (index) terms.
  void end(mlir::Value count);
  /// Frees the scratch memory.
  void release();

private:
  mlir::Value maximum(mlir::Value old, RowTerm term, mlir::Value isFirst);
  mlir::Value sum(mlir::Value old, RowTerm term);
  /// Is given element `d` of the row and its sum.
  using Finish = llvm::function_ref<void(mlir::Value d, mlir::Value sum)>;
  void forEachSum(Finish finish);
  void accumulate(mlir::Value memory, llvm::ArrayRef<mlir::Value> at,
                  mlir::Value isKept,
                  llvm::function_ref<mlir::Value(mlir::Value)> combine);
  llvm::SmallVector<mlir::Value> place(mlir::Value position);
  llvm::SmallVector<mlir::Value> outputPlace(mlir::Value position);

  NestBuilder &builder;
  embed::Reduction reduction;
  mlir::Value out, length, column;
  mlir::FloatType type;
  /// One element of memory: the sum of the segment's shifts, or null.
  mlir::Value shifts;
  /// The row, or its even elements and apart from them its odd ones.
  mlir::Value scratch, oddScratch;
  mlir::Value row;
};

} // namespace ember

#endif // EMBER_CONVERSION_EMBEDTOSCF_ROWACCUMULATOR_H
