//===- Argument.cpp - Reads one argument of a kernel ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Argument.h"

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>
#include <string.h>

using namespace ember;

namespace {
PyObject *requiresGrad = nullptr; // names of attributes of tensors
PyObject *isNeg = nullptr;
} // namespace

bool ember::initializeReading() {
  import_array1(false);
  requiresGrad = PyUnicode_InternFromString("requires_grad");
  isNeg = PyUnicode_InternFromString("is_neg");
  return requiresGrad && isNeg;
}

bool Parameter::parse(PyObject *fields) {
  int kindCode, whole, writable, gradients;
  PyObject *numpyTuple, *torchTuple;
  if (!PyArg_ParseTuple(fields, "CipppO!O!", &kindCode, &rank, &whole,
                        &writable, &gradients, &PyTuple_Type, &numpyTuple,
                        &PyTuple_Type, &torchTuple))
    return false;
  kind = static_cast<char>(kindCode);
  isWhole = whole;
  isWritable = writable;
  takesGradients = gradients;
  if (rank < 0 || rank > maxRank || PyTuple_GET_SIZE(numpyTuple) > maxTypes ||
      PyTuple_GET_SIZE(torchTuple) > maxTypes) {
    PyErr_SetString(PyExc_ValueError,
                    "a parameter of too many dimensions or types");
    return false;
  }
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(numpyTuple); ++k)
    numpyTypes[numpyTypeCount++] = PyTuple_GET_ITEM(numpyTuple, k);
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(torchTuple); ++k) {
    int code, bits;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(torchTuple, k), "ii", &code, &bits))
      return false;
    torchTypes[torchTypeCount++] = {static_cast<uint8_t>(code),
                                    static_cast<uint8_t>(bits), 1};
  }
  return true;
}

/// Whether elements with these sizes and strides lie next to each other.
static bool isContiguous(int rank, const int64_t *sizes,
                         const int64_t *strides) {
  int64_t expected = 1;
  bool matches = true;
  for (int dim = rank - 1; dim >= 0; --dim) {
    if (sizes[dim] == 0)
      return true;
    matches &= sizes[dim] == 1 || strides[dim] == expected;
    expected *= sizes[dim];
  }
  return matches;
}

static void writeAddress(const void *address, int64_t *words) {
  words[0] = words[1] = reinterpret_cast<int64_t>(address);
  words[2] = 0;
}

/// A NumPy array of one of the types; what it is not sure of is not taken.
static bool readArray(const Parameter &parameter, PyObject *argument,
                      int64_t *words) {
  auto *array = reinterpret_cast<PyArrayObject *>(argument);
  if (PyArray_NDIM(array) != parameter.rank)
    return false;
  auto *type = reinterpret_cast<PyObject *>(PyArray_DESCR(array));
  bool isKnown = false;
  for (int k = 0; k < parameter.numpyTypeCount; ++k)
    isKnown |= parameter.numpyTypes[k] == type;
  if (!isKnown || (parameter.isWritable && !PyArray_ISWRITEABLE(array)))
    return false;
  int64_t elementBytes = PyArray_ITEMSIZE(array);
  int64_t *sizes = words + 3, *strides = sizes + parameter.rank;
  for (int dim = 0; dim < parameter.rank; ++dim) {
    int64_t bytes = PyArray_STRIDE(array, dim);
    if (bytes % elementBytes != 0)
      return false;
    sizes[dim] = PyArray_DIM(array, dim);
    strides[dim] = bytes / elementBytes;
  }
  if (parameter.isWhole && !isContiguous(parameter.rank, sizes, strides))
    return false;
  writeAddress(PyArray_DATA(array), words);
  return true;
}

bool ember::saysNo(PyObject *answer) {
  if (!answer)
    PyErr_Clear();
  bool isNo = answer == Py_False;
  Py_XDECREF(answer);
  return isNo;
}

bool ember::needsNoGradient(PyObject *tensor) {
  return saysNo(PyObject_GetAttr(tensor, requiresGrad));
}

const dlpack::ElementType *
Parameter::typeOf(const dlpack::TensorView &view) const {
  for (int k = 0; k < torchTypeCount; ++k)
    if (torchTypes[k].code == view.type.code &&
        torchTypes[k].bits == view.type.bits && view.type.lanes == 1)
      return &torchTypes[k];
  return nullptr;
}

bool ArgumentReader::viewTensor(PyObject *argument,
                                dlpack::TensorView &view) const {
  auto *type = reinterpret_cast<PyObject *>(Py_TYPE(argument));
  for (Py_ssize_t k = 0; table && k < PyTuple_GET_SIZE(tensorTypes); ++k) {
    if (PyTuple_GET_ITEM(tensorTypes, k) != type)
      continue;
    if (table->viewOfObject(argument, &view) == 0)
      return view.deviceType == dlpack::cpuDevice;
    PyErr_Clear();
    return false;
  }
  return false;
}

bool ArgumentReader::readTensor(const Parameter &parameter, PyObject *argument,
                                int64_t *words) const {
  dlpack::TensorView view;
  if (!viewTensor(argument, view) || view.rank != parameter.rank)
    return false;
  const dlpack::ElementType *type = parameter.typeOf(view);
  if (!type)
    return false;
  // Only floats can need a gradient, or be marked to be negated when read.
  if (type->code > 1 && type->code != 6) {
    if ((refusesGradients || !parameter.takesGradients) &&
        !needsNoGradient(argument))
      return false;
    if (!saysNo(PyObject_CallMethodNoArgs(argument, isNeg)))
      return false;
  }
  // Views without dimensions may come without the arrays.
  size_t bytes = sizeof(int64_t) * parameter.rank;
  int64_t *sizes = words + 3, *strides = sizes + parameter.rank;
  if (bytes) {
    memcpy(sizes, view.sizes, bytes);
    memcpy(strides, view.strides, bytes);
  }
  if (parameter.isWhole && !isContiguous(parameter.rank, sizes, strides))
    return false;
  writeAddress(static_cast<char *>(view.data) + view.byteOffset, words);
  return true;
}

/// A number of the exact Python type, if the parameter can hold it.
static bool readNumber(char kind, PyObject *argument, int64_t *word) {
  if (kind == 'q' || kind == 'i') {
    if (!PyLong_CheckExact(argument))
      return false;
    int overflow;
    int64_t value = PyLong_AsLongLongAndOverflow(argument, &overflow);
    if (overflow || (kind == 'i' && value != static_cast<int32_t>(value)))
      return false;
    *word = value;
    return true;
  }
  if (!PyFloat_CheckExact(argument))
    return false;
  double value = PyFloat_AS_DOUBLE(argument);
  *word = 0;
  if (kind == 'd') {
    memcpy(word, &value, sizeof(value));
    return true;
  }
  auto narrow = static_cast<float>(value);
  memcpy(word, &narrow, sizeof(narrow));
  return kind == 'f';
}

bool ArgumentReader::read(const Parameter &parameter, PyObject *argument,
                          int64_t *words) const {
  if (parameter.kind != 'm')
    return readNumber(parameter.kind, argument, words);
  if (PyArray_CheckExact(argument))
    return readArray(parameter, argument, words);
  return readTensor(parameter, argument, words);
}
