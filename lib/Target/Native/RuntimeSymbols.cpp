//===- RuntimeSymbols.cpp - The runtime's functions, for the JIT ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Runtime/ColumnCalls.h"
#include "ember/Runtime/Queue.h"
#include "ember/Runtime/Runtime.h"
#include "ember/Target/Native/JIT.h"

namespace ember::native {

SymbolTable runtimeSymbols() {
  static std::pair<llvm::StringRef, void *> symbols[] = {
#define EMBER_RUNTIME_FUNCTION(NAME) {#NAME, reinterpret_cast<void *>(&NAME)},
#include "ember/Runtime/Symbols.def"
  };
  return llvm::ArrayRef(symbols);
}

} // namespace ember::native
