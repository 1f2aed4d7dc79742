//===- Call.cpp - Calls of kernels from Python ----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Call holds a kernel's function, the words of its first arguments, and how
// to read the others. What is not common in an argument, errors included, is
// left to the readers in Python. Repeat.cpp and GuardedCall.cpp have the
// module's other types.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "GuardedCall.h"
#include "Repeat.h"
#include <stddef.h>
#include <string.h>
#include <structmember.h>

using namespace ember;

/// Raises the exception that `factory` makes of its arguments.
static PyObject *raise(PyObject *exception) {
  if (exception)
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception)),
                    exception);
  Py_XDECREF(exception);
  return nullptr;
}

/// Asks Python for the words of (words, what to keep); keeps both in `holder`.
static bool readInPython(PyObject *reader, PyObject *argument, int count,
                         int64_t *words, PyObject **holder) {
  Owned answer{PyObject_CallOneArg(reader, argument)};
  if (!answer.object)
    return false;
  PyObject *numbers =
      PyTuple_Check(answer.object) && PyTuple_GET_SIZE(answer.object) == 2
          ? PyTuple_GET_ITEM(answer.object, 0)
          : nullptr;
  if (!numbers || !PyTuple_Check(numbers) ||
      PyTuple_GET_SIZE(numbers) != count) {
    PyErr_SetString(PyExc_SystemError, "a reader returned the wrong words");
    return false;
  }
  for (int k = 0; k < count; ++k) {
    words[k] = PyLong_AsLongLong(PyTuple_GET_ITEM(numbers, k));
    if (words[k] == -1 && PyErr_Occurred())
      return false;
  }
  if (!*holder)
    *holder = PyList_New(0);
  return *holder && PyList_Append(*holder, answer.object) == 0;
}

/// What is told of each call; null: nothing is.
static PyObject *observer = nullptr;

bool ember::tellObserver(Function function, void **pointers) {
  if (!observer)
    return true;
  // It may be another one when it returns.
  Owned told{Py_NewRef(observer)};
  Owned answer{PyObject_CallFunction(
      told.object, "KK",
      static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(function)),
      static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(pointers)))};
  return answer.object != nullptr;
}

static PyObject *observe(PyObject *, PyObject *next) {
  PyObject *before = observer;
  observer = next == Py_None ? nullptr : Py_NewRef(next);
  return before ? before : Py_NewRef(Py_None);
}

/// Runs the kernel without the interpreter's lock.
static PyObject *run(Call *self, void **pointers) {
  if (!tellObserver(self->function, pointers))
    return nullptr;
  ember_error error;
  int32_t code;
  Py_BEGIN_ALLOW_THREADS;
  code = self->function(pointers, &error);
  Py_END_ALLOW_THREADS;
  if (code == EMBER_OK)
    Py_RETURN_NONE;
  size_t length = strnlen(error.message, sizeof(error.message));
  return raise(PyObject_CallFunction(self->failure, "iy#", error.code,
                                     error.message,
                                     static_cast<Py_ssize_t>(length)));
}

static PyObject *callKernel(PyObject *callable, PyObject *const *arguments,
                            size_t flags, PyObject *names) {
  auto *self = reinterpret_cast<Call *>(callable);
  Py_ssize_t count = PyVectorcall_NARGS(flags);
  if (names && PyTuple_GET_SIZE(names) != 0) {
    PyErr_SetString(PyExc_TypeError, "kernels take no keyword arguments");
    return nullptr;
  }
  if (count != self->openCount)
    return raise(PyObject_CallFunction(self->wrongCount, "n", count));

  Scratch<int64_t, 96> words(self->openWords);
  Scratch<void *, 64> pointers(self->fixedCount + count);
  if (!words.get() || !pointers.get())
    return PyErr_NoMemory();
  memcpy(pointers.get(), self->fixedPointers,
         self->fixedCount * sizeof(void *));
  ArgumentReader reader(self->table, self->tensorTypes);
  Owned kept{nullptr};
  int64_t *next = words.get();
  for (Py_ssize_t k = 0; k < count; ++k) {
    const Parameter &parameter = self->parameters[k];
    if (!reader.read(parameter, arguments[k], next)) {
      PyObject *fallback = PyTuple_GET_ITEM(self->readers, k);
      if (fallback == Py_None)
        Py_RETURN_NOTIMPLEMENTED;
      if (!readInPython(fallback, arguments[k], parameter.words(), next,
                        &kept.object))
        return nullptr;
    }
    pointers.get()[self->fixedCount + k] = next;
    next += parameter.words();
  }
  return run(self, pointers.get());
}

