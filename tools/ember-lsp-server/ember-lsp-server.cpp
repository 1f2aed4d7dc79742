//===- ember-lsp-server.cpp - Ember's dialects for editors ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's language server with the dialects of Ember's programs: editors
// get diagnostics, hover texts and go-to-definition in .mlir files.
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/LargeStack.h"
#include "ember/Driver/Registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LLVM.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  ember::registerDialects(registry);
  return ember::runOnLargeStack([&] {
    return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
  });
}
