"""Kernels of the kernel trainers, as objects told apart by ``kind``.

===========  ===========================================
linear       ``x'z``
polynomial   ``(gamma x'z + coef0) ** degree``
rbf          ``exp(-gamma |x - z|^2)``
sigmoid      ``tanh(gamma x'z + coef0)``
===========  ===========================================

``gamma`` is a number, ``"scale"`` (1 / (columns * variance)) or ``"auto"``
(1 / columns).
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from app.strict import StrictModel
from app.train.base import Positive

__all__ = ["Gamma", "Kernel", "RbfKernel", "kernel_parameters"]

Gamma = Annotated[
    Positive | Literal["scale", "auto"],
    Field(description='A number, "scale" or "auto"', examples=["scale", 0.1]),
]


class LinearKernel(StrictModel):
    """The inner product of two rows."""

    kind: Literal["linear"]


class PolynomialKernel(StrictModel):
    """A power of the scaled and shifted inner product."""

    kind: Literal["polynomial"]
    degree: Annotated[int, Field(ge=1, le=20)] = 3
    gamma: Gamma = "scale"
    coef0: Annotated[float, Field(ge=0)] = 0.0


class RbfKernel(StrictModel):
    """A Gaussian of the distance between two rows."""

    kind: Literal["rbf"]
    gamma: Gamma = "scale"


class SigmoidKernel(StrictModel):
    """The hyperbolic tangent; not positive semi-definite, use with care."""

    kind: Literal["sigmoid"]
    gamma: Gamma = "scale"
    coef0: float = 0.0


Kernel = Annotated[
    LinearKernel | PolynomialKernel | RbfKernel | SigmoidKernel,
    Field(discriminator="kind"),
]


def kernel_parameters(kernel: Kernel) -> dict[str, Any]:
    """Return the constructor arguments of a kernel machine for this kernel."""
    chosen = kernel.model_dump()
    return {"kernel": chosen.pop("kind"), **chosen}
