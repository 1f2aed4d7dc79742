//===- CallbackReads.cpp - Where callbacks read streams -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/StreamCode/CallbackReads.h"

#include "ember/Dialect/SLC/IR/SLC.h"

using namespace mlir;
using namespace ember;

void ember::readBeforeBranches(Operation *root) {
  root->walk([](slc::StrToValOp read) {
    auto callback = read->getParentOfType<slc::CallbackOp>();
    if (!callback || read->getBlock() == callback.getBody())
      return;
    read->moveBefore(callback.getBody()->findAncestorOpInBlock(*read));
  });
}
