"""The ``opforge`` command: finds the subcommand, runs it, and turns every outcome into an exit code.

A subcommand is a module of this package with a click command named ``command``. It is imported only when used, so that
``opforge --help`` takes no longer than click itself.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from itertools import takewhile
from typing import TextIO

import click

from opforge.cli.shared.console import Console
from opforge.cli.shared.explained_errors import explain_detail
from opforge.cli.shared.groups import SuggestingGroup
from opforge.errors import OpforgeError, UsageError
from opforge.release import __version__

# Name and one line of help, in the order of use in a project.
COMMANDS = {
    "new": "Create a complete operator project from a name, its inputs and an expression.",
    "adopt": "Turn an existing operator project into an opforge project; its sources stay unchanged.",
    "add": "Add an op to the project: to its opforge.yaml and the generated files.",
    "list": "List the ops that opforge knows by name, the project's ops and the installed packages.",
    "status": "Show what you edited and what an update would change.",
    "update": "Update the project to its spec, its template and this opforge; edits are merged.",
    "build": "Build the run package and the wheel; rebuild only what changed.",
    "install": "Install both into the current Python environment and check that the ops run.",
    "test": "Build and install what changed, then run the project's tests.",
    "watch": "Build, install and test at each saved edit.",
    "trace": "Write an estimated timeline of each pipe.",
    "verify": "Compare every op with its golden by three precision standards.",
    "bench": "Compare the time of every op with PyTorch's own operators; count the bytes moved.",
    "tune": "Look for a faster split of an op's work at given sizes.",
    "run": "Run any command in the activated environment.",
    "clean": "Remove build/ and dist/ of the project.",
    "uninstall": "Remove what install added, and nothing else.",
    "export": "Write the ops in another project's form: op-plugin, or a project of CANN alone.",
    "port": "List what breaks on another chip (ascend950) in handwritten Ascend C, with line and page.",
    "vendor": "Copy opforge.testing into a project, for machines without opforge.",
    "inspect": "Print one stage between spec and artifacts: spec, ir, plan, files, key, schema.",
    "template": "List the available project templates; check a team's template.",
    "acceptance": "Try the catalog's ops on this machine, from build to bench, and pack one report.",
    "toolkit": "List the toolkits of this machine, describe one, choose the one to build with.",
    "explain": "Explain an error code or a log: cause, check on this machine, fix.",
    "doctor": "Check whether a build can work here, and print how to fix what is missing.",
    "completion": "Print a script that completes opforge's commands in a shell.",
    "version": "Print the versions of opforge, Python and the packages that it uses.",
}

INTERRUPTED = 130  # 128 + SIGINT, as shells count
BROKEN_PIPE = 141  # 128 + SIGPIPE
BUG = 70  # EX_SOFTWARE

# Errors of the machine, reported with the file's name. Other errors of files are bugs of opforge.
_REFUSALS = frozenset(
    {
        *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EPERM, errno.EROFS, errno.EIO, errno.ESTALE),
        *(errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENOTEMPTY, errno.ELOOP, errno.ENAMETOOLONG),
        *(errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM),
    }
)

# Hints for those whose file name is not enough.
_KERNEL_FOLDERS = ("/proc/", "/sys/")
_ADVICE = {
    errno.ENOSPC: "free some space and try again",
    errno.EDQUOT: "free some space and try again",
    errno.EFBIG: "this shell limits the size of files (`ulimit -f`): raise the limit",
    errno.EACCES: "`ls -ld` shows who may read and write it",
    errno.EROFS: "it is on a read-only file system",
    errno.ENAMETOOLONG: "the limits are 255 bytes for a name and 4095 for a path: use shorter ones",
    errno.EMFILE: "this shell limits the number of open files (`ulimit -n`): raise the limit",
}

_QUIET = "Print only results and errors."
_VERBOSE = "Print each process that opforge starts and its time, and why each build step runs or does not run."


class Commands(SuggestingGroup):
    """The group of all commands: lists them without importing any."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """All names, in the order of COMMANDS."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command's module; None for an unknown name."""
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"opforge.cli.{cmd_name}").command
        if not isinstance(command, click.Command):
            raise TypeError(f"opforge.cli.{cmd_name}.command is not a click command")
        return _with_verbosity(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The table of commands for ``--help``."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, "-V", "--version", message="opforge %(version)s")
@click.option("-q", "--quiet", is_flag=True, help=_QUIET)
@click.option("-v", "--verbose", is_flag=True, help=_VERBOSE)
@click.pass_context
def opforge(ctx: click.Context, *, quiet: bool, verbose: bool) -> None:
    """From one spec to a complete Ascend C operator project for PyTorch; one command each to build, install and test.

    Start with:  opforge new VectorAdd --inputs x,y
    """
    ctx.obj = Console(quiet=quiet, verbose=verbose)
    _check_verbosity(ctx.obj)


def _with_verbosity(command: click.Command) -> click.Command:
    """The command with ``-q`` and ``-v``, so that they are valid both before and after the command's name.

    A command that hands unknown options to pytest has no ``-v``, because pytest has one.
    """
    settings = command.context_settings
    pytest = settings.get("ignore_unknown_options", False) and settings.get("allow_interspersed_args", True)
    for short, name, text in (("-q", "quiet", _QUIET), *(() if pytest else (("-v", "verbose", _VERBOSE),))):
        if not any(f"--{name}" in parameter.opts for parameter in command.params):
            option = click.Option([short, f"--{name}"], is_flag=True, expose_value=False, callback=_set, help=text)
            command.params.append(option)
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        _with_verbosity(inner)
    return command


def _set(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Sets the console's field with the option's name."""
    console = ctx.find_object(Console)
    if value and console is not None:
        setattr(console, str(param.name), True)
        _check_verbosity(console)


def _check_verbosity(console: Console) -> None:
    if console.quiet and console.verbose:
        raise UsageError("-q and -v exclude each other", hint="give only one of them")


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return the process's exit code; never raises.

    0 is success, 2 a wrong command line, 3 to 11 the classes of ``opforge.errors``, 70 a bug of opforge, 130 Ctrl-C.
    With ``--json``, stdout contains only the error: ``{"schema": 1, "error": {...}}``.
    """
    console = Console(as_json="--json" in takewhile(lambda word: word != "--", arguments))
    try:
        code = _dispatch(arguments, console)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader closed the pipe (`| head`): no message, and no traceback at exit
        _discard(sys.stdout)
        return BROKEN_PIPE
    except OSError as error:  # for example a full disk, if stdout or stderr is a file
        _discard(sys.stdout)
        with suppress(OSError):
            console.error(f"error: the output cannot be written: {error.strerror or error}")
        _discard(sys.stderr)
        return 1
    return code


def _discard(stream: TextIO) -> None:
    """Discards unwritten output, so that Python does not fail again at exit."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _dispatch(arguments: Sequence[str], console: Console) -> int:
    try:
        result = opforge.main(list(arguments), prog_name="opforge", standalone_mode=False)
    except OpforgeError as error:
        console.failure(error)
        explain_detail(console, error)
        return error.exit_code
    except click.ClickException as error:
        console.usage(error)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _interrupted(console)
    except BrokenPipeError:
        raise
    except SystemExit as ended:  # from click, for a broken pipe, or from a command that returns a child's exit code
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except OSError as error:
        return _refused(console, error)
    except Exception as error:  # noqa: BLE001  (the last place for a useful message)
        return _unforeseen(console, error)
    return result if isinstance(result, int) else 0


def _refused(console: Console, error: OSError) -> int:
    if error.errno == errno.ENOENT and error.filename is None:  # only errors of getcwd have no file name
        console.ended(type(error).__name__, 1, "the current folder does not exist any more", "change to another folder")
        return 1
    if error.errno == errno.ENOENT and str(error.filename).startswith(_KERNEL_FOLDERS):
        advice = "the kernel's file systems take no new files: choose another folder"
        console.ended(type(error).__name__, 1, f"{error.filename} cannot be created", advice)
        return 1
    if error.errno not in _REFUSALS:
        console.bug(error, BUG)
        return BUG
    where = f": {error.filename}" if error.filename else ""
    console.ended(type(error).__name__, 1, f"{error.strerror or error}{where}", _ADVICE.get(error.errno))
    return 1


def _unforeseen(console: Console, error: Exception) -> int:
    # Up to Python 3.11, RuntimeError wraps a signal's exception raised in __set_name__, during imports.
    cause = error.__cause__
    if isinstance(cause, KeyboardInterrupt):
        return _interrupted(console)
    if isinstance(cause, SystemExit) and isinstance(cause.code, int):
        return cause.code
    console.bug(error, BUG)
    return BUG


def _interrupted(console: Console) -> int:
    if console.as_json:
        console.ended("Interrupted", INTERRUPTED, "interrupted")
    else:
        console.error("interrupted")
    return INTERRUPTED
