//===- ColOps.td - Operations on columns of features -------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_COL_IR_COLOPS_TD
#define EMBER_DIALECT_COL_IR_COLOPS_TD

include "ember/Dialect/Col/IR/ColNode.td"

#endif // EMBER_DIALECT_COL_IR_COLOPS_TD
