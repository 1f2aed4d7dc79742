//===- WriteSchema.cpp - Prints the schema of machine files ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Machine/MachineParameters.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

int main() {
  llvm::outs() << llvm::formatv("{0:2}\n",
                                llvm::json::Value(ember::sim::machineSchema()));
  return 0;
}
