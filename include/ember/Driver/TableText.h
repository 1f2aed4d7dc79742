//===- TableText.h - The tables of stages and targets as text ---*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For --help, for errors, and for Python, whose own list is
// python/ember/tables.json.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_TABLETEXT_H
#define EMBER_DRIVER_TABLETEXT_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include <string>

namespace ember {

/// "a, b or c".
std::string joinNames(llvm::ArrayRef<llvm::StringRef> names);

/// The names of rows of a table.
template <typename RangeT> std::string joinNames(const RangeT &rows) {
  llvm::SmallVector<llvm::StringRef> names(
      llvm::map_range(rows, [](const auto &row) { return row.name; }));
  return joinNames(llvm::ArrayRef<llvm::StringRef>(names));
}

/// The paragraphs of --help.
void printStages(llvm::raw_ostream &os);
void printTargets(llvm::raw_ostream &os);

/// {"stages": [{"name": "slc", ...}, ...], "targets": [...],
///  "row_encodings": [...], "row_parameters": [...]}
llvm::json::Value makeTables();

} // namespace ember

#endif // EMBER_DRIVER_TABLETEXT_H
