//===- EncodedAccesses.h - What a statement reads of encoded arrays -*- C++
//-*-//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_ENCODEDACCESSES_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_ENCODEDACCESSES_H

#include "RowDecoder.h"

#include <map>
#include <memory>

namespace ember::cin {

/// An element of an encoded array: which row has it, and where.
struct EncodedAccess {
  AccessOp access;
  RowDecoder *decoder = nullptr;
  mlir::Value row, column;
  /// The variable that the column is, if it has all columns of the array.
  mlir::BlockArgument variable;
};

/// The accesses of one statement. What is the same for all of it is built in a
/// loop without variables around it.
class EncodedAccesses {
public:
  explicit EncodedAccesses(ForallOp statement);

  /// Rewrites accesses of encoded arrays that are dense, or of those of which
  /// coordinates are stored.
  void run(bool areListed);

  // For what rewrites whole loops.
  RowExpressionBuilder &getBuilder() { return builder; }
  ForallOp getAround() { return around; }
  std::vector<EncodedAccess> &getAll() { return all; }
  /// Builds in front of the statement's loops.
  void enterAround();
  /// How many elements the rows of what is accessed have, built there.
  mlir::Value getLength(const EncodedAccess &access);
  /// The same, if its type says so.
  static std::optional<int64_t> getFixedLength(const EncodedAccess &access);

private:
  void normalize(AccessOp access);
  /// Of an array of which coordinates are stored.
  void normalizeListed(AccessOp access);
  /// Of an access that asks whether an element is stored.
  void normalizeQuestion(AccessOp access);
  /// What says where its elements are, or its rows if values are in rows.
  AssembleOp getLocating(AssembleOp array);
  /// Leaves out what is looked up where `isStored` does not hold.
  void guard(AccessOp access, mlir::Value isStored);
  /// The outermost operation around `access` that values may be computed in
  /// front of that depend on `operands` alone.
  mlir::Operation *findPoint(mlir::Operation *access,
                             mlir::ValueRange operands);
  /// The coordinate, checked if nothing else says that it is one of a dense
  /// level.
  mlir::Value checkCoordinate(AccessOp access, unsigned dimension,
                              mlir::Value coordinate);
  bool isPlain(AccessOp access, unsigned dimension, mlir::Value coordinate);
  void keepSizes(mlir::BlockArgument variable);
  void decode(EncodedAccess &access);
  RowDecoder &getDecoder(AssembleOp array);

  RowExpressionBuilder builder;
  ForallOp around;
  std::vector<EncodedAccess> all;
  llvm::DenseMap<mlir::Value, std::unique_ptr<RowDecoder>> decoders;
  llvm::DenseMap<mlir::Value, mlir::Value> lengths;
  llvm::DenseMap<mlir::Value, AssembleOp> locating;
  /// Scales and biases by array, row, and where they are computed.
  std::map<std::tuple<void *, void *, mlir::Operation *>,
           std::pair<mlir::Value, mlir::Value>>
      parameters;
};

/// Adds up the biases of rows apart from their elements, wherever rows are
/// added up; see --cin-expand-encodings.
void factorRowSums(EncodedAccesses &accesses);

/// Makes loops over blocks of those over elements that have scales of blocks.
void splitIntoBlocks(EncodedAccesses &accesses);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_ENCODEDACCESSES_H
