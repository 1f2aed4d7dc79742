//===- IndexExpr.h - Index values as sums -----------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Index arithmetic as sums of values with constant factors, modulo 2^64, and
// the sizes of memrefs in the same form: what run-time checks are proven,
// compared and moved out of loops with.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_INDEXEXPR_H
#define EMBER_ANALYSIS_INDEXEXPR_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Compiler.h"
#include <optional>

namespace ember {

/// A sum: terms of a value times a factor, and a constant. All arithmetic
/// wraps, as index arithmetic does.
class IndexExpr {
public:
  using Term = std::pair<mlir::Value, int64_t>;

  IndexExpr() = default;
  explicit IndexExpr(int64_t constant) : constant(constant) {}
  explicit IndexExpr(mlir::Value value) : terms({{value, 1}}) {}

  IndexExpr operator+(const IndexExpr &other) const;
  IndexExpr operator-(const IndexExpr &other) const;
  IndexExpr operator+(int64_t value) const { return *this + IndexExpr(value); }
  IndexExpr scaled(int64_t factor) const;

  /// This sum with `value` replaced.
  IndexExpr substituted(mlir::Value value, const IndexExpr &by) const;

  bool operator==(const IndexExpr &other) const;

  int64_t coefficient(mlir::Value value) const;
  llvm::ArrayRef<Term> getTerms() const LLVM_LIFETIME_BOUND { return terms; }
  int64_t getConstant() const { return constant; }
  std::optional<int64_t> asConstant() const {
    return terms.empty() ? std::optional<int64_t>(constant) : std::nullopt;
  }
  /// The value, where the sum is one value and nothing else.
  mlir::Value asValue() const;

  /// Code that computes the sum, as an index.
  mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc) const;

private:
  /// As the sum was put together, each value once, no factor zero.
  llvm::SmallVector<Term, 2> terms;
  int64_t constant = 0;
};

/// Turns values into sums, and remembers. Counters that a loop carries along
/// become multiples of its induction variable, and lanes of vectors of indices
/// what they were computed from.
class IndexExprs {
public:
  /// What `value`, an index or i64, is the sum of.
  IndexExpr of(mlir::Value value);

  /// The size of dimension `dim` of `memref`: a constant, the operand it was
  /// made with, or a memref.dim at the place `memref` is defined.
  IndexExpr size(mlir::Value memref, int64_t dim);

  /// The last value of the induction variable of `loop`, which has a constant
  /// positive step, if the loop runs at all. May add code that computes it in
  /// front of the loop, or further out.
  IndexExpr lastIteration(mlir::scf::ForOp loop);

  /// Whether `expr` is a size, and so known not to be negative.
  bool isSize(const IndexExpr &expr) const;

private:
  IndexExpr decompose(mlir::Value value, unsigned depth);
  std::optional<IndexExpr> carried(mlir::BlockArgument argument,
                                   unsigned depth);
  std::optional<IndexExpr> lane(mlir::Value vector, int64_t position,
                                unsigned depth);
  IndexExpr sizeOf(mlir::Value memref, int64_t dim, unsigned depth);
  IndexExpr of(mlir::Value value, unsigned depth);
  IndexExpr of(mlir::OpFoldResult value, unsigned depth);

  llvm::DenseMap<mlir::Value, IndexExpr> known;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> dims;
  llvm::DenseMap<mlir::Operation *, IndexExpr> lastIterations;
  llvm::DenseSet<mlir::Value> sizes;
};

} // namespace ember

#endif // EMBER_ANALYSIS_INDEXEXPR_H
