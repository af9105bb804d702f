"""``opforge completion``: prints click's script that lets a shell complete commands, options and files."""

from __future__ import annotations

import click

from opforge.cli.shared.console import current

_VARIABLE = "_OPFORGE_COMPLETE"  # set by the script when it asks opforge for completions
_HOW = {
    "bash": 'eval "$(opforge completion bash)"    # in ~/.bashrc',
    "zsh": 'eval "$(opforge completion zsh)"    # in ~/.zshrc, after compinit',
    "fish": "opforge completion fish > ~/.config/fish/completions/opforge.fish",
}


@click.command(short_help="Print the completion script of a shell.")
@click.argument("shell", type=click.Choice(tuple(_HOW)))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, shell: str, as_json: bool) -> None:
    """Print a script that completes opforge's commands and options. Use it like this:

    \b
    eval "$(opforge completion bash)"    # in ~/.bashrc
    eval "$(opforge completion zsh)"    # in ~/.zshrc, after compinit
    opforge completion fish > ~/.config/fish/completions/opforge.fish
    """  # noqa: D301, D415  (click's mark for lines to keep)
    from click.shell_completion import get_completion_class  # noqa: PLC0415

    from opforge.cli.main import opforge  # noqa: PLC0415  (it imports this module)

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"click does not support completion in {shell}")
    # Not kind.source(): it starts bash to check its version, and bash may be missing.
    script = kind.source_template % kind(opforge, {}, "opforge", _VARIABLE).source_vars()
    if as_json:
        current().json({"shell": shell, "use": _HOW[shell], "script": script})
    else:
        current().result(script.strip("\n"))
