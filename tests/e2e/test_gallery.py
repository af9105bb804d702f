"""Projects that begin with an example of the gallery: built, installed, and their tests pass.

Where the signature is precise, these draw every size of every named dimension. Two projects are tested at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from opforge.build.examples import example, example_names
from tests.e2e.conftest import make_environment
from tests.sampled import sampled

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler]

SAMPLE = ("gather_elements", "rms_norm_rows")  # in make test-all (25 s); all take ten minutes


@pytest.fixture(scope="module")
def printed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Mapping[str, Future[str]]]:
    """What the tests of each project print. All projects are installed into one environment."""
    folder = tmp_path_factory.mktemp("gallery")
    environment = make_environment(folder / "env")

    def test(name: str) -> str:
        environment.sh(f"opforge new --example {name}", folder)
        return environment.passes_as_on_devices(folder / name, "-vv")

    parameters = [getattr(item, "callspec", None) for item in request.session.items if item.path == request.path]
    names = [each.params["name"] for each in parameters if each is not None]
    with ThreadPoolExecutor(2) as pool:
        yield {name: pool.submit(test, name) for name in names}


@pytest.mark.parametrize("name", sampled(example_names(), SAMPLE))
def test_an_examples_project_passes_its_tests(name: str, printed: Mapping[str, Future[str]]) -> None:
    out = printed[name].result()
    assert "::test_case[" in out
    assert (f"tests/test_{name}.py::test_sizes[" in out) == example(name).is_precise
    assert "skipped" not in out
