#!/bin/bash
# Known mistakes: it copies over what is there, so that files of an older version stay; it makes one folder at most.
vendor_name=customize
for word in "$@"; do
    case $word in --install-path=*) path=${word#--install-path=} ;; esac
done
if [ -n "$path" ]; then
    [[ $path = /* ]] || { echo "[ERROR] use absolute path for --install-path argument"; exit 1; }
    [ -d $path ] || mkdir $path || exit 1
    target=$path
else
    target=${ASCEND_CUSTOM_OPP_PATH:-$ASCEND_OPP_PATH}
fi
[ -d $target ] || { echo "[ERROR] $target no exist"; exit 1; }
place=$target/vendors/$vendor_name
mkdir -p $place && cp -rf packages/vendors/$vendor_name/* $place/ || exit 1
if [ -n "$path" ]; then
    mkdir -p $place/bin
    echo "export ASCEND_CUSTOM_OPP_PATH=$place:\${ASCEND_CUSTOM_OPP_PATH}" > $place/bin/set_env.bash
elif [ ! -f $target/vendors/config.ini ]; then
    echo "load_priority=$vendor_name" > $target/vendors/config.ini
fi
echo SUCCESS
