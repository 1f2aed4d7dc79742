//===- GuardedCall.cpp - Captured functions by their guards ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common case of python/ember/torch/capture/direct_call.py: nothing is
// around the call that torch.compile would have to know of. Guards are asked at
// each call.
//
//===----------------------------------------------------------------------===//

#include "GuardedCall.h"
#include "Call.h"
#include <stddef.h>
#include <string.h>
#include <structmember.h>

using namespace ember;

namespace {
PyObject *cacheEntry = nullptr; // the name of an attribute of guards

struct GuardedCall {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject *fields; // the constructor's tuple, which owns all of the following
  PyObject *function; // what was captured
  PyObject *code;     // its code then
  PyObject *bind;  // has its parameters, returns its variables by their names
  PyObject *first; // its first arguments, which calls are not given
  PyObject *calm;  // of pairs: a function, and what it has to return
  PyObject *plain; // of objects, with names of empty attributes and absent ones
  PyObject *same;  // of triples: an object, an attribute's name, and its value
  PyObject *graphs; // of triples: guards, their check, and a function
  PyObject *miss;   // returned where there is nothing to call
};
} // namespace

/// Whether nothing around the call is other than usual; -1 with an exception.
static int isCalm(const GuardedCall *self) {
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(self->calm); ++k) {
    PyObject *pair = PyTuple_GET_ITEM(self->calm, k);
    Owned answer{PyObject_CallNoArgs(PyTuple_GET_ITEM(pair, 0))};
    if (!answer.object)
      return -1;
    if (answer.object != PyTuple_GET_ITEM(pair, 1))
      return 0;
  }
  return 1;
}

/// Whether objects have no hooks and no functions of their own; what is not
/// known to be so is not.
static bool isPlain(const GuardedCall *self) {
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(self->plain); ++k) {
    PyObject *triple = PyTuple_GET_ITEM(self->plain, k);
    Owned scope{PyObject_GenericGetDict(PyTuple_GET_ITEM(triple, 0), nullptr)};
    if (!scope.object) {
      PyErr_Clear();
      return false;
    }
    PyObject *empty = PyTuple_GET_ITEM(triple, 1);
    for (Py_ssize_t n = 0; n < PyTuple_GET_SIZE(empty); ++n) {
      PyObject *found =
          PyDict_GetItemWithError(scope.object, PyTuple_GET_ITEM(empty, n));
      if (!found || !PyDict_Check(found) || PyDict_GET_SIZE(found) != 0)
        return false;
    }
    PyObject *absent = PyTuple_GET_ITEM(triple, 2);
    for (Py_ssize_t n = 0; n < PyTuple_GET_SIZE(absent); ++n)
      if (PyDict_GetItemWithError(scope.object, PyTuple_GET_ITEM(absent, n)))
        return false;
  }
  return true;
}

/// Whether the function, and attributes that it was found by, are what they
/// were.
static bool isSame(const GuardedCall *self) {
  if (PyFunction_GET_CODE(self->function) != self->code)
    return false;
  if (PyFunction_GET_DEFAULTS(self->function) !=
          PyFunction_GET_DEFAULTS(self->bind) ||
      PyFunction_GET_KW_DEFAULTS(self->function) !=
          PyFunction_GET_KW_DEFAULTS(self->bind))
    return false;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(self->same); ++k) {
    PyObject *triple = PyTuple_GET_ITEM(self->same, k);
    Owned value{PyObject_GetAttr(PyTuple_GET_ITEM(triple, 0),
                                 PyTuple_GET_ITEM(triple, 1))};
    if (!value.object)
      PyErr_Clear();
    if (value.object != PyTuple_GET_ITEM(triple, 2))
      return false;
  }
  return true;
}

/// Whether the guards of a graph hold; -1 with an exception.
static int holds(PyObject *graph, PyObject *scope) {
  // Guards that Dynamo has given up are in no cache any more, and hold for
  // everything.
  Owned entry{PyObject_GetAttr(PyTuple_GET_ITEM(graph, 0), cacheEntry)};
  if (!entry.object)
    return -1;
  if (entry.object == Py_None)
    return 0;
  Owned answer{PyObject_CallOneArg(PyTuple_GET_ITEM(graph, 1), scope)};
  return answer.object ? PyObject_IsTrue(answer.object) : -1;
}

/// The function's variables by their names, as guards ask for them; null
/// without an exception for arguments that do not fit, and where a variable of
/// an enclosing function has no value.
static PyObject *makeScope(const GuardedCall *self, PyObject *const *arguments,
                           Py_ssize_t count, PyObject *names) {
  PyObject *scope = PyObject_Vectorcall(self->bind, arguments, count, names);
  if (!scope && (PyErr_ExceptionMatches(PyExc_TypeError) ||
                 PyErr_ExceptionMatches(PyExc_NameError)))
    PyErr_Clear();
  return scope;
}

