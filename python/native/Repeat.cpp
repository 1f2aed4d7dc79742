//===- Repeat.cpp - A kernel called as it was before ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of a model is called again and again with tensors of the same types.
// What Python found out in the first of these calls, a Repeat is told: where
// the kernel's arguments are among those of the part, and what sizes the result
// has. It looks at each call's tensors, makes the result and runs the kernel;
// whatever is not as it was told, it leaves to Python.
//
//===----------------------------------------------------------------------===//

#include "Repeat.h"
#include "Call.h"
#include <new>
#include <stddef.h>
#include <string.h>
#include <structmember.h>

using namespace ember;

namespace {
PyObject *newEmpty = nullptr; // the name of a method of tensors
PyTypeObject *callObjects = nullptr;

/// A number: of its own, and that of an argument, which may be a size.
struct Size {
  Py_ssize_t place = -1; // -1: it is `number` alone
  int dim = 0;
  int64_t number = 0;
};

/// Where one of the kernel's arguments comes from.
struct Source {
  Py_ssize_t place = -1;        // among the part's arguments; -1: a constant
  PyObject *constant = nullptr; // owned by the tuple that it came in
  int flatRank = 0; // of a tensor that the kernel has as one dimension; 0: none
  Size size;        // what it is, if isSize
  bool isSize = false;
};

/// The least and the most that a size may be, or another that it has to be.
struct Bound {
  Size size;
  int64_t least = 0, most = 0;
  Size other;
  bool isOther = false;
};

/// An argument that the kernel does not read.
struct Other {
  Py_ssize_t place = -1;
  PyTypeObject *type = nullptr;
};

/// An array that Python's tuple is read into.
template <typename T> struct List {
  T *items = nullptr;
  Py_ssize_t count = 0;

  bool make(Py_ssize_t length) {
    items = PyMem_New(T, length);
    if (!items) {
      PyErr_NoMemory();
      return false;
    }
    for (count = 0; count < length; ++count)
      new (&items[count]) T();
    return true;
  }
  T *begin() const { return items; }
  T *end() const { return items + count; }
};

struct Repeat {
  PyObject_HEAD vectorcallfunc vectorcall;
  Call *call;
  PyObject *fields; // the constructor's tuples, which the rest refers to
  Py_ssize_t arity; // how many arguments the part has
  Py_ssize_t prototype;
  List<Source> sources;
  List<Other> others;
  List<Bound> bounds;
  PyObject *expected; // of pairs: places and numbers that are there
  List<Size> sizes, kernelSizes;
};

/// The arguments of one call of a part.
class Arguments {
public:
  Arguments(const Repeat *self, PyObject *arguments, bool refusesGradients)
      : self(self), arguments(arguments),
        reader(self->call->table, self->call->tensorTypes, refusesGradients),
        refusesGradients(refusesGradients) {}

  /// Whether all is as it was, as far as the kernel does not ask itself.
  bool areAsBefore() const;
  /// Writes the words of the kernel's arguments, and where each begins.
  bool read(int64_t *words, void **pointers) const;
  /// The new result, with its words: null, perhaps with an exception.
  PyObject *makeResult(int64_t *words) const;

private:
  PyObject *at(Py_ssize_t place) const {
    return PyTuple_GET_ITEM(arguments, place);
  }
  bool evaluate(const Size &size, int64_t &value) const;
  bool readFlat(const Parameter &parameter, const Source &source,
                int64_t *words) const;
  bool readSize(const Parameter &parameter, const Size &size,
                int64_t *words) const;

  const Repeat *self;
  PyObject *arguments;
  ArgumentReader reader;
  bool refusesGradients;
};
} // namespace

/// The value of a Python int; false, without an exception, for others.
static bool toNumber(PyObject *object, int64_t &value) {
  if (!PyLong_CheckExact(object))
    return false;
  int overflow;
  value = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0;
}

bool Arguments::evaluate(const Size &size, int64_t &value) const {
  value = size.number;
  if (size.place < 0)
    return true;
  PyObject *argument = at(size.place);
  int64_t found;
  if (PyTuple_Check(argument)) {
    if (size.dim >= PyTuple_GET_SIZE(argument) ||
        !toNumber(PyTuple_GET_ITEM(argument, size.dim), found))
      return false;
  } else if (!toNumber(argument, found)) {
    dlpack::TensorView view;
    if (!reader.viewTensor(argument, view) || size.dim >= view.rank)
      return false;
    found = view.sizes[size.dim];
  }
  value += found;
  return true;
}

