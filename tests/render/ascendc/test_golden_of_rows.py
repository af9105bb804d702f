"""The C++ that computes ops with rows on the host, for programs that call them without PyTorch."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path

import pytest
import torch
from attribute_axis_ops import ATTRIBUTE_AXES
from generated_ops import program_of
from index_axis_ops import INDEX_AXES
from row_ops import AXES, ROWS

from opforge.ir.evaluate import evaluate
from opforge.naming import snake
from opforge.render.ascendc.caller import op_programs, shared_programs

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

# Prints the results of inputs that hold 1/8, 2/8, 3/8 and so on.
MAIN = """\
#include <cstdio>
#include "golden_{stem}.h"

int main() {{
    std::vector<HostTensor> inputs{{ {inputs} }}, results{{ {results} }};
    for (HostTensor& input : inputs) {{
        for (size_t i = 0; i < input.values.size(); i++) {{
            input.values[i] = 0.125 * static_cast<double>(i + 1);
        }}
    }}
    {stem}_golden::Compute(inputs, &results);
    for (const HostTensor& result : results) {{
        for (double value : result.values) {{
            std::printf("%.9g\\n", value);
        }}
    }}
}}
"""


def tensors(shapes: list[tuple[int, ...]]) -> str:
    return ", ".join(f"HostTensor({{{', '.join(map(str, shape))}}}, ACL_FLOAT)" for shape in shapes)


@pytest.mark.parametrize(
    ("name", "shapes"),
    [
        ("MeanOfAll", [(2, 3, 4)]),
        ("CentredOnAll", [(2, 3), (2, 3)]),
        ("Moments", [(2, 3, 4)]),
        ("LastTwo", [(2, 3, 4), (4,)]),
        ("MomentsOver", [(2, 3), (2, 3)]),
        ("MaxOfLines", [(2, 3, 4)]),
        pytest.param("MinOfPlanes", [(2, 3, 4, 2), (3, 1, 2)], marks=pytest.mark.slow),
        pytest.param("MaxOver", [(3, 4)], marks=pytest.mark.slow),
        pytest.param("MaxOver", [()], marks=pytest.mark.slow),
        pytest.param("MinOfAnyRank", [(2, 3, 2)], marks=pytest.mark.slow),
        pytest.param("LargestOfFirst", [(2, 3)], marks=pytest.mark.slow),
    ],
)
def test_results(toolkit_root: Path, tmp_path: Path, name: str, shapes: list[tuple[int, ...]]) -> None:
    indexed = (each.op for each in INDEX_AXES)
    op = next(each for each in (*AXES, *ATTRIBUTE_AXES, *indexed) if each.type == name)
    program = program_of([op])
    (kernel,) = program.kernels
    for file in (*op_programs(program.spec, kernel), *shared_programs(program)):
        (tmp_path / Path(file.path).name).write_text(file.text, encoding="utf-8")
    inputs = {
        tensor.name: (torch.arange(math.prod(shape)) + 1.0).reshape(shape) / 8
        for tensor, shape in zip(op.inputs, shapes, strict=True)
    }
    dtypes = {tensor.name: getattr(torch, tensor.dtypes[-1]) for tensor in op.outputs}
    made = evaluate(program.graphs[name], inputs, {attr.name: -1 for attr in op.attrs}, dtypes)  # as the programs do
    wanted = [made[output.name] for output in op.outputs]
    results = [tuple(value.shape) for value in wanted]
    main = MAIN.format(stem=snake(name), inputs=tensors(shapes), results=tensors(results))
    (tmp_path / "main.cpp").write_text(main, encoding="utf-8")
    flags = ["-std=c++17", "-Wall", "-Werror", f"-I{toolkit_root / 'include'}"]
    subprocess.run(["g++", *flags, tmp_path / "main.cpp", "-o", tmp_path / "main"], check=True)
    printed = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True).stdout
    found = torch.tensor([float(line) for line in printed.split()])
    torch.testing.assert_close(found, torch.cat([value.flatten() for value in wanted]), rtol=1e-5, atol=1e-6)


def test_no_trial_has_rows_without_elements() -> None:
    """The programs visit the elements: they would compute nothing."""
    program = program_of([*ROWS, *AXES, *ATTRIBUTE_AXES])
    for kernel in program.kernels:
        for case in kernel.trial_cases():
            whole = torch.broadcast_shapes(*case.inputs)
            assert math.prod(whole) > 0 or not any(map(math.prod, case.outputs)), (kernel.op.type, case)
        assert kernel.trial_cases()
