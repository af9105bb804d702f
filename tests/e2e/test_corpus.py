"""Operators written by hand, in the styles of real ones: adopted, built, run, compared; and each once broken.

Both as the documentation has it and as devices do: a right operator breaks no rule at all; one that breaks a rule that
devices do not enforce runs there, with a warning.

`make test-all` has an eighth of them, `make qualify` the others; ``--corpus OP``, repeatable, names others. The sources
of most are those of examples/gallery.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from opforge.naming import snake
from opforge.spec.model import ANY_VALUES, OpSpec
from opforge.spec.read.parse import load_spec
from tests.e2e.conftest import Environment, make_environment
from tests.sampled import sampled

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler]

CORPUS = Path(__file__).parents[1] / "corpus"
GALLERY = Path(__file__).parents[2] / "examples" / "gallery"
RUN = Path(__file__).parent / "corpus_run.py"
NAMES = tuple(sorted(path.parent.name for path in CORPUS.glob("*/twin.json")))
EIGHTH = tuple(sorted({*NAMES[::8], "cumsum_rows", "matmul_object_bias"}))  # these two have tests of their own


def home(name: str) -> Path:
    """The folder with an operator's sources."""
    return GALLERY / name if (GALLERY / name).is_dir() else CORPUS / name


@dataclass(frozen=True)
class Twin:
    """An operator with one mistake, and what must be said of it."""

    file: str
    old: str
    new: str
    case: str
    says: str
    rule: str
    passes: str = ""  # the id of the rule, where devices do not enforce it
    then: str = ""  # what becomes of the operator on a device

    @staticmethod
    def of(name: str) -> Twin:
        return Twin(**json.loads((CORPUS / name / "twin.json").read_text(encoding="utf-8")))


@dataclass(frozen=True)
class Adopted:
    """A folder of operators that has been adopted, built and installed."""

    folder: Path
    environment: Environment
    names: tuple[str, ...]

    def run(self, rules: str, *wanted: str, **environ: str) -> list[dict[str, str]]:
        command = f"opforge run -- python {RUN} {self.folder.name} {GALLERY}:{CORPUS} " + " ".join(
            f"'{each}'" for each in wanted
        )
        done = self.environment.sh(command, self.folder, OPFORGE_SIM_RULES=rules, **environ)
        assert ("warning: " in done.stderr) <= (rules == "device"), done.stderr
        rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        return [{**row, "warned": done.stderr} for row in rows]


def adopt(folder: Path, names: tuple[str, ...]) -> Adopted:
    """The sources are copied, as ``opforge adopt`` writes beside them."""
    environment = make_environment(folder.parent / "env")
    environment.sh(f"opforge adopt . --package {folder.name}", folder)
    environment.sh("opforge build && opforge install", folder)
    return Adopted(folder, environment, names)


def copied(folder: Path, names: tuple[str, ...]) -> Path:
    for name in names:
        ignored = shutil.ignore_patterns("cases.py", "twin.json", "opforge.yaml", "__pycache__")
        shutil.copytree(home(name), folder / name, ignore=ignored)
    return folder


@pytest.fixture(scope="module", params=sampled(("an eighth", "the others"), {"an eighth"}))
def names(request: pytest.FixtureRequest) -> tuple[str, ...]:
    parts = {"an eighth": EIGHTH, "the others": tuple(name for name in NAMES if name not in EIGHTH)}
    return tuple(request.config.getoption("--corpus")) or parts[request.param]


