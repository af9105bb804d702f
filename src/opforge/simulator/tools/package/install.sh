#!/bin/bash
# Installs an unpacked run package: install.sh <folder> <vendor> [--quiet] [--install-path=DIR] [--install-for-all] [--force]
folder="$1"
vendor="$2"
shift 2
quiet=n
target=""
own_path=n
for_all=n
force=n
for option in "$@"; do
    case "$option" in
        --quiet) quiet=y ;;
        --install-path=*) target="${option#*=}"; own_path=y ;;
        --install-for-all) for_all=y ;;
        --force) force=y ;;
    esac
done

# What CANN's installer does and this one does not, where OPFORGE_SIM_AWKWARD asks for it (docs/toolkit_differences.md).
awkward() {
    case ",$OPFORGE_SIM_AWKWARD," in *,"$1",* | *,all,*) return 0 ;; esac
    return 1
}

say() { [ "$quiet" = y ] || echo "$*"; }
fail() { echo "install: $*" >&2; exit 1; }

if [ "$own_path" = y ]; then
    case "$target" in
        /*) ;;
        *) fail "--install-path must be an absolute path, not '$target'" ;;
    esac
elif [ -n "$ASCEND_CUSTOM_OPP_PATH" ]; then
    # set_env.bash puts vendor folders here; the first one decides, and a vendor folder stands for the folder it is in.
    target="${ASCEND_CUSTOM_OPP_PATH%%:*}"
    case "$target" in */vendors/*) target="${target%/vendors/*}" ;; esac
elif [ -n "$ASCEND_OPP_PATH" ]; then
    target="$ASCEND_OPP_PATH"
else
    fail "no target: give --install-path=DIR, or source the toolkit's set_env.sh"
fi
target="${target%/}"

if awkward plain-installer && [ "$target" != "${target//[^[:alnum:]\/._+=,@~-]/}" ]; then
    # Its paths are not quoted: this is one of the messages that then come.
    fail "line 354: [: too many arguments: $target"
fi
if awkward noisy-installer; then
    echo "[ops_custom] [$(date +'%Y-%m-%d %H:%M:%S')] [INFO] validate shared libraries before installation"
    quiet=n
fi

source_dir="$folder/packages/vendors/$vendor"
[ -d "$source_dir" ] || fail "the package holds no vendor $vendor"

awkward half-installed && mkdir -p -m 750 "$target/vendors/$vendor"
if [ "$force" = n ] && [ -n "$ASCEND_HOME_PATH" ]; then
    while IFS= read -r library; do
        missing="$(LD_LIBRARY_PATH="$source_dir/op_api/lib:$ASCEND_HOME_PATH/lib64:$LD_LIBRARY_PATH" ldd "$library" 2>&1 | grep 'not found')"
        [ -z "$missing" ] || fail "$(basename "$library") does not load with the toolkit at $ASCEND_HOME_PATH:
$missing
(--force installs all the same)"
    done < <(find "$source_dir" -type f -name 'libcust_*.so')
fi

vendors="$target/vendors"
place="$vendors/$vendor"
mkdir -p "$vendors" 2>/dev/null || fail "cannot make $vendors: no permission, or no space"
fresh="$vendors/.$vendor.new.$$"
trap 'rm -rf "$fresh" "$vendors/.$vendor.old.$$"' EXIT
cp -a "$source_dir" "$fresh" || fail "cannot copy into $vendors: no permission, or no space"
if [ "$own_path" = y ] && awkward plain-set-env; then
    mkdir -p "$fresh/bin"
    printf '#!/bin/bash\nexport ASCEND_CUSTOM_OPP_PATH=%s:${ASCEND_CUSTOM_OPP_PATH}\n' "$place" > "$fresh/bin/set_env.bash"
    printf 'export LD_LIBRARY_PATH=%s/op_api/lib/:${LD_LIBRARY_PATH}\n' "$place" >> "$fresh/bin/set_env.bash"
elif [ "$own_path" = y ]; then
    mkdir -p "$fresh/bin"
    {
        echo "# Lets the runtime find the operators of vendor $vendor. Source it; doing so twice changes nothing."
        echo 'case ":${ASCEND_CUSTOM_OPP_PATH}:" in'
        printf '    *:%q:*) ;;\n' "$place"
        printf '    *) export ASCEND_CUSTOM_OPP_PATH=%q"${ASCEND_CUSTOM_OPP_PATH:+:$ASCEND_CUSTOM_OPP_PATH}"\n' "$place"
        printf '       export LD_LIBRARY_PATH=%q"${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" ;;\n' "$place/op_api/lib"
        echo 'esac'
    } > "$fresh/bin/set_env.bash" || fail "cannot write below $vendors"
fi
if [ "$for_all" = y ]; then chmod -R a+rX "$fresh"; else chmod -R go-w "$fresh"; fi
if awkward locked-scripts; then
    chmod -R 750 "$fresh" && chmod -R 550 "$fresh/scripts"
fi
if awkward keeps-old-files && [ -d "$place" ]; then
    # What it has no new files for stays, as does what is beside its folders.
    [ -d "$place/scripts" ] && chmod -R u+w "$place/scripts"
    for part in "$fresh"/*; do
        [ -d "$part" ] && rm -rf "$place/${part##*/}"
    done
    cp -a "$fresh/." "$place/" || fail "cannot copy into $place"
    chmod -R u+w "$fresh"
    rm -rf "$fresh"
    say "SUCCESS"
    exit 0
fi
# The old one goes as a whole, so that no file of an earlier version stays.
if [ -e "$place" ]; then mv "$place" "$vendors/.$vendor.old.$$" || fail "cannot replace $place"; fi
mv "$fresh" "$place" || fail "cannot put $place in place"

if [ "$own_path" = n ]; then
    # The newest vendor comes first; names are compared whole.
    config="$vendors/config.ini"
    old="$(sed -n 's/^load_priority=//p' "$config" 2>/dev/null | head -n 1)"
    new="$vendor"
    IFS=, read -r -a names <<< "$old"
    for name in "${names[@]}"; do
        if [ -n "$name" ] && [ "$name" != "$vendor" ]; then new="$new,$name"; fi
    done
    if awkward word-vendors && [ -f "$config" ]; then  # a word of a vendor's name is taken for the vendor
        new="$vendor,$(sed "s/\\<$vendor\\>//g" <<< "$old" | tr -s ',')"
    fi
    echo "load_priority=$new" > "$config.$$" && chmod 644 "$config.$$" && mv "$config.$$" "$config" || fail "cannot write $config"
    say "SUCCESS: installed into $place"
else
    say "SUCCESS: installed into $place; to use it: source $place/bin/set_env.bash"
fi
exit 0