//===----------------------------------------------------------------------===//
// Making calls
//===----------------------------------------------------------------------===//

/// Takes the fixed arguments' words, a tuple for each.
static bool takeFixed(Call *self, PyObject *fixed) {
  self->fixedCount = PyTuple_GET_SIZE(fixed);
  Py_ssize_t total = 0;
  for (Py_ssize_t k = 0; k < self->fixedCount; ++k) {
    PyObject *words = PyTuple_GET_ITEM(fixed, k);
    if (!PyTuple_Check(words)) {
      PyErr_SetString(PyExc_TypeError, "fixed words must be tuples");
      return false;
    }
    total += PyTuple_GET_SIZE(words);
  }
  self->fixedWords = PyMem_New(int64_t, total);
  self->fixedPointers = PyMem_New(void *, self->fixedCount);
  if (!self->fixedWords || !self->fixedPointers) {
    PyErr_NoMemory();
    return false;
  }
  int64_t *next = self->fixedWords;
  for (Py_ssize_t k = 0; k < self->fixedCount; ++k) {
    PyObject *words = PyTuple_GET_ITEM(fixed, k);
    self->fixedPointers[k] = next;
    for (Py_ssize_t word = 0; word < PyTuple_GET_SIZE(words); ++word) {
      *next++ = PyLong_AsLongLong(PyTuple_GET_ITEM(words, word));
      if (next[-1] == -1 && PyErr_Occurred())
        return false;
    }
  }
  return true;
}

/// Takes what the open parameters are.
static bool takeOpen(Call *self, PyObject *fields) {
  self->openCount = PyTuple_GET_SIZE(fields);
  self->parameters = PyMem_New(Parameter, self->openCount);
  if (!self->parameters) {
    PyErr_NoMemory();
    return false;
  }
  for (Py_ssize_t k = 0; k < self->openCount; ++k) {
    self->parameters[k] = Parameter();
    if (!self->parameters[k].parse(PyTuple_GET_ITEM(fields, k)))
      return false;
    self->openWords += self->parameters[k].words();
  }
  return true;
}

/// The exchange table of a capsule, or null if its version is another one.
static const dlpack::ExchangeTable *tableOf(PyObject *capsule) {
  auto *table = static_cast<const dlpack::ExchangeTable *>(
      PyCapsule_GetPointer(capsule, dlpack::capsuleName));
  while (table && table->major > dlpack::majorVersion)
    table = table->older;
  return table && table->major == dlpack::majorVersion && table->viewOfObject
             ? table
             : nullptr;
}