bool Arguments::areAsBefore() const {
  for (const Other &other : self->others) {
    PyObject *argument = at(other.place);
    if (Py_TYPE(argument) != other.type)
      return false;
    dlpack::TensorView view;
    if (refusesGradients && reader.viewTensor(argument, view) &&
        !needsNoGradient(argument))
      return false;
  }
  for (const Bound &bound : self->bounds) {
    int64_t value, least = bound.least, most = bound.most;
    if (bound.isOther) {
      if (!evaluate(bound.other, least))
        return false;
      most = least;
    }
    if (!evaluate(bound.size, value) || value < least || value > most)
      return false;
  }
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(self->expected); ++k) {
    PyObject *pair = PyTuple_GET_ITEM(self->expected, k);
    PyObject *argument = at(PyLong_AsSsize_t(PyTuple_GET_ITEM(pair, 0)));
    PyObject *number = PyTuple_GET_ITEM(pair, 1);
    if (Py_TYPE(argument) != Py_TYPE(number) ||
        PyObject_RichCompareBool(argument, number, Py_EQ) != 1)
      return false;
  }
  return true;
}

bool Arguments::readFlat(const Parameter &parameter, const Source &source,
                         int64_t *words) const {
  Parameter whole = parameter;
  whole.rank = source.flatRank;
  whole.isWhole = true;
  int64_t found[3 + 2 * Parameter::maxRank];
  if (parameter.rank != 1 || !reader.readTensor(whole, at(source.place), found))
    return false;
  memcpy(words, found, 3 * sizeof(int64_t));
  words[3] = 1;
  for (int dim = 0; dim < whole.rank; ++dim)
    words[3] *= found[3 + dim];
  words[4] = 1;
  return true;
}

bool Arguments::readSize(const Parameter &parameter, const Size &size,
                         int64_t *words) const {
  int64_t value;
  if (!evaluate(size, value))
    return false;
  Owned number{PyLong_FromLongLong(value)};
  return number.object && reader.read(parameter, number.object, words);
}

bool Arguments::read(int64_t *words, void **pointers) const {
  for (Py_ssize_t k = 0; k < self->sources.count; ++k) {
    const Source &source = self->sources.items[k];
    const Parameter &parameter = self->call->parameters[k];
    pointers[k] = words;
    PyObject *argument = source.place < 0 ? source.constant : at(source.place);
    bool isRead;
    if (source.isSize)
      isRead = readSize(parameter, source.size, words);
    else if (source.flatRank)
      isRead = readFlat(parameter, source, words);
    else if (parameter.kind == 'm')
      isRead = reader.readTensor(parameter, argument, words);
    else
      isRead = reader.read(parameter, argument, words);
    if (!isRead)
      return false;
    words += parameter.words();
  }
  pointers[self->sources.count] = words;
  return true;
}

PyObject *Arguments::makeResult(int64_t *words) const {
  Owned sizes{PyTuple_New(self->sizes.count)};
  if (!sizes.object)
    return nullptr;
  for (Py_ssize_t k = 0; k < self->sizes.count; ++k) {
    int64_t value;
    if (!evaluate(self->sizes.items[k], value))
      return nullptr;
    PyObject *number = PyLong_FromLongLong(value);
    if (!number)
      return nullptr;
    PyTuple_SET_ITEM(sizes.object, k, number);
  }
  PyObject *given[] = {at(self->prototype), sizes.object};
  Owned result{PyObject_VectorcallMethod(
      newEmpty, given, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr)};
  dlpack::TensorView view;
  const Parameter &parameter = self->call->parameters[self->sources.count];
  if (!result.object || !reader.viewTensor(result.object, view) ||
      !parameter.typeOf(view))
    return nullptr;

  // The kernel may have other dimensions of the same memory.
  int64_t elements = 1, *kernelSizes = words + 3;
  int64_t *strides = kernelSizes + parameter.rank;
  words[0] = words[1] = reinterpret_cast<int64_t>(
      static_cast<char *>(view.data) + view.byteOffset);
  words[2] = 0;
  for (int dim = parameter.rank - 1; dim >= 0; --dim) {
    if (!evaluate(self->kernelSizes.items[dim], kernelSizes[dim]))
      return nullptr;
    strides[dim] = elements;
    elements *= kernelSizes[dim];
  }
  int64_t there = 1;
  for (int dim = 0; dim < view.rank; ++dim)
    there *= view.sizes[dim];
  return elements == there ? Py_NewRef(result.object) : nullptr;
}

/// Whatever went wrong, Python will find out.
static PyObject *leaveToPython() {
  PyErr_Clear();
  Py_RETURN_NOTIMPLEMENTED;
}

