//===- StatementBuilder.h - Writes the statements of an operation -*- C++ -*-=//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_EMBEDTOCIN_STATEMENTBUILDER_H
#define EMBER_CONVERSION_EMBEDTOCIN_STATEMENTBUILDER_H

#include "ember/Dialect/CIN/IR/CIN.h"
#include "ember/Dialect/Embed/IR/Embed.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ember {

/// A function: one of the table by its name, or what an operation calls.
class Callee {
public:
  Callee() = default;
  Callee(const char *name) : name(name) {}
  Callee(mlir::Attribute callee) : attribute(callee) {}

  explicit operator bool() const { return attribute || !name.empty(); }
  mlir::Attribute get(mlir::MLIRContext *context) const {
    if (attribute)
      return attribute;
    return cin::BuiltinAttr::get(context, cin::findBuiltin(name));
  }

private:
  llvm::StringRef name;
  mlir::Attribute attribute;
};

/// What combines the rows of a segment; a mean is their sum, to be divided.
Callee getFunction(embed::Reduction reduction);

/// Writes a `cin.evaluate` in front of an operation. Arrays and scalars are
/// named by what they are outside.
class StatementBuilder : public mlir::ImplicitLocOpBuilder {
public:
  /// An operand with what it is called; null for one that is not there.
  using Named = std::pair<llvm::StringRef, mlir::Value>;
  StatementBuilder(mlir::Operation *op, llvm::ArrayRef<Named> inputs,
                   mlir::ValueRange results);
  /// Of what the operation itself overwrites.
  StatementBuilder(mlir::DestinationStyleOpInterface op,
                   llvm::ArrayRef<Named> inputs)
      : StatementBuilder(op, inputs, op.getDpsInitOperand(0)->get()) {}

  /// Ends the evaluation; on tensors, it has results.
  mlir::ResultRange finish();
  /// Ends it, and has it take the place of the operation.
  void replace(mlir::Operation *op);

  //===--------------------------------------------------------------------===//
  // In front of the evaluation
  //===--------------------------------------------------------------------===//

  mlir::ImplicitLocOpBuilder &before() { return outside; }
  mlir::Value constant(int64_t value);
  mlir::Value plusOne(mlir::Value value);
  /// The size of an operand along a dimension.
  mlir::Value size(mlir::Value array, int64_t dimension) {
    return size(outside, array, dimension);
  }
  static mlir::Value size(mlir::ImplicitLocOpBuilder &builder,
                          mlir::Value array, int64_t dimension);
  /// Stops the program with the message unless the sizes are equal.
  void requireEqual(mlir::Value a, mlir::Value b, const llvm::Twine &message) {
    requireEqual(outside, a, b, message);
  }
  static void requireEqual(mlir::ImplicitLocOpBuilder &builder, mlir::Value a,
                           mlir::Value b, const llvm::Twine &message);
  void requireSameSize(mlir::Value a, int64_t aDimension, mlir::Value b,
                       int64_t bDimension, const llvm::Twine &message);
  /// Has `table` stand for what its rows of bytes encode, as a `type`: as many
  /// elements as a dimension of `array` has. Stops the program with the message
  /// unless rows have as many bytes as these need. Without a format, rows are
  /// what they are, and compared alike.
  void readRows(mlir::Value table, cin::RowFormatAttr format,
                mlir::FloatType type, mlir::Value array, int64_t dimension,
                const llvm::Twine &message);
  /// The name in statements of a scalar that is computed in front of them.
  mlir::Value scalar(llvm::StringRef name, mlir::Value value);
  /// The name in statements of an operand.
  mlir::Value getName(mlir::Value operand) const {
    return names.lookup(operand);
  }

  //===--------------------------------------------------------------------===//
  // Statements
  //===--------------------------------------------------------------------===//

