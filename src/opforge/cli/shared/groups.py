"""Groups of commands that suggest a name for a mistyped one."""

from __future__ import annotations

import click

_FEW = 8  # more are a page of their own: --help


class SuggestingGroup(click.Group):
    """A ``click.Group`` whose error for an unknown command names the nearest one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Like click's, with a suggestion."""
        name, known = args[0], self.list_commands(ctx)
        if name not in known and not name.startswith("-"):
            import difflib  # noqa: PLC0415  (only for the message)

            near = difflib.get_close_matches(name, known, n=1)
            listed = f" Valid names: {', '.join(known)}." if len(known) <= _FEW else ""
            hint = f" Did you mean '{near[0]}'?" if near else listed
            ctx.fail(f"No such command '{name}'.{hint}")
        return super().resolve_command(ctx, args)
