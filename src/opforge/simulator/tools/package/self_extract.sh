#!/bin/bash
# A run package of custom Ascend C operators: this script, then @BYTES@ bytes of tar.gz.
[ -n "$BASH_VERSION" ] || exec bash "$0" "$@" # `sh x.run`, where sh is dash: what follows has arrays
vendor="@VENDOR@"
version="@VERSION@"
sha256="@SHA256@"
bytes=@BYTES@
lines=@LINES@
umask 022

usage() {
    cat <<END
$(basename "$0"): custom operators of vendor $vendor
  --help                 this text
  --info                 vendor, toolkit version and size
  --list                 the files inside
  --check                checks that the package is whole
  --noexec               unpacks without installing (with --extract)
  --extract=DIR          unpacks into DIR and keeps it
  --quiet                no output but errors
  --install-path=DIR     installs into DIR (absolute) and writes set_env.bash there
  --install-for-all      other users of this machine may read the installed files
  --force                installs without checking that the libraries load
Without --install-path the target is ASCEND_CUSTOM_OPP_PATH if set, else ASCEND_OPP_PATH.
END
}

fail() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

payload() {
    tail -n +$((lines + 1)) "$0"
}

check() {
    [ "$(payload | wc -c)" -eq "$bytes" ] || fail "the package is damaged: its size is wrong; get it again"
    [ "$(payload | sha256sum | cut -d' ' -f1)" = "$sha256" ] || fail "the package is damaged: its checksum is wrong; get it again"
}

quiet=n
noexec=n
extract=""
options=()
for option in "$@"; do
    case "$option" in
        --help | -h) usage; exit 0 ;;
        --info) echo "vendor: $vendor"; echo "toolkit version: $version"; echo "size: $bytes bytes"; exit 0 ;;
        --list) check; payload | tar -tzf -; exit ;;
        --check) check; echo "the package is whole (sha256 $sha256)"; exit 0 ;;
        --quiet) quiet=y; options+=("$option") ;;
        --noexec) noexec=y ;;
        --nox11 | --) ;;
        --extract=*) extract="${option#*=}" ;;
        --install-path=* | --install-for-all | --force) options+=("$option") ;;
        *)
            case ",$OPFORGE_SIM_AWKWARD," in
                *,lenient-options,* | *,all,*) ;; # CANN's takes what it does not know for nothing
                *) fail "unknown option $option (--help lists them)" ;;
            esac
            ;;
    esac
done

check
if [ -n "$extract" ]; then
    mkdir -p "$extract" || fail "cannot make $extract"
    folder="$extract"
else
    folder="$(mktemp -d "${TMPDIR:-/tmp}/opp_run.XXXXXX")" ||
        fail "no temporary folder below ${TMPDIR:-/tmp}: let TMPDIR name a folder that you may write to"
    trap 'rm -rf "$folder"' EXIT
fi
payload | tar -xzf - -C "$folder" || fail "cannot unpack into $folder"
[ "$noexec" = y ] && exit 0
[ "$quiet" = y ] || echo "installing the operators of vendor $vendor"
bash "$folder/install.sh" "$folder" "$vendor" "${options[@]}"
exit
