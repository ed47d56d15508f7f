// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An extension module of Python with OpenMP loops, compiled once by each compiler. WSTREE_MODULE is its name.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "omp_decls.h"

namespace {

long loops(int members) {
  long sum = 0;
#pragma omp parallel num_threads(members) reduction(+ : sum)
  {
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < 1000; ++i) sum += i;
#pragma omp for schedule(runtime)
    for (long i = 1000; i > 0; --i) sum += i - 1;
  }
  return sum; // 999000
}

/// run(members): the sum, computed while other threads of Python may run.
PyObject* run(PyObject*, PyObject* arguments) {
  int members = 0;
  if (PyArg_ParseTuple(arguments, "i", &members) == 0) return nullptr;
  PyThreadState* const state = PyEval_SaveThread();
  const long sum = loops(members);
  PyEval_RestoreThread(state);
  return PyLong_FromLong(sum);
}

/// schedule(): what omp_get_schedule() says, as a pair.
PyObject* schedule(PyObject*, PyObject*) {
  omp_sched_t kind{};
  int chunk = 0;
  omp_get_schedule(&kind, &chunk);
  return Py_BuildValue("(Ii)", static_cast<unsigned>(kind), chunk);
}

PyMethodDef methods[] = {{"run", run, METH_VARARGS, "Sum of two loops, by a team of so many."},
                         {"schedule", schedule, METH_NOARGS, "Kind and chunk of the run-time schedule."},
                         {nullptr, nullptr, 0, nullptr}};

#define TEXT(name) #name
#define NAME(name) TEXT(name)
#define JOIN(a, b) a##b
#define INIT(name) JOIN(PyInit_, name)

PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT, NAME(WSTREE_MODULE), nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

} // namespace

PyMODINIT_FUNC INIT(WSTREE_MODULE)() { return PyModule_Create(&module_definition); }
