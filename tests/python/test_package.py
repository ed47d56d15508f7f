# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package wstree: loops of threads, and numba's parallel functions on the tree. Run by tests/python/check."""
import os
import subprocess
import sys
import tempfile
import threading
import unittest

import wstree

try:
    import wstree.numba as layer
    import numba
    import numpy as np
except ImportError:
    numba = None


class Loops(unittest.TestCase):
    def test_each_index_comes_once(self):
        for n, threads in ((0, 1), (1, 4), (1000, 3)):
            got = []
            crew = [threading.Thread(target=lambda mine=mine: got.extend(mine)) for mine in wstree.shares(n, threads)]
            for thread in crew:
                thread.start()
            for thread in crew:
                thread.join()
            self.assertEqual(sorted(got), list(range(n)))

    def test_a_member_that_never_comes_leaves_its_share(self):
        loop = wstree.Loop(100, 2)
        self.assertEqual(sum(end - begin for begin, end in loop.ranges(1)), 100)
        self.assertEqual(loop.left(), 0)

    def test_what_a_member_leaves_others_get(self):
        loop = wstree.Loop(100, 2)
        mine = loop.indices(0)
        first = next(mine)
        mine.close()
        self.assertEqual(sorted([first, *loop.indices(1)]), list(range(100)))

    def test_map(self):
        self.assertEqual(wstree.map(lambda x: x * x, iter(range(50)), threads=3), [x * x for x in range(50)])
        with self.assertRaises(ZeroDivisionError):
            wstree.map(lambda x: 1 // x, [1, 0, 2])
        self.assertEqual(wstree.map(str, []), [])
        self.assertEqual(wstree.map(str, {"a": 1, "b": 2}), ["a", "b"])

    def test_arguments_out_of_range(self):
        for n, members in ((-1, 1), (2**63, 1), (1, 0)):
            with self.assertRaises(ValueError):
                wstree.Loop(n, members)
        with self.assertRaises(IndexError):
            next(wstree.Loop(1, 1).ranges(1))


@unittest.skipIf(numba is None, "numba is missing")
class Numba(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        @numba.njit(parallel=True)
        def fill(shape, first):
            ids = np.full(shape, -1)
            for i in numba.prange(first, first + shape[0]):
                for j in range(shape[1]):
                    ids[i - first, j] += 1 + numba.np.ufunc.parallel._iget_thread_id()
            return ids

        @numba.njit(parallel=True)
        def total(x):
            s = 0.0
            for i in numba.prange(len(x)):
                s += x[i]
            return s

        cls.fill, cls.total = staticmethod(fill), staticmethod(total)

    def test_the_layer_is_ours(self):
        self.total(np.ones(3))
        from numba.np.ufunc import omppool

        self.assertTrue(layer.is_active())
        self.assertEqual(omppool.openmp_vendor, "wstree")

    def test_a_layer_that_numba_lacks_stays_missing(self):
        import importlib.machinery

        import numba.np.ufunc

        if importlib.machinery.PathFinder.find_spec("numba.np.ufunc.tbbpool", numba.np.ufunc.__path__):
            self.skipTest("this numba has all layers")
        with self.assertRaises(ImportError):
            from numba.np.ufunc import tbbpool  # noqa: F401

    def test_numbers_of_threads_are_below_the_mask(self):
        for mask in range(1, numba.config.NUMBA_NUM_THREADS + 1):
            numba.set_num_threads(mask)
            ids = self.fill((1000, 3), -500)
            self.assertTrue(((ids >= 0) & (ids < mask)).all())
        self.assertEqual(numba.np.ufunc.parallel.get_thread_id(), 0)

    def test_sums_and_chunk_sizes(self):
        for chunk in (0, 1, 7, 5000):
            with numba.parallel_chunksize(chunk):
                self.assertEqual(self.total(np.arange(1000.0)), 499500.0)
        self.assertEqual(self.total(np.ones(0)), 0.0)

    def test_spaces_of_several_dimensions(self):
        @numba.njit(parallel=True)
        def add(a, b):
            return a + b + 1

        for shape in ((1, 1), (3, 1000), (1000, 3), (7, 11, 13), (5, 1, 3, 50)):
            a = np.arange(float(np.prod(shape))).reshape(shape)
            self.assertTrue((add(a, a) == 2 * a + 1).all())

    def test_vectorize(self):
        @numba.vectorize(["f8(f8, f8)"], target="parallel")
        def add(a, b):
            return a + b

        x = np.arange(10000.0)
        self.assertTrue((add(x, 1.0) == x + 1).all())

    def test_callers_at_the_same_time(self):
        sums = wstree.map(self.total, [np.ones(n) for n in range(1, 200)], threads=4)
        self.assertEqual(sums, list(range(1, 200)))

    def test_figures_name_the_function(self):
        text = (
            "import wstree.numba, numba, numpy\n@numba.njit(parallel=True)\ndef fill(x):\n"
            "    for i in numba.prange(len(x)):\n        x[i] = i\n"
            "for _ in range(3):\n    fill(numpy.ones(1000))\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "figures.py")
            with open(script, "w", encoding="utf-8") as file:
                file.write(text)
            for value, expected in (("1", r"figures\.py:4 fill\(\)  3 calls  .* ms  3,000 iterations"), ("0", "^$")):
                run = subprocess.run(
                    [sys.executable, script], env=dict(os.environ, WSTREE_STATS=value), stderr=subprocess.PIPE, text=True
                )
                self.assertRegex(run.stderr, expected)

    def test_a_forked_child_has_threads(self):
        self.total(np.ones(1000))
        child = os.fork()
        if child == 0:
            os._exit(0 if self.total(np.ones(1000)) == 1000 else 1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)


if __name__ == "__main__":
    unittest.main()
