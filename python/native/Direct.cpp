//===- Direct.cpp - Captured functions found by their guards --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common case of python/ember/torch/direct_call.py: all arguments by their
// places, and nothing around the call that torch.compile would have to know of.
// Guards are asked at each call.
//
//===----------------------------------------------------------------------===//

#include "Direct.h"
#include "Call.h"
#include <stddef.h>
#include <string.h>
#include <structmember.h>

using namespace ember;

namespace {
PyObject *cacheEntry = nullptr; // the name of an attribute of guards

struct Direct {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject *fields; // the constructor's tuple, which owns all of the following
  PyObject *names;  // of the function's parameters
  PyObject *first;  // its first arguments, which calls are not given
  PyObject *cells;  // of pairs: a name and the variable of that name
  PyObject *calm;   // of pairs: a function, and what it has to return
  PyObject *plain; // of objects, with names of empty attributes and absent ones
  PyObject *graphs; // of triples: guards, their check, and a function
  PyObject *miss;   // returned where there is nothing to call
};
} // namespace

/// Whether nothing around the call is other than usual; -1 with an exception.
static int isCalm(const Direct *self) {
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
static bool isPlain(const Direct *self) {
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

/// The function's variables by their names, as guards ask for them.
static PyObject *makeScope(const Direct *self, PyObject *const *arguments) {
  Owned scope{PyDict_New()};
  if (!scope.object)
    return nullptr;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(self->names); ++k)
    if (PyDict_SetItem(scope.object, PyTuple_GET_ITEM(self->names, k),
                       arguments[k]) != 0)
      return nullptr;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(self->cells); ++k) {
    PyObject *pair = PyTuple_GET_ITEM(self->cells, k);
    // Guards that ask for a variable without a value do not hold.
    Owned value{PyCell_Get(PyTuple_GET_ITEM(pair, 1))};
    if (value.object && PyDict_SetItem(scope.object, PyTuple_GET_ITEM(pair, 0),
                                       value.object) != 0)
      return nullptr;
  }
  return Py_NewRef(scope.object);
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

static PyObject *callDirect(PyObject *object, PyObject *const *given,
                            size_t flags, PyObject *names) {
  auto *self = reinterpret_cast<Direct *>(object);
  Py_ssize_t count = PyVectorcall_NARGS(flags);
  Py_ssize_t before = PyTuple_GET_SIZE(self->first);
  Py_ssize_t all = PyTuple_GET_SIZE(self->names);
  if ((names && PyTuple_GET_SIZE(names) != 0) || before + count != all)
    return Py_NewRef(self->miss);
  int calm = isCalm(self);
  if (calm < 0)
    return nullptr;
  if (!calm || !isPlain(self))
    return Py_NewRef(self->miss);

  Scratch<PyObject *, 64> arguments(all);
  if (!arguments.get())
    return PyErr_NoMemory();
  for (Py_ssize_t k = 0; k < before; ++k)
    arguments.get()[k] = PyTuple_GET_ITEM(self->first, k);
  if (count)
    memcpy(arguments.get() + before, given, count * sizeof(PyObject *));
  Owned scope{makeScope(self, arguments.get())};
  if (!scope.object)
    return nullptr;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(self->graphs); ++k) {
    PyObject *graph = PyTuple_GET_ITEM(self->graphs, k);
    int found = holds(graph, scope.object);
    if (found < 0)
      return nullptr;
    if (found)
      return PyObject_Vectorcall(PyTuple_GET_ITEM(graph, 2), arguments.get(),
                                 all, nullptr);
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

/// Whether the second elements of pairs are variables, and the names of plain
/// objects are tuples; false with an exception.
static bool areWell(PyObject *cells, PyObject *plain) {
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(cells); ++k)
    if (!PyCell_Check(PyTuple_GET_ITEM(PyTuple_GET_ITEM(cells, k), 1))) {
      PyErr_SetString(PyExc_TypeError, "expected cells of variables");
      return false;
    }
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(plain); ++k)
    for (int n = 1; n < 3; ++n)
      if (!PyTuple_Check(PyTuple_GET_ITEM(PyTuple_GET_ITEM(plain, k), n))) {
        PyErr_SetString(PyExc_TypeError, "expected tuples of names");
        return false;
      }
  return true;
}

static PyObject *makeDirect(PyTypeObject *type, PyObject *arguments,
                            PyObject *) {
  PyObject *names, *first, *cells, *calm, *plain, *graphs, *miss;
  if (!PyArg_ParseTuple(arguments, "O!O!O!O!O!O!O", &PyTuple_Type, &names,
                        &PyTuple_Type, &first, &PyTuple_Type, &cells,
                        &PyTuple_Type, &calm, &PyTuple_Type, &plain,
                        &PyTuple_Type, &graphs, &miss))
    return nullptr;
  if (!areTuples(cells, 2) || !areTuples(calm, 2) || !areTuples(plain, 3) ||
      !areTuples(graphs, 3) || !areWell(cells, plain))
    return nullptr;
  auto *self = reinterpret_cast<Direct *>(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  self->vectorcall = callDirect;
  self->fields = Py_NewRef(arguments);
  self->names = names;
  self->first = first;
  self->cells = cells;
  self->calm = calm;
  self->plain = plain;
  self->graphs = graphs;
  self->miss = miss;
  return reinterpret_cast<PyObject *>(self);
}

static int visitDirect(PyObject *object, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(reinterpret_cast<Direct *>(object)->fields);
  return 0;
}

static void deleteDirect(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  Py_CLEAR(reinterpret_cast<Direct *>(object)->fields);
  type->tp_free(object);
  Py_DECREF(type);
}

static PyMemberDef directMembers[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                       offsetof(Direct, vectorcall), READONLY,
                                       nullptr},
                                      {}};

static PyType_Slot directSlots[] = {
    {Py_tp_doc,
     const_cast<char *>(
         "Direct(names, first, cells, calm, plain, graphs, miss)\n\n"
         "Called as the captured function: its result, or miss where no guards "
         "hold or something is not as usual.")},
    {Py_tp_new, reinterpret_cast<void *>(makeDirect)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_traverse, reinterpret_cast<void *>(visitDirect)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deleteDirect)},
    {Py_tp_members, directMembers},
    {}};

static PyType_Spec directType = {"ember_calls.Direct", sizeof(Direct), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                     Py_TPFLAGS_HAVE_VECTORCALL,
                                 directSlots};

PyObject *ember::makeDirectType() {
  cacheEntry = PyUnicode_InternFromString("cache_entry");
  return cacheEntry ? PyType_FromSpec(&directType) : nullptr;
}