@pytest.fixture(scope="module")
def corpus(names: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Adopted:
    return adopt(copied(tmp_path_factory.mktemp("right") / "corpus", names), names)


@pytest.fixture(scope="module")
def twins(names: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Adopted:
    folder = copied(tmp_path_factory.mktemp("wrong") / "twins", names)
    for name in names:
        twin = Twin.of(name)
        path = folder / name / twin.file
        text = path.read_text(encoding="utf-8")
        assert text.count(twin.old) == 1, f"{name}: the twin's text stands {text.count(twin.old)} times in {twin.file}"
        path.write_text(text.replace(twin.old, twin.new), encoding="utf-8")
    return adopt(folder, names)


def test_sources_stay_as_they_are(corpus: Adopted) -> None:
    for name in corpus.names:
        for path in filter(Path.is_file, home(name).glob("op_*/**/*")):
            assert (corpus.folder / path.relative_to(home(name).parent)).read_bytes() == path.read_bytes()


def without_shapes(op: OpSpec) -> OpSpec:
    """The op without what adopt only guesses from InferShape, and examples of the gallery state."""
    inputs = tuple(replace(tensor, dims=(), values=ANY_VALUES) for tensor in op.inputs)
    return replace(op, inputs=inputs, outputs=tuple(replace(tensor, dims=()) for tensor in op.outputs), sizes=())


def test_the_specs_of_the_gallery_are_those_that_adopt_writes(corpus: Adopted) -> None:
    adopted = {snake(op.type): op for op in load_spec(corpus.folder / "opforge.yaml").ops}
    for name in filter(lambda each: home(each).parent == GALLERY, corpus.names):
        own = load_spec(home(name) / "opforge.yaml").ops[0]
        sources = tuple(source.removeprefix(f"{name}/") for source in adopted[name].sources)
        written = replace(adopted[name], doc=own.doc, reference=f"golden:{name}", sources=sources)
        assert without_shapes(own) == without_shapes(written), name


@pytest.mark.parametrize("rules", ["documented", "device"])
def test_results_are_those_of_the_references(corpus: Adopted, rules: str) -> None:
    rows = corpus.run(rules, *corpus.names)
    assert {row["op"] for row in rows} == set(corpus.names)
    assert not [row for row in rows if row["said"] or "raised" in row]
    assert "warning: " not in rows[0]["warned"]


@pytest.mark.parametrize("seed", range(1, 7))
def test_any_legal_tiling_of_the_library(corpus: Adopted, seed: int) -> None:
    asks = "matmul_object_bias"  # the others with products fill their tiling by hand
    if asks not in corpus.names:
        pytest.skip(f"--corpus leaves {asks} out")
    rows = corpus.run("documented", asks, OPFORGE_SIM_TILING=f"legal:{seed}")
    assert rows
    assert not [row for row in rows if row["said"] or "raised" in row]


def said_of(twins: Adopted, rules: str, names: Sequence[str]) -> dict[str, str]:
    """By operator: what was raised, or what became of the results; and the warnings."""

    def said(name: str) -> str:
        (row,) = twins.run(rules, f"{name}={Twin.of(name).case}")
        ended = row.get("raised") or f"nothing was raised; {row['said'] or 'the results are right'}"
        return f"{ended}\n{row['warned']}"

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(names, pool.map(said, names), strict=True))


def test_twins_are_refused_for_the_right_reason(twins: Adopted) -> None:
    messages = said_of(twins, "documented", twins.names)
    wrong = {
        name: message
        for name, message in messages.items()
        if not (twin := Twin.of(name)).says or twin.says not in message or twin.rule not in message
    }
    assert not wrong


def test_twins_that_devices_let_pass_warn(twins: Adopted) -> None:
    passing = {name: twin for name in twins.names if (twin := Twin.of(name)).passes}
    wrong = {}
    for name, message in said_of(twins, "device", list(passing)).items():
        twin = passing[name]
        ended, _, warned = message.partition("\nwarning: ")
        if twin.then not in ended or twin.says not in warned or f"{{rule: {twin.passes}, " not in warned:
            wrong[name] = message
    assert not wrong


WRITTEN = """
import torch, torch_npu, twins

x = torch.arange(6, dtype=torch.float32).reshape(3, 2).npu()
y = twins.cumsum_rows(x)
print(x.tolist(), y.tolist())
wide = torch.ones(3, 4).npu()
try:
    twins.cumsum_rows(wide[:, ::2])
    torch_npu.npu.synchronize()
except RuntimeError as error:
    print(error)
"""


def test_an_input_that_a_kernel_writes_has_changed(twins: Adopted, tmp_path: Path) -> None:
    """Of an adopted op, which is judged as on a device. A view with gaps does not come to the kernel."""
    if "cumsum_rows" not in twins.names:
        pytest.skip("the operator was left out")
    program = tmp_path / "written.py"
    program.write_text(WRITTEN, encoding="utf-8")
    done = twins.environment.sh(f"opforge run -- python {program}", twins.folder)
    summed = [[0.0, 1.0], [2.0, 4.0], [6.0, 9.0]]
    first, _, rest = done.stdout.partition("\n")
    assert first == f"{summed} {summed}"
    assert re.search(r"DataCopyPad: writes \d+ bytes at offset 0 of x, which is an input\n", done.stderr)
    assert "\n  input-written  " in done.stderr
    assert "shape [3, 2], strides [4, 2]. Make it contiguous, or declare AutoContiguous() in OpDef" in rest


@pytest.mark.slow
def test_there_are_forty_of_them() -> None:
    assert len(NAMES) >= 40
    rules = [(Twin.of(name).says, Twin.of(name).rule) for name in NAMES]
    assert len(set(rules)) >= 25, "twins break too few different rules"
    assert len({Twin.of(name).passes for name in NAMES} - {""}) >= 5, "too few of them are rules that devices let pass"
