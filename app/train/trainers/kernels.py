"""Kernels of the kernel trainers, as objects told apart by ``kind``.

===========  ===========================================
linear       ``x'z``
polynomial   ``(gamma x'z + coef0) ** degree``
rbf          ``exp(-gamma |x - z|^2)``
sigmoid      ``tanh(gamma x'z + coef0)``
===========  ===========================================

``gamma`` is a number, ``"scale"`` (1 / (columns * variance)) or ``"auto"``
(1 / columns). Beyond the ranges below every two rows look alike, or none do.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from app.strict import StrictModel
from app.train.base import Weight

__all__ = ["Gamma", "Kernel", "RbfKernel", "kernel_parameters"]

Gamma = Annotated[
    Weight | Literal["scale", "auto"],
    Field(
        description="A number from 1e-9 to 1e9 (beyond, every two rows look alike, or"
        ' none do), "scale" or "auto"',
        examples=["scale", 0.1],
    ),
]


class LinearKernel(StrictModel):
    """The inner product of two rows."""

    kind: Literal["linear"]


class PolynomialKernel(StrictModel):
    """A power of the scaled and shifted inner product."""

    kind: Literal["polynomial"]
    degree: Annotated[int, Field(ge=1, le=20)] = 3
    """A higher one overflows a little outside of training."""
    gamma: Gamma = "scale"
    coef0: Annotated[float, Field(ge=0, le=1000)] = 0.0
    """A larger one drowns what the rows have in common."""


class RbfKernel(StrictModel):
    """A Gaussian of the distance between two rows."""

    kind: Literal["rbf"]
    gamma: Gamma = "scale"


class SigmoidKernel(StrictModel):
    """The hyperbolic tangent; not positive semi-definite, use with care."""

    kind: Literal["sigmoid"]
    gamma: Gamma = "scale"
    coef0: Annotated[float, Field(ge=-1000, le=1000)] = 0.0
    """A larger one drowns what the rows have in common."""


Kernel = Annotated[
    LinearKernel | PolynomialKernel | RbfKernel | SigmoidKernel,
    Field(discriminator="kind"),
]


def kernel_parameters(kernel: Kernel) -> dict[str, Any]:
    """Return the constructor arguments of a kernel machine for this kernel."""
    chosen = kernel.model_dump()
    return {"kernel": chosen.pop("kind"), **chosen}
