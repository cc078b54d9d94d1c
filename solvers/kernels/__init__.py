"""Kernels as plain data, and their matrices row by row."""

from solvers.kernels.cache import RowCache
from solvers.kernels.kernel import KINDS, Kernel, evaluate
from solvers.kernels.rows import KernelRows
from solvers.kernels.sparse_sums import kernel_sums

__all__ = ["KINDS", "Kernel", "KernelRows", "RowCache", "evaluate", "kernel_sums"]
