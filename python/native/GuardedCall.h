//===- GuardedCall.h - Captured functions by their guards -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_NATIVE_GUARDEDCALL_H
#define EMBER_NATIVE_GUARDEDCALL_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace ember {

/// Makes the type ember_calls.GuardedCall; null with an exception.
PyObject *makeGuardedCallType();

} // namespace ember

#endif // EMBER_NATIVE_GUARDEDCALL_H
