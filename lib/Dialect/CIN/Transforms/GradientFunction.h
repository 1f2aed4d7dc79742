//===- GradientFunction.h - The gradient of a function ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_GRADIENTFUNCTION_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_GRADIENTFUNCTION_H

#include "StatementGradient.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace ember::cin {

/// The type of the gradient by an array or a number.
mlir::MemRefType getGradientArray(mlir::Value array);
/// Whether some statement of an evaluation assigns to an array.
bool isAssigned(mlir::Value array);

/// Builds the function that evaluates the gradients of another one's
/// statements, last ones first.
class GradientFunction : public GradientArrays {
public:
  /// The statements of `evaluate` are simplified; it stays in its function only
  /// as long as this takes.
  /// `suffix` is what gradients are called, behind the names of their arrays.
  GradientFunction(mlir::func::FuncOp function, EvaluateOp evaluate,
                   llvm::StringRef name, llvm::StringRef suffix,
                   bool isOfGradient);

  /// What is not complete is dropped.
  ~GradientFunction() override {
    if (made)
      made->erase();
  }

  llvm::FailureOr<mlir::func::FuncOp> build(llvm::ArrayRef<std::string> of,
                                            llvm::ArrayRef<std::string> wrt);

  mlir::Value getForward(mlir::Value array, mlir::Operation *reader) override;
  mlir::Value getAssigned(AssignOp assign) override;
  mlir::Value getLocating(AssembleOp array) override;

private:
  /// The gradient by an array.
  struct Adjoint {
    /// Null before there is any.
    mlir::Value array;
    /// Whether it may be added to: it is none that the caller gives.
    bool isOwn = false;
    /// Whether something is in it.
    bool isStarted = false;
    /// The parameter of the result, counted from the first one; none for arrays
    /// whose gradient nobody asked for.
    std::optional<unsigned> result;
  };

  /// The array or number of that name; null after an error.
  mlir::Value find(llvm::StringRef name, llvm::StringRef option);
  llvm::LogicalResult readNames(llvm::ArrayRef<std::string> of,
                                llvm::ArrayRef<std::string> wrt);
  void addParameter(llvm::StringRef name, mlir::Type type) {
    names.push_back(name.str());
    types.push_back(type);
  }
  void numberStatements();
  void createFunction();
  /// Which arrays depend on what is asked for.
  void findActive();
  llvm::LogicalResult differentiate(ForallOp statement);
  /// Statements that say what an assignment by max or min chose.
  llvm::LogicalResult choose(ForallOp statement, AssignOp assign,
                             StatementGradient::Combination &combination);
  /// The same of what one by a product multiplied.
  llvm::LogicalResult multiply(ForallOp statement, AssignOp assign,
                               StatementGradient::Combination &combination);
  /// A temporary of numbers for each element that is assigned to, which are
  /// `initial` first.
  mlir::Value makeCombined(AssignOp assign, llvm::StringRef name,
                           double initial);
  /// The distinct accesses and numbers of a statement that depend on what is
  /// asked for.
  llvm::SetVector<mlir::Value> findLeaves(ForallOp statement);
  /// What a gradient is by where `array` is read: the array in a format whose
  /// values it is, or itself.
  mlir::Value getWhole(mlir::Value array);
  /// The array to add the gradient by `array` to.
  Adjoint &own(mlir::Value array);
  /// A temporary of gradients by `array`, of the same size.
  TemporaryOp makeLike(mlir::Value array, const llvm::Twine &name);
  /// Evaluates again the temporaries whose values are needed.
  llvm::LogicalResult recompute();
  /// Zeros for what does not depend on anything.
  void complete();
  /// Drops parameters that are not used, and says what callers have to know.
  /// Asks gradients for sizes of arrays of which nothing else is read, so that
  /// these are no parameters.
  void readSizesOfGradients();
  llvm::LogicalResult finish();

  std::string getName(mlir::Value array) { return evaluate.getNameOf(array); }
  std::string getGradientName(mlir::Value array) {
    return getName(array) + suffix;
  }
  unsigned getNumber(mlir::Operation *op) {
    return numbers.lookup(getStatement(op));
  }

  mlir::func::FuncOp function;
  EvaluateOp evaluate;
  std::string name, suffix;
  /// Whether the statements are those of a gradient.
  bool isOfGradient;
  mlir::OpBuilder builder;
  llvm::SmallVector<ForallOp> statements;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  llvm::SmallVector<mlir::Value> of, wrt;

  /// Parameters of the new function.
  std::vector<std::string> names;
  llvm::SmallVector<mlir::Type> types;
  size_t inputCount = 0;
  mlir::func::FuncOp made;
  EvaluateOp gradients;
  /// What statements that are evaluated again stand in front of.
  ForallOp marker;

  mlir::IRMapping forward;
  llvm::MapVector<mlir::Value, Adjoint> adjoints;
  llvm::DenseSet<mlir::Value> active;
  llvm::SetVector<mlir::Value> needed;
  FunctionDerivatives functions;
};

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_GRADIENTFUNCTION_H
