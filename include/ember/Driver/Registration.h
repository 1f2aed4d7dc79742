//===- Registration.h - Dialects and passes Ember's tools know --*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_REGISTRATION_H
#define EMBER_DRIVER_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace ember {

/// Registers Ember's dialects and the upstream dialects that programs on the
/// way from scf to native code use. Only these: registering all of upstream
/// costs start-up and link time.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers Ember's passes and pipelines, and the upstream passes that are of
/// use beside them.
void registerPasses();

} // namespace ember

#endif // EMBER_DRIVER_REGISTRATION_H
