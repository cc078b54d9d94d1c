"""One thread for the matrix products of a solver.

Threads of a product that wait for the next one slow the loops between them, more than
they gain on blocks of a few hundred rows.
"""

from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["one_blas_thread"]

_CONTROLLERS: list[ThreadpoolController] = []


def one_blas_thread() -> Any:
    """Return a context in which the linear algebra library uses one thread."""
    # Looking the libraries up takes milliseconds: once a process.
    if not _CONTROLLERS:
        _CONTROLLERS.append(ThreadpoolController())
    return _CONTROLLERS[0].limit(limits=1, user_api="blas")
