//===- NestDialect.h - Dialects whose operations nests hold -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_IR_NESTDIALECT_H
#define EMBER_DIALECT_SLC_IR_NESTDIALECT_H

#include "mlir/IR/DialectInterface.h"

namespace ember::slc {

/// The bodies of loops of the access unit hold streams, loops and callbacks:
/// operations of the dialects that have this interface. Everything else is
/// compute code.
class NestDialectInterface
    : public mlir::DialectInterface::Base<NestDialectInterface> {
public:
  explicit NestDialectInterface(mlir::Dialect *dialect) : Base(dialect) {}
};

} // namespace ember::slc

#endif // EMBER_DIALECT_SLC_IR_NESTDIALECT_H
