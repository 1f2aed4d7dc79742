//===- ember-opt.cpp - Ember's optimiser driver ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// mlir-opt with the dialects in use and Ember's passes and pipelines.
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Registration.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  ember::registerDialects(registry);
  ember::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Ember optimiser driver\n", registry));
}
