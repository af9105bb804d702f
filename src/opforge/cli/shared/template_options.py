"""The options for a project's team template, and fetching it from git."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING

import click

from opforge.cli.shared.console import current
from opforge.frozen import dataclass

if TYPE_CHECKING:
    from opforge.scaffold.template_source import Fetch, Fetched


@dataclass(frozen=True)
class TemplateOptions:
    """The options for a project's team template; opforge's own template needs none."""

    trust: bool = False
    answers: Mapping[str, str] = field(default_factory=dict)


def answers_of(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> dict[str, str]:
    """``("NAME=VALUE", ...)`` as a mapping."""
    for word in value:
        if "=" not in word:
            raise click.BadParameter(f"{word!r} has no `=`: expected NAME=VALUE", ctx, param)
    return {name: answer for name, _, answer in (word.partition("=") for word in value)}


def template_options(function: Callable[..., None]) -> Callable[..., None]:
    """The options about a project's team template."""
    answer = click.option(
        "--answer",
        "answers",
        multiple=True,
        callback=answers_of,
        metavar="NAME=VALUE",
        help="Answer a question of the project's team template. Repeatable.",
    )
    trust = click.option("--trust", is_flag=True, help="Let that template run its own code.")
    return answer(trust(function))


def template_fetch() -> Fetch:
    """The function that fetches templates from git; it imports its modules on first use."""

    def fetch(address: str, ref: str | None) -> Fetched:
        from opforge.build.rendering import git_fetch  # noqa: PLC0415
        from opforge.build.request import cache_folder  # noqa: PLC0415
        from opforge.cli.shared.runners import new_runner  # noqa: PLC0415

        environ = dict(os.environ)
        return git_fetch(cache_folder(environ), environ, new_runner(), current().note)(address, ref)

    return fetch
