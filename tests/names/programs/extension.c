// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An extension module of Python with a loop in it.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static double g_sum[64];

__attribute__((noinline)) static void sum_up(int n) {
#pragma omp parallel for schedule(runtime) // LINE extension
  for (int i = 0; i < n; ++i) g_sum[i] += i;
}

static PyObject* assemble(PyObject* self, PyObject* arguments) {
  (void)self;
  (void)arguments;
  Py_BEGIN_ALLOW_THREADS;
  sum_up(64);
  Py_END_ALLOW_THREADS;
  Py_RETURN_NONE;
}

static PyMethodDef g_methods[] = {{"assemble", assemble, METH_NOARGS, "Runs the loop."},
                                  {NULL, NULL, 0, NULL}};
static struct PyModuleDef g_module = {
    PyModuleDef_HEAD_INIT, "extension", NULL, -1, g_methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_extension(void) { return PyModule_Create(&g_module); }
