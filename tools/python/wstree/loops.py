# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops that threads of the program share out among themselves."""
import ctypes
import os
import threading

from wstree._loaded import library

_number = ctypes.c_ulonglong
_open = library.wstree_loop_open
_open.restype = ctypes.c_void_p
_open.argtypes = [_number, ctypes.c_uint, ctypes.c_void_p]
_next = library.wstree_loop_next
_next.argtypes = [ctypes.c_void_p, ctypes.c_uint, ctypes.POINTER(_number), ctypes.POINTER(_number)]
_leave = library.wstree_loop_leave
_leave.restype = None
_leave.argtypes = [ctypes.c_void_p, ctypes.c_uint, _number]
_stop = library.wstree_loop_stop
_stop.restype = None
_stop.argtypes = [ctypes.c_void_p]
_left = library.wstree_loop_left
_left.restype = _number
_left.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
_close = library.wstree_loop_close
_close.restype = None
_close.argtypes = [ctypes.c_void_p]


class Loop:
    """Indices 0 to n-1 for `members` threads; a member is executed by one thread at a time.

    Each index is handed out once. A member that comes late, or never, holds nothing back: others do its share.
    """

    _handle = None

    def __init__(self, n, members):
        if not 0 <= n < 2**63 - 1:
            raise ValueError("n is not between 0 and 2**63 - 2")
        if not 1 <= members < 2**20:
            raise ValueError("members is not between 1 and 2**20 - 1")
        self._members = members
        self._handle = _open(n, members, None)
        if not self._handle:
            raise MemoryError

    def ranges(self, member):
        """Yields (begin, end), end excluded, until no index is left. A range that the consumer leaves by `break` or
        an exception counts as executed."""
        if not 0 <= member < self._members:
            raise IndexError("no such member")
        begin, end = _number(), _number()
        begin_at, end_at = ctypes.byref(begin), ctypes.byref(end)
        while _next(self._handle, member, begin_at, end_at):
            try:
                yield begin.value, end.value
            except GeneratorExit:
                _leave(self._handle, member, end.value)
                raise

    def indices(self, member):
        """Yields single indices. Those that the consumer does not ask for are for other members."""
        if not 0 <= member < self._members:
            raise IndexError("no such member")
        begin, end = _number(), _number()
        begin_at, end_at = ctypes.byref(begin), ctypes.byref(end)
        while _next(self._handle, member, begin_at, end_at):
            for index in range(begin.value, end.value):
                try:
                    yield index
                except GeneratorExit:
                    _leave(self._handle, member, index + 1)
                    raise

    def stop(self):
        """No index is handed out from now on."""
        _stop(self._handle)

    def left(self):
        """The number of indices that were not handed out, when no member is at work."""
        return _left(self._handle, None, None)

    def __del__(self):
        _close(self._handle)


def shares(n, threads):
    """A generator of indices for each thread; together they yield 0 to n-1, each once."""
    loop = Loop(n, threads)
    return [loop.indices(member) for member in range(threads)]


def map(function, items, threads=None):  # noqa: A001
    """The list of function(item), computed by so many threads [the processors that the process may use].

    For functions that release the interpreter's lock. The first exception stops the loop and is raised.
    """
    items = items if isinstance(items, (list, tuple, range)) else list(items)
    threads = max(1, min(threads or len(os.sched_getaffinity(0)), len(items)))
    results = [None] * len(items)
    errors = []
    loop = Loop(len(items), threads)

    def work(member):
        try:
            for index in loop.indices(member):
                results[index] = function(items[index])
        except BaseException as error:  # noqa: B902: raised by the caller
            loop.stop()
            errors.append(error)

    helpers = [threading.Thread(target=work, args=(member,)) for member in range(1, threads)]
    for helper in helpers:
        helper.start()
    work(0)
    for helper in helpers:
        helper.join()
    if errors:
        raise errors[0]
    return results
