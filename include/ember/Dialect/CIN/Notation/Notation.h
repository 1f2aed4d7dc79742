//===- Notation.h - Statements as text --------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `out[b,e] = sum[p in offsets[b]:offsets[b+1]](W[I[p],e] * w[p])`. The page
// docs/notation.md describes the language.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_NOTATION_NOTATION_H
#define EMBER_DIALECT_CIN_NOTATION_NOTATION_H

#include "ember/Dialect/CIN/IR/Level.h"
#include "ember/Dialect/CIN/IR/RowEncodings.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <vector>

namespace ember::cin {

/// The file of places in statements, which are in none.
inline constexpr llvm::StringLiteral notationFile = "notation";

/// How an array is stored, as options say it.
struct NamedFormat {
  std::vector<Level> levels;
  /// The dimension of each level.
  std::vector<unsigned> order;
  /// Of positions and coordinates; null for i64.
  mlir::Type index;
  /// Of values that are rows of bytes.
  std::optional<cin::RowLayout> encoding;
};

/// What formats may be called.
std::vector<llvm::StringRef> getFormatNames();
/// The levels of a format that has a name, `dense,compressed`, with the order
/// of dimensions as parseNamedFormat reads it; empty if it is not for arrays of
/// `rank` dimensions.
std::string spellFormat(llvm::StringRef name, size_t rank);

/// The format that `text` names for an array of `rank` dimensions; none if it
/// names none. `csr`, `csc`, `coo`, `dcsr`, `csf`, `bitmap`, or a level for
/// each dimension such as `dense,compressed`, with the dimensions in another
/// order behind `@`: `dense,compressed@1,0`. A type of indices may follow:
/// `csr:i32`, and how values are encoded: `csf/int8`. An encoding alone is that
/// of a dense array: `int8`, `int4:f32`, `e4m3:f8E8M0FNU:leading`.
std::optional<NamedFormat> parseNamedFormat(llvm::StringRef text, size_t rank,
                                            mlir::MLIRContext *context);

struct NotationOptions {
  /// Element types by array. Those that are not named here are of i64 if they
  /// are the index of something, else of the type of what is assigned to them
  /// first, or of f32.
  llvm::StringMap<mlir::Type> types;
  /// Sizes of dense arrays where they are known, else ShapedType::kDynamic.
  /// What is assigned to is known to be as large as arrays that it has a
  /// variable in common with.
  llvm::StringMap<std::vector<int64_t>> shapes;
  /// Dense arrays whose rows may lie apart in memory, in any order.
  llvm::StringSet<> strided;
  /// Formats by array, as text, and what is not stored, as a number; 0 if it is
  /// not said.
  llvm::StringMap<std::string> formats;
  llvm::StringMap<double> fills;
  /// Arrays of which what is not stored is missing, and those that store
  /// nothing that is their fill.
  llvm::StringSet<> missing, unstored;
  /// Arrays that are stored without gaps along their last dimension.
  llvm::StringSet<> compact;
  /// A module with functions that statements may call; null for none.
  mlir::ModuleOp functions;
  /// Scheduling relations of statements, separated as these are.
  std::string schedule;
  /// What to expect of arrays: what part of one is stored, and how long its
  /// dimensions are.
  llvm::StringMap<double> densities;
  llvm::StringMap<std::vector<int64_t>> sizes;
  /// Whether sines and cosines may be approximated.
  bool approximates = false;
  /// Of the function.
  std::string name = "kernel";
  /// Whether there is a function beside it that counts what arrays in a format
  /// store.
  bool counts = false;
};

/// A module with a function of memrefs that evaluates the statements in `text`:
/// first what they read, in the order in which it is named, then what they
/// assign to. An array `A` in a format is `A_size0` and so on, `A_positions0`,
/// `A_coordinates0` or `A_mask0` for its levels, and `A_values`. Beside one
/// that is compact, `A_count` gets how much of it is stored. What callers have
/// to know to make room for what is assigned to are attributes of these
/// parameters (`ember.sizes` and others). With `counts`, if an array that is
/// assigned to has coordinates, a function `NAME_counts` takes one of i64 in
/// place of its parts, and counts the positions of each level: the room that
/// the first one needs at most. Null after an error, of which the location is a
/// column of "notation".
mlir::OwningOpRef<mlir::ModuleOp>
buildFromNotation(llvm::StringRef text, const NotationOptions &options,
                  mlir::MLIRContext *context);

} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_NOTATION_NOTATION_H
