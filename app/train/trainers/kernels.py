"""Kernels of the kernel trainers, as objects told apart by ``kind``.

===========  ===========================================
linear       ``x'z``
polynomial   ``(gamma x'z + coef0) ** degree``
rbf          ``exp(-gamma |x - z|^2)``
sigmoid      ``tanh(gamma x'z + coef0)``
===========  ===========================================
"""

from typing import TYPE_CHECKING, Any

from app.strict import StrictModel
from app.train.trainers.declared import of_kind, one_of
from solvers.kernel_declarations import KERNELS

__all__ = ["RBF", "Kernel", "kernel_parameters"]

_SCHEMAS = {
    kind: of_kind(kind, f"{kind.capitalize()}Kernel", *declared)
    for kind, declared in KERNELS.items()
}
RBF = _SCHEMAS["rbf"](kind="rbf")

if TYPE_CHECKING:
    Kernel = StrictModel
else:
    Kernel = one_of(_SCHEMAS.values())


def kernel_parameters(kernel: Kernel) -> dict[str, Any]:
    """Return the constructor arguments of a kernel machine for this kernel."""
    chosen = kernel.model_dump()
    return {"kernel": chosen.pop("kind"), **chosen}
