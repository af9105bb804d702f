"""Compiles a kernel on a worker of a farm. A program of its own: the farm's process calls it with its environment."""

from __future__ import annotations

import os
import socket

from opforge.build.kernel_job import Job, Result, toolkit_identity
from opforge.build.kernel_worker import compile_job, compiler_version
from opforge.build.request import cache_folder
from opforge.build.toolkits import find_toolkit
from opforge.errors import BuildError
from opforge.progress import Silent
from opforge.release import __version__
from opforge.toolkit.process import Runner


def compile_here(job: Job) -> Result:
    """Compiles on a worker of a farm, with the worker's environment. Raises BuildError if it cannot give this result.

    The worker needs the same opforge, the same toolkit and the same C++ compiler. It makes the simulated toolkit in its
    own cache with its first job.
    """
    host = socket.gethostname()
    if job.opforge != __version__:
        raise BuildError(f"{host} has opforge {__version__}, and the build {job.opforge}", hint="install the same one")
    environ = dict(os.environ)
    runner = Runner()
    toolkit = find_toolkit("simulator" if job.simulated else "cann", environ, cache_folder(environ), runner, Silent())
    for what, here, there in (
        ("the toolkit", toolkit_identity(toolkit), job.toolkit),
        ("the C++ compiler", compiler_version(environ, runner), job.compiler),
    ):
        if here != there:
            raise BuildError(f"{what} of {host} is {here}, and that of the build {there}", hint="use equal machines")
    return compile_job(job, toolkit, environ, runner)
