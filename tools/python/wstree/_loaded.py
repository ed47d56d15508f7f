# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package's library. Imports nothing large: programs start with it."""
import ctypes
import glob
import os

library = ctypes.CDLL(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_library.*so"))[0])
