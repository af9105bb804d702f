"""CANN's own rules for turning an op type into file and function names.

Source: the public op_build generator (asc-devkit tools/build/opbuild): an underscore goes before each upper-case letter
that follows a lower-case letter or digit, or that ends a run of capitals; digits do not start a word.
``SwiGLU`` -> ``swi_glu``, ``RMSNormX`` -> ``rms_norm_x``, ``SwiGLUGrad2D`` -> ``swi_glu_grad2_d``.
"""

from __future__ import annotations


def snake(op_type: str) -> str:
    """The file stem and kernel function of an op type: ``VectorAdd`` -> ``vector_add``."""
    out: list[str] = []
    for i, c in enumerate(op_type):
        if c.isupper() and i > 0:
            previous, following = op_type[i - 1], op_type[i + 1 : i + 2]
            if not previous.isupper() or following.islower():
                out.append("_")
        out.append(c.lower())
    return "".join(out)


def lower_camel(name: str) -> str:
    """A tensor or attribute name as aclnn spells it: ``in_3_d`` -> ``in3D``, ``x`` -> ``x``."""
    head, *rest = name.split("_")
    return head.lower() + "".join(word[:1].upper() + word[1:] for word in rest)


def upper_camel(name: str) -> str:
    """``vector_add`` -> ``VectorAdd``."""
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def torch_function(op_type: str, package: str) -> str:
    """The operator's name below ``torch.ops.<package>``: the package's name if the package is named after the op.

    ``SwiGLU`` in ``swiglu`` -> ``swiglu``, its ``SwiGLUGrad`` -> ``swiglu_grad``; otherwise CANN's snake name.
    """
    plain = package.replace("_", "")
    if op_type.lower() == plain:
        return package
    if op_type.lower() == f"{plain}grad":
        return f"{package}_grad"
    return snake(op_type)
