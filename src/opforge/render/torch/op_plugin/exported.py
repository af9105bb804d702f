"""Renders a project's ops as parts of op-plugin, the operators inside torch_npu: `opforge export op-plugin`.

Sources: additions to op-plugin, and torchnpugen, the generator in torch_npu's wheel that reads the YAML. An op that its
structured form cannot express has its own C++ file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from opforge.errors import Problem, SpecError
from opforge.fileset import File, FileSet
from opforge.frozen import dataclass
from opforge.naming import upper_camel
from opforge.program import BackwardFunction, Program, Variable
from opforge.render.forms import NoSlots, render_form
from opforge.render.torch.op_plugin.form_contexts import (
    CppFile,
    DerivativesYaml,
    FakeTests,
    Formula,
    FunctionsYaml,
    MadeOutput,
    MetaForm,
    MetaOp,
    Pair,
    ReadmeForm,
    ReadmeRow,
    SchemaForm,
    SchemaRow,
    StructuredOutput,
    YamlOp,
)
from opforge.render.torch.op_plugin.function_schema import UNSAVED, parameters, passed, quoted, returns, schema
from opforge.render.torch.op_plugin.output_expressions import (
    cpp_dtype,
    cpp_leading_size,
    cpp_size,
    python_dtype,
    python_size,
)
from opforge.render.torch.op_plugin.tests import OpTest, fake_test, op_test
from opforge.render.torch.signature import Signature, signature_of
from opforge.spec.model import OpSpec, Spec, TensorSpec

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

VERSIONS = tuple(f"v2.{minor}" for minor in range(1, 16))  # versions, as op-plugin's files spell them in all_version


@dataclass(frozen=True)
class Exported:
    """An operator with its name in op-plugin, and its derivative if it has one."""

    signature: Signature
    name: str
    backward: BackwardFunction | None = None

    @property
    def structured(self) -> bool:
        """Whether op_plugin_functions.yaml alone can express the op: it has an expression and writes to no argument."""
        lists = any("custom_op::" in value for item in passed(self.signature).values() for _, value in item.parameters)
        return self.signature.kernel.expressed and not self.signature.written and not lists


def render_op_plugin(program: Program, prefix: str) -> FileSet:
    """The files, in the folders of op-plugin. ``prefix`` begins all names (``npu_``).

    Raises SpecError for an op that torch cannot express.
    """
    exported = exported_ops(program, prefix)
    derivatives = [op for op in exported if op.backward is not None]
    own = _cpp_files(exported)
    config, versions = "op_plugin/config", ", ".join(VERSIONS)
    files = [
        _form("op_plugin_functions.yaml", config, FunctionsYaml(versions, tuple(_yaml_ops(exported)))),
        _form("derivatives.yaml", config, _derivatives(derivatives, versions)),
        _form("_meta_registrations.py", "op_plugin/python/meta", MetaForm(tuple(_metas(exported)))),
    ]
    files += [
        _form("KernelNpuOpApi.cpp", "op_plugin/ops/opapi", form, f"{name}KernelNpuOpApi.cpp") for name, form in own
    ]
    if own:
        files.append(_form("custom_op_support.h", "op_plugin/utils", NoSlots()))
    public = [op for op in exported if op.signature.gradient_of is None]
    tests = tuple(fake_test(op.signature, op.name) for op in public)
    files.append(_form("test_fake_tensor.py", "test/core_tests", FakeTests(tests)))
    files.append(_form("torch_npu_OpApi_schema_all.json", "test/core_tests", SchemaForm(tuple(_rows(exported)))))
    for op in public:
        form: OpTest = op_test(op.signature, op.name, op.backward.inputs if op.backward else ())
        files.append(_form("test_npu_op.py", "test/test_custom_ops", form, f"test_{op.name}.py"))
    files.append(_form("README.md", "", _readme(program.spec, exported, bool(own))))
    return FileSet.of(*files)


def names_of(files: FileSet) -> tuple[str, ...]:
    """The functions that an export adds, read from their Meta functions."""
    (meta,) = (file.text for file in files if file.path.name == "_meta_registrations.py")
    return tuple(line.split('"')[1] for line in meta.splitlines() if line.startswith("@impl(m, "))


def exported_ops(program: Program, prefix: str) -> tuple[Exported, ...]:
    """Every op with its name in op-plugin. If its derivative has a kernel, that kernel follows it."""
    found = []
    for made in program.public:
        signature = signature_of(program, made)
        signature.check()
        _check_shapes(made.op)
        if signature.placed:
            what = f"{made.op.type} has no tensor among its required inputs, and an export has no `device` argument"
            raise SpecError([Problem(what, hint=f"leave it out: torch.ops of this project has {made.op.type}")])
        derived = made.torch.backward_function(program, prefix) if made.backward is not None else None
        found.append(Exported(signature, prefix + signature.function, derived))
        gradient = program.gradient(made)
        if gradient is not None and derived is not None:
            inner = signature_of(program, gradient)
            found.append(Exported(inner, prefix + inner.function))
    return tuple(found)


def _check_shapes(op: OpSpec) -> None:
    """Raises SpecError for a list, and if only the kernel knows a shape: op-plugin would return the largest one."""
    for tensor in op.outputs:
        if tensor.dynamic:
            what = f"{op.type}: {tensor.name} is a list of tensors, and an export has no such results"
            raise SpecError([Problem(what, hint=f"leave it out: torch.ops of this project has {op.type}")])
        if tensor.own_shape:
            what = f"{op.type}: the shape of {tensor.name} is handwritten, and an export has no such results"
            raise SpecError([Problem(what, hint=f"leave it out: torch.ops of this project has {op.type}")])
        if tensor.shaped:
            what = (
                f"{op.type}: the shape of {tensor.name} is known after the kernel, and an export does not wait for it"
            )
            raise SpecError([Problem(what, hint=f"leave it out: torch.ops of this project has {op.type}")])


def _yaml_ops(exported: Sequence[Exported]) -> list[YamlOp]:
    made = []
    for op in exported:
        func = quoted(schema(op.signature, op.name))
        made.append(_structured(op, func) if op.structured else YamlOp(func, structured=False))
        if op.backward is not None:
            made.append(YamlOp(quoted(op.backward.schema), structured=False))
    return made


def _structured(op: Exported, func: str) -> YamlOp:
    signature = op.signature
    names = _output_names(signature)
    given = passed(signature)
    arguments = [given[name].name for name in (*signature.inputs, *signature.attrs)]
    return YamlOp(
        func=func,
        structured=True,
        outputs=tuple(
            _structured_output(signature, name, tensor, quoted(cpp_dtype(signature, place)))
            for place, (name, tensor) in enumerate(zip(names, signature.op.outputs, strict=True))
        ),
        parameters=tuple(Pair(name, quoted(value)) for item in given.values() for name, value in item.parameters),
        call=", ".join((signature.op.aclnn, *arguments, *names)),
    )


def _structured_output(signature: Signature, name: str, tensor: TensorSpec, dtype: str) -> StructuredOutput:
    leading = cpp_leading_size(signature, tensor)
    if leading is None:
        return StructuredOutput(name, quoted(cpp_size(signature, tensor)), (), dtype)
    return StructuredOutput(name, leading[0], tuple(leading[1]), dtype)


def _output_names(signature: Signature) -> list[str]:
    """The names of the outputs in torchnpugen's code: ``out``, or ``out0`` and so on. No argument has such a name."""
    stem = "out"
    while any(name.startswith(stem) for name in (*signature.inputs, *signature.attrs)):
        stem += "put"
    count = len(signature.outputs)
    return [stem] if count == 1 else [f"{stem}{place}" for place in range(count)]


