//===- NotationText.h - Programs out of index notation ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_NOTATIONTEXT_H
#define EMBER_DRIVER_NOTATIONTEXT_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <string>
#include <vector>

namespace ember {

/// What is said of the arrays of a notation.
struct NotationArrays {
  /// ARRAY:TYPE each.
  std::vector<std::string> types;
  /// ARRAY:FORMAT each.
  std::vector<std::string> formats;
  /// ARRAY:NUMBER, ARRAY:NUMBER:unstored or ARRAY:missing each.
  std::vector<std::string> fills;
  /// Files of functions that statements may call.
  std::vector<std::string> functions;
  /// Scheduling relations of statements.
  std::string schedule;
  /// ARRAY:NUMBER and ARRAY:NxN each.
  std::vector<std::string> densities, sizes;
  /// ARRAYS:ARRAYS each: of what, and with respect to what, gradients are
  /// evaluated by further functions. Each differentiates what the one before it
  /// made.
  std::vector<std::string> gradients;
  /// Whether the last of them is all that is wanted.
  bool isGradientAlone = false;
  /// Arrays of places whose scatters are grouped: `--cin-group-scatters`.
  std::vector<std::string> groups;
  /// Arrays that are stored without gaps.
  std::vector<std::string> compact;
  /// Whether a second kernel counts what they store.
  bool counts = false;
  /// Whether sines and cosines may be approximated.
  bool approximates = false;
};

/// The program, as text, that evaluates the statements in `notation`. An error
/// that is about the notation has been printed.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
translateNotation(llvm::StringRef notation, const NotationArrays &arrays);

} // namespace ember

#endif // EMBER_DRIVER_NOTATIONTEXT_H
