//===- Repeat.h - A kernel called as it was before --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_NATIVE_REPEAT_H
#define EMBER_NATIVE_REPEAT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace ember {

/// Makes the type ember_calls.Repeat for kernels of the type ember_calls.Call;
/// null with an exception.
PyObject *makeRepeatType(PyObject *callType);

} // namespace ember

#endif // EMBER_NATIVE_REPEAT_H
