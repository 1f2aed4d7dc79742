//===- MemRefNames.h - What memrefs are called ------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_MEMREFNAMES_H
#define EMBER_ANALYSIS_MEMREFNAMES_H

#include "mlir/IR/Value.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace ember {

/// The name that the program gives to an argument or a result, without quotes;
/// null where it gives none. Views are not followed.
mlir::StringAttr givenName(mlir::Value value);
mlir::StringAttr givenName(mlir::FunctionOpInterface function, unsigned index);

/// The name of an argument in messages: the given one quoted, or "argument K".
std::string argumentName(mlir::FunctionOpInterface function, unsigned index);

/// The name of the memref in messages: its given name or the position of the
/// argument, "a view of" one, or where a local buffer is allocated.
std::string memrefName(mlir::Value memref);

/// A dimension of the memref in messages, such as "dimension 0 of 'A'": its
/// own, or what its indices are those of.
std::string dimensionName(mlir::Value memref, int64_t dim);

/// The dimension whose rows begin and end where two neighbouring elements of
/// the memref say; null where nothing says that they do.
mlir::StringAttr rowsName(mlir::Value memref);

/// Has messages in `function` call an argument, and what its indices and
/// elements are of, what they call `memref`.
void nameInMessages(mlir::FunctionOpInterface function, unsigned index,
                    mlir::Value memref);

/// A short name, without quotes, for columns of statistics and traces: the
/// given name of the buffer behind `memref`, `argK` for an argument without
/// one, `local` for a buffer of the function.
std::string reportName(mlir::Value memref);

} // namespace ember

#endif // EMBER_ANALYSIS_MEMREFNAMES_H
