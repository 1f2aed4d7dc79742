//===- TokenLayout.h - What the bits of a token mean ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A token is a word of 64 bits. Where the tokens of a ring carry no values, it
// is the id of its case. Otherwise, from the lowest bit:
//
//   id            as many bits as the ring's type says, but never all ones:
//                 those are the token that ends a program
//   follows       one bit, only for values of a type that is wider than what
//                 is left: set if the value follows in the data queue
//   value         all that is left; a float of 64 bits stands there with its
//                 highest bits, whose lowest ones are zero in simple numbers
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_RINGTONATIVE_TOKENLAYOUT_H
#define EMBER_CONVERSION_RINGTONATIVE_TOKENLAYOUT_H

#include "ember/Dialect/Ring/IR/Ring.h"

namespace ember {

/// The layout of the tokens of one ring.
class TokenLayout {
public:
  explicit TokenLayout(ring::TokensType tokens)
      : tokens(tokens), idBits(tokens.getIdBits()) {}

  /// The token that ends a program, an i64.
  static mlir::Value encodeEnd(mlir::OpBuilder &builder, mlir::Location loc);
  /// The token `id`, an i64, with `value` if that is not null.
  mlir::Value encode(mlir::OpBuilder &builder, mlir::Location loc, int64_t id,
                     mlir::Value value) const;
  /// Whether `value` follows its token in the data ring, an i1.
  mlir::Value emitFollows(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value) const;

  /// The id of a token, an i64.
  mlir::Value getId(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value token) const;
  /// Whether a token is not the one that ends a program, an i1.
  mlir::Value getMore(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value token) const;
  /// Whether the value of `token` follows in the data ring, an i1.
  mlir::Value getFollows(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value token) const;
  /// The value of type `type` that `token` holds if it does not follow.
  mlir::Value getValue(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Type type, mlir::Value token) const;

  /// A value in the lowest bits of an i64.
  static mlir::Value toWord(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value value);

private:
  /// The value's bits where they stand in a token, and whether all of them do.
  struct Field {
    mlir::Value bits, fits;
  };
  Field place(mlir::OpBuilder &builder, mlir::Location loc,
              mlir::Value value) const;

  ring::TokensType tokens;
  /// 0 if the whole word is the id.
  int64_t idBits;
};

} // namespace ember

#endif // EMBER_CONVERSION_RINGTONATIVE_TOKENLAYOUT_H
