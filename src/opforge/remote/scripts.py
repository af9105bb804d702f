"""The shell scripts that run on the other machine. They need sh, tar, find, flock, setsid, sha256sum and df."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from opforge.remote.command import Command

_ALIVE = '[ -f job/pid ] && [ ! -f job/status ] && kill -0 "-$(cat job/pid)" 2>/dev/null'

# job/reserve is space with which a job can say how it ended on a full disk.
# Results of a job are newer than job/key. The clock of files may tick 100 times a second only.
_START = """
umask 077
refuse() {{ df -Ph . 2>/dev/null; rm -rf incoming; echo "$1"; exit 0; }}
mkdir -p "$dir" && cd "$dir" || {{ echo folder; exit 0; }}
for tool in tar find flock setsid sha256sum; do
  command -v "$tool" >/dev/null || {{ echo "tool $tool"; exit 0; }}
done
[ -d "$py" ] && py=$py/bin/python
version=$("$py" -m opforge --version 2>&1) || {{ printf '%s\\n' "$version" "$py" missing; exit 0; }}
[ "$version" = "$want" ] || {{ printf '%s\\n' "$py" "version $version"; exit 0; }}
exec 9>lock; flock 9
if {alive}; then
  [ "$(cat job/key)" = "$key" ] && echo attached || echo busy
  exit 0
fi
if [ -f job/status ] && [ ! -f job/taken ] && [ "$(cat job/key)" = "$key" ]; then
  echo "ended $((($(date +%s) - $(date -r job/status +%s)) / 60))"
  exit 0
fi
rm -rf incoming job
mkdir -p incoming project job && head -c 262144 /dev/urandom > job/reserve && tar -xzf - -C incoming || refuse unpack
[ ! -f files ] || (cd project && xargs -0 rm -f -- < ../files) || refuse unpack
cat incoming/files >> files && cp -a incoming/project/. project/ && mv incoming/files files && rm -rf incoming &&
  printf %s "$key" > job/key || refuse unpack
: > job/log; : > job/out
sleep 0.05
export py merged gather
setsid sh -c "$job" sh "$@" </dev/null >/dev/null 2>&1 9>&- &
echo $! > job/pid
echo started
"""

_JOB = """
cd project
if [ "$merged" = yes ]; then "$py" -m opforge "$@" >>../job/log 2>&1
else "$py" -m opforge "$@" >../job/out 2>../job/log; fi
code=$?
left=$(df -Pk . 2>/dev/null | tail -n 1 | sed 's/ *[0-9]*% .*//; s/.* //')
rm -f ../job/reserve
(set -e; eval "$gather") > ../job/names &&
  tar -cf ../job/parcel -C ../job out -C ../project -T ../job/names 2>../job/problem &&
  sha256sum < ../job/parcel | cut -c1-64 > ../job/digest || { rm -f ../job/parcel; echo unpacked > ../job/digest; }
cd ..
echo "$code ${left:--}" > job/status.new && mv job/status.new job/status
"""

_FOLLOW = """
cd "$dir" || exit 1
pwd
seen={seen}; alive=yes
while [ $alive = yes ]; do
  {alive} || alive=no
  size=$(wc -c < job/log)
  if [ "$size" -gt "$seen" ]; then
    tail -c +$((seen + 1)) job/log | head -c $((size - seen)) || exit 1
    seen=$size
  elif [ $alive = yes ]; then sleep 0.3
  fi
done
if [ -f job/status ]; then echo "ended $(cat job/status) $(cat job/digest)" >&2; else echo lost >&2; fi
"""

_STOP = """
cd "$dir" && exec 9>lock && flock 9 && [ "$(cat job/key)" = "$key" ] || exit 1
[ -f job/status ] && : > job/taken || kill -TERM "-$(cat job/pid)"
"""


def _script(folder: str, body: str, variables: dict[str, str], arguments: Sequence[str] = ()) -> str:
    directory = f'"$HOME"/{shlex.quote(folder)}' if not folder.startswith("/") else shlex.quote(folder)
    lines = [f"dir={directory}", *(f"{name}={shlex.quote(value)}" for name, value in variables.items()), body]
    return shlex.join(["sh", "-c", "\n".join(lines), "sh", *arguments])


def _gather(command: Command) -> str:
    """Lines that print the names of the files to bring back; ``code`` is the command's status."""
    lines = [f'[ "$code" != 0 ] || [ ! -d ./{folder} ] || find ./{folder} -type f' for folder in command.whole]
    for name in command.written:
        quoted = shlex.quote(f"./{name}")
        lines.append(f"[ ! -e {quoted} ] || find {quoted} -type f -newer ../job/key")
    return "\n".join(lines)


def start_script(folder: str, version: str, key: str, command: Command) -> str:
    """Reads the project's parcel from stdin and starts the job, or says why it does not."""
    variables = {"py": command.python, "want": version, "key": key, "job": _JOB, "gather": _gather(command)}
    variables["merged"] = "yes" if command.merged else "no"
    return _script(folder, _START.format(alive=_ALIVE), variables, command.words)


def follow_script(folder: str, seen: int) -> str:
    """Prints the folder there and the log from byte ``seen`` on, until the job ends; then, to stderr, its end."""
    return _script(folder, _FOLLOW.format(alive=_ALIVE, seen=seen), {})


def parcel_script(folder: str) -> str:
    """Prints the parcel of the job that ended."""
    return _script(folder, 'cat "$dir/job/parcel"', {})


def problem_script(folder: str) -> str:
    """Prints why the parcel could not be packed, and the space on its disk."""
    return _script(folder, 'cd "$dir" && cat job/problem; df -Ph .', {})


def taken_script(folder: str) -> str:
    """Notes that the parcel arrived: the same command starts a new job from now on."""
    return _script(folder, ': > "$dir/job/taken"', {})


def stop_script(folder: str, key: str) -> str:
    """Ends the job with all its processes, if it is the one with this key; waits for a start that goes on."""
    return _script(folder, _STOP, {"key": key})
