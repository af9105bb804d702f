"""The test of training beyond one device, of the ops that have derivatives."""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.render.torch.shared_tests import SharedParts

_TEST = "test_training.py"


@dataclass(frozen=True)
class TrainingForm:
    """Context of ``code/torch/tests/test_training.py``; all is Python source."""

    imports: tuple[str, ...]
    cases: tuple[str, ...]
    samples: str
    checks: tuple[str, ...]
    tests: tuple[str, ...]


def training_context(shared: SharedParts) -> TrainingForm | None:
    """The context, None where no op has a derivative that is tried."""
    if not shared.has(_TEST):
        return None
    return TrainingForm(
        imports=shared.imports(_TEST, {"operators": ("Operator", "identify", "on")}),
        cases=shared.texts(_TEST, "cases"),
        samples=", ".join(shared.texts(_TEST, "samples")),
        checks=shared.texts(_TEST, "checks"),
        tests=shared.texts(_TEST, "tests"),
    )
