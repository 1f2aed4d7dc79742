//===- Argument.h - Reads one argument of a kernel --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_NATIVE_ARGUMENT_H
#define EMBER_NATIVE_ARGUMENT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "Dlpack.h"

namespace ember {

/// What a parameter takes without asking: everything else is left to Python.
struct Parameter {
  static constexpr int maxTypes = 16;
  static constexpr int maxRank = 16;

  /// 'm' for a memref; for a number: 'q' and 'i' (integers of 64 and 32 bits),
  /// 'd' and 'f' (floats), or '?', which is always left to Python.
  char kind = '?';
  int rank = 0;
  /// The elements have to lie next to each other.
  bool isWhole = false;
  bool isWritable = false;
  /// Tensors that need a gradient are taken: the caller sees to it.
  bool takesGradients = false;
  int numpyTypeCount = 0;
  PyObject *numpyTypes[maxTypes]; // owned by the tuple the parameter came in
  int torchTypeCount = 0;
  dlpack::ElementType torchTypes[maxTypes];

  /// The one of torchTypes that a tensor's elements have, or null.
  const dlpack::ElementType *typeOf(const dlpack::TensorView &view) const;

  /// The 64-bit words of the descriptor or number.
  int words() const { return kind == 'm' ? 3 + 2 * rank : 1; }

  /// Reads (kind, rank, is_whole, is_writable, takes_gradients, numpy types,
  /// ((code, bits), ...)); false with an exception if it is not that.
  bool parse(PyObject *fields);
};

/// Reads arguments as the words of the C ABI.
class ArgumentReader {
public:
  /// tensorTypes: the types of objects that `table` tells of. refusesGradients:
  /// no tensor that needs a gradient is taken, whatever the parameter says.
  ArgumentReader(const dlpack::ExchangeTable *table, PyObject *tensorTypes,
                 bool refusesGradients = false)
      : table(table), tensorTypes(tensorTypes),
        refusesGradients(refusesGradients) {}

  /// Writes the words of a common argument that fits; false, without an
  /// exception, for all others.
  bool read(const Parameter &parameter, PyObject *argument,
            int64_t *words) const;

  /// Fills a view of a tensor in the processor's memory; false, without an
  /// exception, for other objects.
  bool viewTensor(PyObject *argument, dlpack::TensorView &view) const;

  /// The same of tensors for memrefs alone.
  bool readTensor(const Parameter &parameter, PyObject *argument,
                  int64_t *words) const;

private:
  const dlpack::ExchangeTable *table;
  PyObject *tensorTypes;
  bool refusesGradients;
};

/// Whether asking an object says no; errors count as yes.
bool saysNo(PyObject *answer);

/// Whether a tensor is known to need no gradient.
bool needsNoGradient(PyObject *tensor);

/// Prepares NumPy's interface and the names that reading needs, once; false
/// with an exception.
bool initializeReading();

} // namespace ember

#endif // EMBER_NATIVE_ARGUMENT_H
