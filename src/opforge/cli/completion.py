"""``opforge completion``: the script with which a shell completes commands, options and files. It is click's own."""

from __future__ import annotations

import click

from opforge.cli.shared.console import current

_VARIABLE = "_OPFORGE_COMPLETE"  # that the script sets when it asks opforge what could follow
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

    from opforge.cli.main import opforge  # noqa: PLC0415  (which imports this module by its name)

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"click does not support completion in {shell}")
    # Not kind.source(): for bash it starts one to see that it is 4.4 or later, and there may be none.
    script = kind.source_template % kind(opforge, {}, "opforge", _VARIABLE).source_vars()
    if as_json:
        current().json({"shell": shell, "use": _HOW[shell], "script": script})
    else:
        current().result(script.strip("\n"))