static PyObject *repeatCall(PyObject *object, PyObject *const *given,
                            size_t flags, PyObject *names) {
  auto *self = reinterpret_cast<Repeat *>(object);
  if (PyVectorcall_NARGS(flags) != 2 || names || !PyTuple_Check(given[0])) {
    PyErr_SetString(PyExc_TypeError,
                    "a Repeat takes a tuple and whether gradients are needed");
    return nullptr;
  }
  const Call *call = self->call;
  // The garbage collector may have cleared the call.
  if (PyTuple_GET_SIZE(given[0]) != self->arity ||
      call->openCount != self->sources.count + 1)
    Py_RETURN_NOTIMPLEMENTED;
  Scratch<int64_t, 192> words(call->openWords);
  Scratch<void *, 64> pointers(call->openCount);
  if (!words.get() || !pointers.get())
    return PyErr_NoMemory();
  Arguments arguments(self, given[0], given[1] != Py_False);
  if (!arguments.areAsBefore() || !arguments.read(words.get(), pointers.get()))
    return leaveToPython();
  auto *last = static_cast<int64_t *>(pointers.get()[self->sources.count]);
  Owned result{arguments.makeResult(last)};
  if (!result.object)
    return leaveToPython();
  if (!tellObserver(call->function, pointers.get()))
    return nullptr;
  ember_error error;
  int32_t code;
  Py_BEGIN_ALLOW_THREADS;
  code = call->function(pointers.get(), &error);
  Py_END_ALLOW_THREADS;
  return code == EMBER_OK ? Py_NewRef(result.object) : leaveToPython();
}

//===----------------------------------------------------------------------===//
// Making repeats
//===----------------------------------------------------------------------===//

/// Whether there is such an argument; false with an exception.
static bool isPlace(const Repeat *self, Py_ssize_t place) {
  if (place >= 0 && place < self->arity)
    return true;
  PyErr_SetString(PyExc_ValueError, "a part has no argument of that place");
  return false;
}

/// Whether an argument may have such a size; false with an exception.
static bool isSize(const Repeat *self, const Size &size) {
  if (size.dim >= 0)
    return isPlace(self, size.place);
  PyErr_SetString(PyExc_ValueError, "dimensions count from the first");
  return false;
}

/// Takes a number or (place, dim, number).
static bool takeSize(const Repeat *self, PyObject *field, Size &size) {
  if (!PyTuple_Check(field)) {
    size.number = PyLong_AsLongLong(field);
    return !PyErr_Occurred();
  }
  long long number;
  if (!PyArg_ParseTuple(field, "niL", &size.place, &size.dim, &number))
    return false;
  size.number = number;
  return isSize(self, size);
}

/// Takes a place, (place, rank), (place, dim, number) of a size or (constant,).
static bool takeSource(const Repeat *self, PyObject *field, Source &source) {
  if (PyTuple_Check(field) && PyTuple_GET_SIZE(field) == 3) {
    source.isSize = true;
    return takeSize(self, field, source.size);
  }
  if (PyTuple_Check(field) && PyTuple_GET_SIZE(field) == 1) {
    source.constant = PyTuple_GET_ITEM(field, 0);
    return true;
  }
  if (PyTuple_Check(field)) {
    if (!PyArg_ParseTuple(field, "ni", &source.place, &source.flatRank))
      return false;
    if (source.flatRank < 1 || source.flatRank > Parameter::maxRank) {
      PyErr_SetString(PyExc_ValueError, "a tensor of too many dimensions");
      return false;
    }
  } else {
    source.place = PyLong_AsSsize_t(field);
  }
  return !PyErr_Occurred() && isPlace(self, source.place);
}

/// Takes (place, dim, least, most), or two sizes that are the same.
static bool takeBound(const Repeat *self, PyObject *field, Bound &bound) {
  if (PyTuple_Check(field) && PyTuple_GET_SIZE(field) == 2) {
    bound.isOther = true;
    return takeSize(self, PyTuple_GET_ITEM(field, 0), bound.size) &&
           takeSize(self, PyTuple_GET_ITEM(field, 1), bound.other);
  }
  long long least, most;
  if (!PyArg_ParseTuple(field, "niLL", &bound.size.place, &bound.size.dim,
                        &least, &most))
    return false;
  bound.least = least;
  bound.most = most;
  return isSize(self, bound.size);
}

/// Takes (place, type).
static bool takeOther(const Repeat *self, PyObject *field, Other &other) {
  return PyArg_ParseTuple(field, "nO!", &other.place, &PyType_Type,
                          &other.type) &&
         isPlace(self, other.place);
}

