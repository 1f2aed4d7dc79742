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

namespace ember {

/// The program, as text, that evaluates the statements in `notation`; `types`
/// are ARRAY:TYPE each. An error that is about the notation has been printed.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
translateNotation(llvm::StringRef notation, llvm::ArrayRef<std::string> types);

} // namespace ember

#endif // EMBER_DRIVER_NOTATIONTEXT_H
