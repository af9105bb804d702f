"""Killed builds and installations, files that change meanwhile: the next command ends well, and nothing is stale.

After each attack `opforge build` or `opforge install` runs once, undisturbed. Then dist/, and what is installed, are
byte-identical to a clean build of what is on disk: in another folder, with nothing kept from earlier builds.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.qualify.attacked import PACKAGE, Site, make_site

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

Keep = Callable[[str, dict[str, Any]], None]
Attack = Callable[[Site], str]

_SHOWN = 5


def killed_build(site: Site) -> str:
    """Ends a build; one in ten of them starts from nothing."""
    site.edit(site.chance.randint(1, 3))
    anew = site.chance.random() < 0.1
    if anew:
        shutil.rmtree(site.root / "build", ignore_errors=True)
    return site.kill(site.command("opforge", "build"), "build anew" if anew else "build")


def killed_install(site: Site) -> str:
    """Ends an installation; every other one has nothing to build before."""
    site.edit()
    built = site.chance.random() < 0.5
    if built:
        assert not site.completed("opforge", "build")
    return site.kill(site.command("opforge", "install"), "install what is built" if built else "install")


def interrupted_edit(site: Site) -> str:
    """Edits while a build or an installation runs, which then may fail."""
    words = site.chance.choice(("build", "build", "install"))
    site.edit()
    process = site.command("opforge", words)
    made = site.edits_during(process, words)
    process.communicate(timeout=900)
    return f"{made} during {words}" if made else ""


ATTACKS: dict[str, tuple[Attack, int, int]] = {  # attack, how many in all, in a sample
    "killed_builds": (killed_build, 100, 2),
    "killed_installs": (killed_install, 50, 1),
    "interrupted_edits": (interrupted_edit, 100, 2),
}


def attacked(site: Site, attack: Attack, count: int) -> dict[str, Any]:
    """Attacks until so many came in time; what they were, how many came too late, and what was wrong after which."""
    kinds: Counter[str] = Counter()
    wrong: list[str] = []
    late = 0
    while sum(kinds.values()) < count and late < 10 * count:
        kind = attack(site)
        if kind:
            kinds[kind] += 1
        else:
            late += 1
        words = "install" if attack is killed_install or site.chance.random() < 0.2 else "build"
        bad = site.completed("opforge", words) or site.wrong(installed=words == "install")
        if bad:
            wrong.append(f"{kind}: {bad}")
            shutil.rmtree(site.root / "build", ignore_errors=True)  # what is wrong once is counted once
            site.completed("opforge", "install")
    return {"attacks": sum(kinds.values()), "too late": late, "wrong": len(wrong), "kinds": dict(kinds), "what": wrong}


def check(found: dict[str, Any], count: int) -> None:
    assert not found["what"], f"{found['wrong']} of {count} are wrong\n" + "\n\n".join(found["what"][:_SHOWN])
    assert found["attacks"] == count, f"only {found['attacks']} of {count} attacks came in time"


@pytest.mark.slow
def test_a_sample(toolkit_root: Path, tmp_path: Path, seed: str) -> None:  # noqa: ARG001
    site = make_site(tmp_path / "attacked ü", seed)
    for attack, _, few in ATTACKS.values():
        check(attacked(site, attack, few), few)
    assert not site.completed("opforge", "install")
    for root, pattern in (
        (site.root / "dist", "*"),
        (site.prefix, f"**/{PACKAGE}*"),
        (site.prefix, "**/vendors/**/*.o"),
    ):
        path = next(path for path in sorted(root.glob(pattern)) if path.is_file())
        right = path.read_bytes()
        path.write_bytes(right + b"\n")
        assert site.wrong(installed=True), f"a byte more in {path} is not seen"
        path.write_bytes(right)
    assert not site.wrong(installed=True)


@pytest.mark.qualify
@pytest.mark.parametrize("kind", ATTACKS)
def test_all(kind: str, toolkit_root: Path, tmp_path: Path, seed: str, keep: Keep) -> None:  # noqa: ARG001
    attack, count, _ = ATTACKS[kind]
    found = attacked(make_site(tmp_path / "attacked", f"{seed} {kind}"), attack, count)
    keep(f"attacks_{kind}", {"seed": seed, **found})
    check(found, count)