template <typename T>
static bool takeAll(const Repeat *self, PyObject *fields, List<T> &list,
                    bool (*take)(const Repeat *, PyObject *, T &)) {
  if (!list.make(PyTuple_GET_SIZE(fields)))
    return false;
  for (Py_ssize_t k = 0; k < list.count; ++k)
    if (!take(self, PyTuple_GET_ITEM(fields, k), list.items[k]))
      return false;
  return true;
}

/// Whether the pairs (place, number) are such; false with an exception.
static bool areExpected(const Repeat *self, PyObject *pairs) {
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(pairs); ++k) {
    Py_ssize_t place;
    PyObject *number;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(pairs, k), "nO", &place, &number) ||
        !isPlace(self, place))
      return false;
  }
  return true;
}

/// Whether the call is one of a kernel whose last parameter is the result.
static bool fitsCall(const Repeat *self) {
  const Call *call = self->call;
  if (call->fixedCount == 0 && call->openCount == self->sources.count + 1) {
    const Parameter &last = call->parameters[self->sources.count];
    if (last.kind == 'm' && last.rank == self->kernelSizes.count)
      return true;
  }
  PyErr_SetString(PyExc_ValueError, "the kernel has other parameters");
  return false;
}

static PyObject *makeRepeat(PyTypeObject *type, PyObject *arguments,
                            PyObject *names) {
  PyObject *call, *sources, *others, *bounds, *expected, *sizes, *kernelSizes;
  Py_ssize_t arity, prototype;
  if (!PyArg_ParseTuple(arguments, "O!nO!O!O!O!nO!O!", callObjects, &call,
                        &arity, &PyTuple_Type, &sources, &PyTuple_Type, &others,
                        &PyTuple_Type, &bounds, &PyTuple_Type, &expected,
                        &prototype, &PyTuple_Type, &sizes, &PyTuple_Type,
                        &kernelSizes))
    return nullptr;
  auto *self = reinterpret_cast<Repeat *>(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  self->vectorcall = repeatCall;
  self->call = reinterpret_cast<Call *>(Py_NewRef(call));
  self->fields = Py_NewRef(arguments);
  self->arity = arity;
  self->prototype = prototype;
  self->expected = expected;
  if (isPlace(self, prototype) && areExpected(self, expected) &&
      takeAll(self, sources, self->sources, takeSource) &&
      takeAll(self, others, self->others, takeOther) &&
      takeAll(self, bounds, self->bounds, takeBound) &&
      takeAll(self, sizes, self->sizes, takeSize) &&
      takeAll(self, kernelSizes, self->kernelSizes, takeSize) && fitsCall(self))
    return reinterpret_cast<PyObject *>(self);
  Py_DECREF(self);
  return nullptr;
}

static int visitRepeat(PyObject *object, visitproc visit, void *arg) {
  auto *self = reinterpret_cast<Repeat *>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->fields);
  Py_VISIT(reinterpret_cast<PyObject *>(self->call));
  return 0;
}

static void deleteRepeat(PyObject *object) {
  auto *self = reinterpret_cast<Repeat *>(object);
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  PyMem_Free(self->sources.items);
  PyMem_Free(self->others.items);
  PyMem_Free(self->bounds.items);
  PyMem_Free(self->sizes.items);
  PyMem_Free(self->kernelSizes.items);
  Py_CLEAR(self->fields);
  Py_XDECREF(reinterpret_cast<PyObject *>(self->call));
  type->tp_free(object);
  Py_DECREF(type);
}

static PyMemberDef repeatMembers[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                       offsetof(Repeat, vectorcall), READONLY,
                                       nullptr},
                                      {}};

static PyType_Slot repeatSlots[] = {
    {Py_tp_doc,
     const_cast<char *>(
         "Repeat(call, arity, sources, others, bounds, expected, prototype, "
         "sizes, kernel sizes)\n\n"
         "A kernel's call with a new result, given (arguments, gradients): the "
         "result, or NotImplemented where something is not as it was.")},
    {Py_tp_new, reinterpret_cast<void *>(makeRepeat)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_traverse, reinterpret_cast<void *>(visitRepeat)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deleteRepeat)},
    {Py_tp_members, repeatMembers},
    {}};

static PyType_Spec repeatType = {"ember_calls.Repeat", sizeof(Repeat), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                     Py_TPFLAGS_HAVE_VECTORCALL,
                                 repeatSlots};

PyObject *ember::makeRepeatType(PyObject *callType) {
  newEmpty = PyUnicode_InternFromString("new_empty");
  callObjects = reinterpret_cast<PyTypeObject *>(Py_NewRef(callType));
  return newEmpty ? PyType_FromSpec(&repeatType) : nullptr;
}