static PyObject *callGuarded(PyObject *object, PyObject *const *given,
                             size_t flags, PyObject *names) {
  auto *self = reinterpret_cast<GuardedCall *>(object);
  int calm = isCalm(self);
  if (calm < 0)
    return nullptr;
  if (!calm || !isPlain(self) || !isSame(self))
    return Py_NewRef(self->miss);

  // Those by name come after those by place.
  Py_ssize_t before = PyTuple_GET_SIZE(self->first);
  Py_ssize_t count = before + PyVectorcall_NARGS(flags);
  Py_ssize_t all = count + (names ? PyTuple_GET_SIZE(names) : 0);
  Scratch<PyObject *, 64> arguments(all);
  if (!arguments.get())
    return PyErr_NoMemory();
  for (Py_ssize_t k = 0; k < before; ++k)
    arguments.get()[k] = PyTuple_GET_ITEM(self->first, k);
  if (all > before)
    memcpy(arguments.get() + before, given,
           (all - before) * sizeof(PyObject *));
  Owned scope{makeScope(self, arguments.get(), count, names)};
  if (!scope.object)
    return PyErr_Occurred() ? nullptr : Py_NewRef(self->miss);
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(self->graphs); ++k) {
    PyObject *graph = PyTuple_GET_ITEM(self->graphs, k);
    int found = holds(graph, scope.object);
    if (found < 0)
      return nullptr;
    if (found)
      return PyObject_Vectorcall(PyTuple_GET_ITEM(graph, 2), arguments.get(),
                                 count, names);
  }
  return Py_NewRef(self->miss);
}

//===----------------------------------------------------------------------===//
// Making them
//===----------------------------------------------------------------------===//

/// Whether all of a tuple's elements are tuples of so many; false with an
/// exception.
static bool areTuples(PyObject *tuple, Py_ssize_t count) {
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(tuple); ++k) {
    PyObject *one = PyTuple_GET_ITEM(tuple, k);
    if (!PyTuple_Check(one) || PyTuple_GET_SIZE(one) != count) {
      PyErr_Format(PyExc_TypeError, "expected tuples of %zd", count);
      return false;
    }
  }
  return true;
}

/// Whether the names of plain objects are tuples; false with an exception.
static bool haveNames(PyObject *plain) {
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(plain); ++k)
    for (int n = 1; n < 3; ++n)
      if (!PyTuple_Check(PyTuple_GET_ITEM(PyTuple_GET_ITEM(plain, k), n))) {
        PyErr_SetString(PyExc_TypeError, "expected tuples of names");
        return false;
      }
  return true;
}

static PyObject *makeGuarded(PyTypeObject *type, PyObject *arguments,
                             PyObject *) {
  PyObject *function, *bind, *first, *calm, *plain, *same, *graphs, *miss;
  if (!PyArg_ParseTuple(arguments, "O!O!O!O!O!O!O!O", &PyFunction_Type,
                        &function, &PyFunction_Type, &bind, &PyTuple_Type,
                        &first, &PyTuple_Type, &calm, &PyTuple_Type, &plain,
                        &PyTuple_Type, &same, &PyTuple_Type, &graphs, &miss))
    return nullptr;
  if (!areTuples(calm, 2) || !areTuples(plain, 3) || !areTuples(same, 3) ||
      !areTuples(graphs, 3) || !haveNames(plain))
    return nullptr;
  auto *self = reinterpret_cast<GuardedCall *>(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  self->vectorcall = callGuarded;
  self->fields = Py_NewRef(arguments);
  self->function = function;
  self->code = Py_NewRef(PyFunction_GET_CODE(function));
  self->bind = bind;
  self->first = first;
  self->calm = calm;
  self->plain = plain;
  self->same = same;
  self->graphs = graphs;
  self->miss = miss;
  return reinterpret_cast<PyObject *>(self);
}

static int visitGuarded(PyObject *object, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(reinterpret_cast<GuardedCall *>(object)->fields);
  return 0;
}

static void deleteGuarded(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  Py_CLEAR(reinterpret_cast<GuardedCall *>(object)->fields);
  Py_CLEAR(reinterpret_cast<GuardedCall *>(object)->code);
  type->tp_free(object);
  Py_DECREF(type);
}

static PyMemberDef guardedMembers[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                        offsetof(GuardedCall, vectorcall),
                                        READONLY, nullptr},
                                       {}};

static PyType_Slot guardedSlots[] = {
    {Py_tp_doc,
     const_cast<char *>(
         "GuardedCall(function, bind, first, calm, plain, same, graphs, "
         "miss)\n\n"
         "Called as the function: a captured graph's result, or miss where no "
         "guards hold or something is not as it was.")},
    {Py_tp_new, reinterpret_cast<void *>(makeGuarded)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_traverse, reinterpret_cast<void *>(visitGuarded)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deleteGuarded)},
    {Py_tp_members, guardedMembers},
    {}};

static PyType_Spec guardedType = {
    "ember_calls.GuardedCall", sizeof(GuardedCall), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    guardedSlots};

PyObject *ember::makeGuardedCallType() {
  cacheEntry = PyUnicode_InternFromString("cache_entry");
  return cacheEntry ? PyType_FromSpec(&guardedType) : nullptr;
}
