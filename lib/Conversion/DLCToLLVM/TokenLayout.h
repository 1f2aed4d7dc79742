//===- TokenLayout.h - What the bits of a token mean ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A token is a word of 64 bits. Where no token of a pair of programs carries a
// value, it is the id of its case. Otherwise, from the lowest bit:
//
//   id            as many bits as the largest id needs, but never all ones:
//                 those are the token that ends a program
//   follows       one bit, only for values of a type that is wider than what
//                 is left: set if the value follows in the data queue
//   value         all that is left; a float of 64 bits stands there with its
//                 highest bits, whose lowest ones are zero in simple numbers
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_DLCTOLLVM_TOKENLAYOUT_H
#define EMBER_LIB_CONVERSION_DLCTOLLVM_TOKENLAYOUT_H

#include "ember/Dialect/DLC/IR/DLC.h"

namespace ember {

/// The id of the token that ends a program.
constexpr int64_t doneToken = -1;

/// The layout of the tokens of one pair of programs.
class TokenLayout {
public:
  explicit TokenLayout(dlc::ConfigAccessOp access);

  /// A token, an i64, and whether its value follows in the data queue, an i1;
  /// null if it never does.
  struct Word {
    mlir::Value bits, follows;
  };

  /// The token `id`, with `value` if that is not null.
  Word encode(mlir::OpBuilder &builder, mlir::Location loc, int64_t id,
              mlir::Value value) const;

  /// The id of a token, an i64; `doneId()` in the one that ends a program.
  mlir::Value getId(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value token) const;
  int64_t doneId() const;

  /// Whether the value of type `type` of `token` follows in the data queue, an
  /// i1; null if it never does.
  mlir::Value getFollows(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Type type, mlir::Value token) const;
  /// The value of type `type` that `token` holds if it does not follow.
  mlir::Value getValue(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Type type, mlir::Value token) const;

  /// A token's value in the lowest bits of an i64.
  static mlir::Value toWord(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value value);

private:
  /// True if values of `type` may need more bits than there are.
  bool mayFollow(mlir::Type type) const;

  /// 0 if the whole word is the id.
  int64_t idBits = 0;
};

} // namespace ember

#endif // EMBER_LIB_CONVERSION_DLCTOLLVM_TOKENLAYOUT_H