def _cpp_files(exported: Sequence[Exported]) -> list[tuple[str, CppFile]]:
    made = []
    for op in exported:
        if not op.structured:
            made.append((_file_stem(op.name), _own_function(op)))
        if op.backward is not None:
            made.append((_file_stem(op.backward.name), _derivative(op.name, op.backward)))
    return made


def _file_stem(name: str) -> str:
    """The stem of a file name without the prefix: op-plugin names its files SwigluKernelNpuOpApi.cpp."""
    return upper_camel(name.removeprefix("npu_"))


def _own_function(op: Exported) -> CppFile:
    """The C++ file of an op that the YAML cannot express."""
    signature = op.signature
    given = passed(signature)
    outputs = []
    for place, tensor in enumerate(signature.op.outputs):
        if tensor.inplace is None:
            options = f"{signature.first}.options().dtype({cpp_dtype(signature, place)})"
            outputs.append(MadeOutput(f"{tensor.name}Made", (cpp_size(signature, tensor), options)))
    made = tuple(output.name for output in outputs)
    arguments = [given[name].name for name in (*signature.inputs, *signature.attrs)]
    return CppFile(
        what=f"{op.name}: the op {signature.op.type}, which the structured form of the YAML cannot say.",
        returns=returns(signature),
        name=op.name,
        parameters=tuple(parameters(signature)),
        grads=(),
        variables=tuple(
            Variable("at::Tensor" if name.endswith("_memory") else "auto", name, value)
            for item in given.values()
            for name, value in item.parameters
        ),
        outputs=tuple(outputs),
        command=(signature.op.aclnn, *arguments, *made),
        kernel=None,
        results=(),
        written=signature.written,
        several=len(made) > 1,
        returned=made,
    )