  /// A variable, with bounds or with all positions of what it is an index of.
  struct Variable {
    llvm::StringRef name;
    mlir::Value lower = {}, upper = {};
  };
  cin::ForallOp forall(llvm::ArrayRef<Variable> variables,
                       llvm::function_ref<void(mlir::ValueRange)> body);
  /// What is reduced: a value, where the condition holds if there is one.
  struct Term {
    Term(mlir::Value value, mlir::Value condition = {})
        : value(value), condition(condition) {}
    mlir::Value value, condition;
  };
  /// What a function makes of all terms; `otherwise` if there are none, of a
  /// function without identity.
  mlir::Value reduce(Callee function, llvm::ArrayRef<Variable> variables,
                     mlir::Type type,
                     llvm::function_ref<Term(mlir::ValueRange)> term,
                     mlir::TypedAttr otherwise = {});
  /// What a function makes of all terms, in their order unless it is one that
  /// `addsToZero`; 0 if there are none.
  mlir::Value
  reduceOrZero(Callee function, llvm::ArrayRef<Variable> variables,
               mlir::FloatType type,
               llvm::function_ref<mlir::Value(mlir::ValueRange)> term);
  /// Whether a function makes the same of terms in any order, and of none 0.
  bool addsToZero(Callee function, mlir::FloatType type);

  /// A dimension of an operand, or, of none, a size.
  using Dimension = std::pair<mlir::Value, unsigned>;
  /// Statements that use what others put in a workspace, which is as large as
  /// some dimensions.
  void where(mlir::Type element, llvm::ArrayRef<Dimension> dimensions,
             llvm::function_ref<void(mlir::Value)> produce,
             llvm::function_ref<void(mlir::Value)> consume);

  /// An array that these statements alone know, with zeros at first: one
  /// element more than `array` has.
  mlir::Value temporaryBeyond(llvm::StringRef name, mlir::Type element,
                              mlir::Value array);
  /// Where segments of these lengths begin and end, of elements of `within`.
  mlir::Value scan(mlir::Value lengths, mlir::Value within);
  /// The size of an operand along a dimension, in statements.
  mlir::Value extent(mlir::Value array, unsigned dimension);
  mlir::Value access(mlir::Value array, mlir::ValueRange indices);
  /// The element as a `type`.
  mlir::Value accessAs(mlir::Type type, mlir::Value array,
                       mlir::ValueRange indices) {
    return convert(access(array, indices), type);
  }
  mlir::Value convert(mlir::Value value, mlir::Type type);
  /// A function whose result is of its operands' type.
  mlir::Value call(Callee function, mlir::ValueRange operands) {
    return call(function, operands, operands.back().getType());
  }
  mlir::Value call(Callee function, mlir::ValueRange operands,
                   mlir::Type result);
  /// A function that need not be right in its last bits.
  mlir::Value approximate(Callee function, mlir::Value operand);
  /// A product; `value` if there is no factor.
  mlir::Value times(mlir::Value value, mlir::Value factor) {
    return factor ? call("mul", {value, factor}) : value;
  }
  /// What the sum of `count` terms is divided by: at least 1.
  mlir::Value divisor(mlir::Value count, mlir::Type type);
  /// How many positions are from `begin` to `end`.
  mlir::Value length(mlir::Value begin, mlir::Value end);
  mlir::Value isZero(mlir::Value count);
  mlir::Value literal(mlir::Type type, double value);
  mlir::Value literal(int64_t value);
  /// An affine expression of indices, which it has as dimensions.
  mlir::Value apply(mlir::AffineExpr expression, mlir::ValueRange indices);
  /// Stores a value, rounded once, in an element of an operand.
  void assign(mlir::Value value, mlir::Value array, mlir::ValueRange indices,
              Callee function = {}, mlir::Value condition = {});
  /// Combines a value with what is there, in the order of loops; where
  /// `isFirst` holds, it takes its place.
  void assignInOrder(mlir::Value value, mlir::Value array,
                     mlir::ValueRange indices, Callee function,
                     mlir::Value isFirst = {});

private:
  /// The name of an operand; workspaces have no other one.
  mlir::Value nameOf(mlir::Value array) const {
    auto known = names.find(array);
    return known == names.end() ? array : known->second;
  }
  void take(llvm::StringRef name, mlir::Value operand);

  bool onTensors() { return !evaluate.getResultTypes().empty(); }

  mlir::ImplicitLocOpBuilder outside;
  cin::EvaluateOp evaluate;
  llvm::DenseMap<mlir::Value, mlir::Value> names;
  llvm::SmallVector<llvm::StringRef> spelled;
};

} // namespace ember

#endif // EMBER_CONVERSION_EMBEDTOCIN_STATEMENTBUILDER_H
