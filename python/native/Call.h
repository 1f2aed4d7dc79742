//===- Call.h - A kernel with its first arguments ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_NATIVE_CALL_H
#define EMBER_NATIVE_CALL_H

#include "Argument.h"
#include "ember/Runtime/Runtime.h"

namespace ember {

using Function = int32_t (*)(void **, ember_error *);

/// The type ember_calls.Call; see callType for its fields in Python.
struct Call {
  PyObject_HEAD vectorcallfunc vectorcall;
  Function function;
  Py_ssize_t fixedCount, openCount;
  Py_ssize_t openWords;  // of all open parameters together
  int64_t *fixedWords;   // descriptors of the fixed arguments
  void **fixedPointers;  // to each of them
  Parameter *parameters; // the open ones
  const dlpack::ExchangeTable *table;
  PyObject *fields;  // the tuples that parameters refer to
  PyObject *readers; // for each open parameter: words, what to keep
  PyObject *tensorTypes;
  PyObject *kept;       // what fixed words point to
  PyObject *wrongCount; // the exception for so many arguments
  PyObject *failure;    // the exception for a code and a message
};

/// Tells the observer, if there is one, of a call that is about to be made;
/// false with its exception. The interpreter's lock is held.
bool tellObserver(Function function, void **pointers);

/// Memory of a call: on the stack, but for kernels of many parameters.
template <typename T, int N> class Scratch {
public:
  explicit Scratch(Py_ssize_t count)
      : memory(count <= N ? local
                          : static_cast<T *>(PyMem_Malloc(count * sizeof(T)))) {
  }
  ~Scratch() {
    if (memory != local)
      PyMem_Free(memory);
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  T *get() { return memory; }

private:
  T local[N];
  T *memory;
};

/// A reference that ends with its scope.
struct Owned {
  PyObject *object;
  ~Owned() { Py_XDECREF(object); }
};

} // namespace ember

#endif // EMBER_NATIVE_CALL_H