def _derivative(name: str, back: BackwardFunction) -> CppFile:
    """The C++ file with the gradients of op ``name``."""
    returned = tuple(result.name for result in back.results)
    return CppFile(
        what=f"{back.name}: the gradients of {name}.",
        returns=back.returns,
        name=back.name,
        parameters=back.parameters,
        grads=back.grads,
        variables=back.variables,
        outputs=(),
        command=(),
        kernel=back.kernel,
        results=back.results,
        written=(),
        several=len(returned) > 1,
        returned=returned,
    )


def _derivatives(having: Sequence[Exported], versions: str) -> DerivativesYaml:
    formulas = tuple(
        Formula(quoted(schema(op.signature, op.name)), op.backward.formula) for op in having if op.backward is not None
    )
    return DerivativesYaml(versions, formulas)


def _metas(exported: Sequence[Exported]) -> list[MetaOp]:
    made = []
    for op in exported:
        signature = op.signature
        outputs = [
            MadeOutput(
                tensor.name,
                (
                    python_size(signature, tensor),
                    f"dtype={python_dtype(signature, place)}",
                    f"device={signature.first}.device",
                ),
            )
            for place, tensor in enumerate(signature.op.outputs)
            if tensor.inplace is None
        ]
        names = tuple(tensor.name for tensor in signature.made)
        made.append(MetaOp(op.name, _meta_parameters(signature), tuple(outputs), names or ("None",)))
        if op.backward is not None:
            grads = [f"grad_{output}" for output in op.backward.differentiable]
            likes = [
                f"{f'None if {name} is None else ' if name in signature.optional else ''}{name}.new_empty({name}.shape)"
                for name in op.backward.inputs
            ]
            back = op.backward.name
            taken = Signature(replace(signature.kernel, op=op.backward.taken), signature.package)
            made.append(MetaOp(back, _meta_parameters(taken, grads), (), tuple(likes)))
    return made


def _meta_parameters(signature: Signature, before: Sequence[str] = ()) -> tuple[str, ...]:
    plain = [parameter.partition(":")[0] for parameter in signature.parameters]
    given = [parameter.partition(" = ")[2] for parameter in signature.parameters]
    items = [f"{item}={value}" if value else item for item, value in zip(plain, given, strict=True)]
    return (*before, *items)


def _rows(exported: Sequence[Exported]) -> list[SchemaRow]:
    schemas = [schema(op.signature, op.name) for op in exported]
    schemas += [op.backward.schema for op in exported if op.backward is not None]
    last = len(schemas) - 1
    return [SchemaRow(json.dumps(f"func: {text}"), "," if i < last else "") for i, text in enumerate(sorted(schemas))]


def _readme(spec: Spec, exported: Sequence[Exported], own: bool) -> ReadmeForm:
    rows = []
    for op in exported:
        how = "only the YAML" if op.structured else f"`{_file_stem(op.name)}KernelNpuOpApi.cpp`"
        rows.append(ReadmeRow(op.name, f"`{op.signature.op.aclnn}`", how))
        if op.backward is not None:
            how = f"`{_file_stem(op.backward.name)}KernelNpuOpApi.cpp`"
            rows.append(ReadmeRow(op.backward.name, "the derivative", how))
    public = [op for op in exported if op.signature.gradient_of is None]
    without = [op for op in public if op.backward is None]
    unsaved = [op for op in without if op.signature.kernel.backward and _has_unsaved(op.signature)]
    return ReadmeForm(spec.project.name, spec.project.vendor, tuple(rows), _names(without), _names(unsaved), own)


def _names(ops: Sequence[Exported]) -> str:
    return ", ".join(f"`{op.name}`" for op in ops)


def _has_unsaved(signature: Signature) -> bool:
    return any(attr.type == UNSAVED for attr in signature.op.attrs)


def _form(form: str, folder: str, context: DataclassInstance, rename: str | None = None) -> File:
    name = f"code/op_plugin/{form}"
    return File(PurePosixPath(folder, rename or form), render_form(name, context), name)
