//===- Operators.h - What operators of TensorFlow return --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph does not say how many results a node has, nor of which types: that
// follows from its operator. Nodes in functions name results as the operator
// does.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_TRANSLATE_GRAPHDEF_OPERATORS_H
#define EMBER_LIB_TRANSLATE_GRAPHDEF_OPERATORS_H

#include "Attributes.h"
#include "DataTypes.h"

#include "ember/Dialect/Col/IR/Col.h"

namespace ember::graphdef {

/// A row of the table: `results` are "NAME:TYPE", separated by spaces, where a
/// type is one of TensorFlow's, or an attribute that says which one, with what
/// it is by default: "idx:out_idx=int32". "NAME:TYPE*N" is as many results as
/// the attribute N says, "NAME:TYPES..." one for each of a list of types.
struct Operator {
  llvm::StringLiteral name;
  col::Effects effects;
  llvm::StringLiteral results;
};

/// The row of an operator; null for one that is not known.
const Operator *findOperator(llvm::StringRef name);

/// A result as nodes in functions call it, `name:place`, and its type, if that
/// is known.
struct Result {
  std::string name;
  unsigned place = 0;
  DataType type = 0;
};

/// The results of a node of a known operator.
mlir::FailureOr<llvm::SmallVector<Result>>
getResults(const Operator &known, const Node &node, EmitError emit);

} // namespace ember::graphdef

#endif // EMBER_LIB_TRANSLATE_GRAPHDEF_OPERATORS_H
