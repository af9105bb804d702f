#!/bin/bash
# Removes the vendor folder this script lies in, its entry in config.ini, and folders that are empty then.
place="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
vendor="$(basename "$place")"
vendors="$(dirname "$place")"
if [ "$(basename "$vendors")" != vendors ] || [ ! -d "$place/op_api" ]; then
    echo "uninstall: $place is not an installed operator package" >&2
    exit 1
fi
config="$vendors/config.ini"
if [ -f "$config" ]; then
    old="$(sed -n 's/^load_priority=//p' "$config" | head -n 1)"
    new=""
    IFS=, read -r -a names <<< "$old"
    for name in "${names[@]}"; do
        if [ -n "$name" ] && [ "$name" != "$vendor" ]; then new="${new:+$new,}$name"; fi
    done
    if [ -n "$new" ]; then
        echo "load_priority=$new" > "$config.$$" && mv "$config.$$" "$config" || exit 1
    else
        rm -f "$config" || exit 1
    fi
fi
chmod -R u+w "$place"
rm -rf "$place" || exit 1
case ",$OPFORGE_SIM_AWKWARD," in
    *,uninstall-exits-1,* | *,all,*) # as CANN's: the folder of an --install-path has no config.ini
        if [ ! -f "$config" ]; then
            echo "[ERROR] File '$config' does not exist."
            exit 1
        fi
        ;;
esac
rmdir "$vendors" 2>/dev/null
exit 0
