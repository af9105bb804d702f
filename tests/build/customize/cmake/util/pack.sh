#!/bin/bash
# A script with an archive behind it, which starts install.sh in a temporary folder.
cd "$1" || exit 1
name=$2
{
    cat <<'HEAD'
#!/bin/bash
place=$(mktemp -d "${TMPDIR:-$HOME}/selfgz.XXXXXX")
line=$(awk '/^BEHIND$/ {print NR + 1; exit}' "$0")
tail -n +"$line" "$0" | tar xz -C "$place"
cd "$place" && bash ./install.sh "$@"
code=$?
rm -rf "$place"
exit $code
BEHIND
HEAD
    tar cz --exclude="$name" .
} > "$name"
chmod 755 "$name"
