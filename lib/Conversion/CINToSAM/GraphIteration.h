//===- GraphIteration.h - The streams that a statement iterates over -*- C++
//-*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_CINTOSAM_GRAPHITERATION_H
#define EMBER_LIB_CONVERSION_CINTOSAM_GRAPHITERATION_H

#include "StatementPaths.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ember {

/// Scanners, joiners, locators and repeaters: all that leads to references.
class GraphIteration {
public:
  /// `tensors` are the names that arrays have in the graph.
  GraphIteration(StatementPaths &paths, mlir::ImplicitLocOpBuilder &builder,
                 const llvm::DenseMap<mlir::Value, mlir::Value> &tensors)
      : paths(paths), builder(builder), tensors(tensors) {}

  /// Builds the blocks of all variables, after an error if there are too many
  /// operands to one.
  llvm::LogicalResult build();

  mlir::Value getRoot() const { return root; }
  /// The merged coordinates of a variable.
  mlir::Value getCoordinates(unsigned variable) const {
    return coordinates[variable];
  }
  /// The references of an access at its last level.
  mlir::Value getReferences(const AccessPath &path) const {
    return references[&path - paths.accesses.data()];
  }
  /// The variables that an access is in the scope of, the outermost loop first.
  llvm::SmallVector<unsigned> getScopes(const AccessPath &path) const;

  /// `stream` for each of the coordinates.
  mlir::Value repeat(mlir::Value stream, mlir::Value along);
  /// The position of coordinates at a level of what they are an index of.
  mlir::Value locate(const AccessPath &path, unsigned level,
                     mlir::Value repeated, mlir::Value along);

private:
  /// What several accesses walk: the same fiber.
  struct Operand {
    cin::Fiber fiber;
    llvm::SmallVector<unsigned> accesses;
    mlir::Value coordinates, positions;
  };

  llvm::LogicalResult buildVariable(unsigned variable);
  /// The fibers that a variable's coordinates are stored in.
  std::vector<Operand> collectOperands(unsigned variable);
  /// The coordinates at which the variable's scope does anything.
  CoordinateSet deriveSet(unsigned variable,
                          llvm::ArrayRef<Operand> operands) const;
  /// The merged coordinates; sets the operands' positions beside them.
  mlir::Value join(unsigned variable, const CoordinateSet &set,
                   std::vector<Operand> &operands);
  /// The same of what `join` makes of the operands' words of bits.
  mlir::Value
  joinBits(unsigned width,
           llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>)> join,
           std::vector<Operand> &operands);
  /// An error if operands that are to be joined as bits are not compressed.
  llvm::LogicalResult checkBits(unsigned variable,
                                llvm::ArrayRef<Operand> operands) const;
  /// All coordinates of a variable.
  mlir::Value scanAll(unsigned variable);
  /// The same by a scanner of an access that is all dense, which is taken from
  /// `rest`; null if there is none.
  mlir::Value scanDense(unsigned variable, llvm::SmallBitVector &rest);

  StatementPaths &paths;
  mlir::ImplicitLocOpBuilder &builder;
  const llvm::DenseMap<mlir::Value, mlir::Value> &tensors;
  mlir::Value root;
  llvm::SmallVector<mlir::Value> coordinates;
  llvm::SmallVector<mlir::Value> references;
  llvm::DenseMap<mlir::Value, mlir::Value> signals;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, mlir::Value> repeats;
};

} // namespace ember

#endif // EMBER_LIB_CONVERSION_CINTOSAM_GRAPHITERATION_H