static PyObject *makeCall(PyTypeObject *type, PyObject *arguments,
                          PyObject *names) {
  PyObject *address, *fixed, *fields, *readers, *kept, *wrongCount, *failure;
  PyObject *tensorTypes, *capsule;
  if (!PyArg_ParseTuple(arguments, "OO!O!O!OOOO!O", &address, &PyTuple_Type,
                        &fixed, &PyTuple_Type, &fields, &PyTuple_Type, &readers,
                        &kept, &wrongCount, &failure, &PyTuple_Type,
                        &tensorTypes, &capsule))
    return nullptr;
  if (PyTuple_GET_SIZE(fields) != PyTuple_GET_SIZE(readers)) {
    PyErr_SetString(PyExc_ValueError, "each open parameter needs a reader");
    return nullptr;
  }
  auto *self = reinterpret_cast<Call *>(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  self->vectorcall = callKernel;
  self->fields = Py_NewRef(fields);
  self->readers = Py_NewRef(readers);
  self->kept = Py_NewRef(kept);
  self->wrongCount = Py_NewRef(wrongCount);
  self->failure = Py_NewRef(failure);
  self->tensorTypes = Py_NewRef(tensorTypes);
  self->function = reinterpret_cast<Function>(PyLong_AsVoidPtr(address));
  if (capsule != Py_None)
    self->table = tableOf(capsule);
  if (PyErr_Occurred() || !takeFixed(self, fixed) || !takeOpen(self, fields)) {
    Py_DECREF(self);
    return nullptr;
  }
  return reinterpret_cast<PyObject *>(self);
}

static int visitCall(PyObject *object, visitproc visit, void *arg) {
  auto *self = reinterpret_cast<Call *>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->fields);
  Py_VISIT(self->readers);
  Py_VISIT(self->tensorTypes);
  Py_VISIT(self->kept);
  Py_VISIT(self->wrongCount);
  Py_VISIT(self->failure);
  return 0;
}

/// Only the functions can lead back to the call; the rest is needed while it
/// can be called.
static int clearCall(PyObject *object) {
  auto *self = reinterpret_cast<Call *>(object);
  self->openCount = -1;
  Py_CLEAR(self->readers);
  Py_CLEAR(self->kept);
  Py_CLEAR(self->failure);
  return 0;
}

static void deleteCall(PyObject *object) {
  auto *self = reinterpret_cast<Call *>(object);
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  Py_CLEAR(self->fields);
  Py_CLEAR(self->readers);
  Py_CLEAR(self->tensorTypes);
  Py_CLEAR(self->kept);
  Py_CLEAR(self->wrongCount);
  Py_CLEAR(self->failure);
  PyMem_Free(self->fixedWords);
  PyMem_Free(self->fixedPointers);
  PyMem_Free(self->parameters);
  type->tp_free(object);
  Py_DECREF(type);
}

static PyMemberDef callMembers[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                     offsetof(Call, vectorcall), READONLY,
                                     nullptr},
                                    {}};

static PyType_Slot callSlots[] = {
    {Py_tp_doc,
     const_cast<char *>(
         "Call(address, fixed words, open parameters, readers, kept, "
         "wrong_count, failure, tensor types, exchange capsule)\n\n"
         "A kernel with its first arguments: called with the others.")},
    {Py_tp_new, reinterpret_cast<void *>(makeCall)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_traverse, reinterpret_cast<void *>(visitCall)},
    {Py_tp_clear, reinterpret_cast<void *>(clearCall)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deleteCall)},
    {Py_tp_members, callMembers},
    {}};

static PyType_Spec callType = {"ember_calls.Call", sizeof(Call), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                   Py_TPFLAGS_HAVE_VECTORCALL,
                               callSlots};

static PyMethodDef callsFunctions[] = {
    {"observe", observe, METH_O,
     "observe(observer)\n\n"
     "Calls the observer before each kernel, with the addresses of the "
     "kernel's "
     "function and of its arguments' pointers; None ends that. Returns the one "
     "before."},
    {}};

static PyModuleDef callsModule = {PyModuleDef_HEAD_INIT,
                                  "ember_calls",
                                  "Calls of kernels, in compiled code.",
                                  -1,
                                  callsFunctions,
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  nullptr};

PyMODINIT_FUNC PyInit_ember_calls() {
  if (!initializeReading())
    return nullptr;
  PyObject *module = PyModule_Create(&callsModule);
  Owned call{module ? PyType_FromSpec(&callType) : nullptr};
  Owned repeat{call.object ? makeRepeatType(call.object) : nullptr};
  Owned guarded{repeat.object ? makeGuardedCallType() : nullptr};
  if (guarded.object &&
      PyModule_AddObjectRef(module, "Call", call.object) == 0 &&
      PyModule_AddObjectRef(module, "Repeat", repeat.object) == 0 &&
      PyModule_AddObjectRef(module, "GuardedCall", guarded.object) == 0)
    return module;
  Py_XDECREF(module);
  return nullptr;
}
