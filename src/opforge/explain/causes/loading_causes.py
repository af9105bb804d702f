"""Shared libraries that do not load, and symbols that they lack."""

from __future__ import annotations

from opforge.explain.cause import ISSUES, ROOT, SPECIFIC, SYMPTOM, Cause

LOADING = (
    Cause(
        "missing-library",
        ROOT,
        r"\b((?!libpython|libtorch_npu)lib[\w+.-]+\.so[\w.]*): cannot open shared object file",
        "The loader does not find {1}",
        "The library is not in the folders of LD_LIBRARY_PATH, nor in those of the system. For libraries of CANN, "
        "set_env.sh was not sourced in this shell; for those of the driver, the container lacks the driver's folder.",
        "Source set_env.sh of CANN (and of NNAL for libatb), or mount /usr/local/Ascend/driver into the container.",
        "ImportError: libhccl.so: cannot open shared object file: No such file or directory",
        ISSUES + "vllm-project/vllm-ascend/issues/262",
        ("library", "{1}"),
        needs="cannot open shared object file",
    ),
    Cause(
        "missing-libpython",
        ROOT,
        r"\b(libpython3[\w.]*\.so[\w.]*): cannot open shared object file",
        "Python's shared library {1} is missing",
        "A program embeds Python, and the loader does not find Python's library. Pythons that were built from source "
        "keep it in their own lib/ folder.",
        "export LD_LIBRARY_PATH=$(python3 -c 'import sysconfig; print(sysconfig.get_config_var(\"LIBDIR\"))'):"
        "$LD_LIBRARY_PATH",
        "text-generation-launcher: error while loading shared libraries: libpython3.11.so.1.0: cannot open shared "
        "object file: No such file or directory",
        ISSUES + "huggingface/inference-benchmarker/issues/31",
        ("library", "{1}"),
        needs="cannot open shared object file",
    ),
    Cause(
        "missing-libtorch-npu",
        ROOT,
        r"\blibtorch_npu\.so: cannot open shared object file",
        "An extension was loaded before torch_npu",
        "The extension needs libtorch_npu.so, which only `import torch_npu` brings into the process.",
        "Import torch and torch_npu before the extension; do not put torch_npu/lib on LD_LIBRARY_PATH.",
        "ImportError: libtorch_npu.so: cannot open shared object file: No such file or directory",
        ISSUES + "flagos-ai/vllm-plugin-FL/issues/77",
        ("modules", "torch", "torch_npu"),
        needs="cannot open shared object file",
    ),
    Cause(
        "cxx11-abi",
        SPECIFIC,
        r"undefined symbol: (_ZN?K?(?:5torch|3c10|2at)\w*(?:Ss|RKSs)\w*)",
        "The extension and torch were compiled with different C++ ABIs of std::string",
        "The missing symbol takes the old std::string (`Ss`), and this torch has only the new one, or the reverse: the "
        "extension was compiled with another _GLIBCXX_USE_CXX11_ABI than torch.",
        "Compile again with -D_GLIBCXX_USE_CXX11_ABI=$(python3 -c 'import torch; "
        "print(int(torch._C._GLIBCXX_USE_CXX11_ABI))')",
        "vllm_ascend_C.cpython-310-aarch64-linux-gnu.so: undefined symbol: "
        "_ZN5torch7LibraryC1ENS0_4KindESsSt8optionalIN3c1011DispatchKeyEEPKcj. All custom ops will be disabled.",
        ISSUES + "vllm-project/vllm-ascend/issues/1249",
        ("modules", "torch"),
    ),
    Cause(
        "torch-symbol",
        SPECIFIC,
        r"undefined symbol: (_ZN?K?(?:5torch|3c10|2at|7c10_npu|6at_npu)(?!\w*Ss)\w*)",
        "A library was compiled for another version of torch or torch_npu",
        "Functions of torch's C++ libraries change with each version. This library needs one that the installed "
        "version does not have.",
        "Install torch and torch_npu of one version (`opforge doctor` shows the table), and build extensions again: in "
        "an opforge project, `opforge build && opforge install`.",
        "site-packages/torch_npu/lib/libtorch_npu.so: undefined symbol: _ZN5torch10ValueErrorC1EPKcz",
        ISSUES + "Ascend/pytorch/issues/35",
        ("modules", "torch", "torch_npu"),
    ),
    Cause(
        "atb-symbol",
        ROOT,
        r"undefined symbol: (_ZN?K?(?:3Mki|3atb|6AsdOps)\w*)",
        "NNAL (ATB) does not fit torch_npu",
        "The installed NNAL has another version or another C++ ABI than the library that uses it.",
        "Install NNAL of the toolkit's version, and: source /usr/local/Ascend/nnal/atb/set_env.sh --cxx_abi=1 (or 0, "
        "as `python3 -c 'import torch; print(torch._C._GLIBCXX_USE_CXX11_ABI)'` says)",
        "OSError: nnal/atb/latest/atb/cxx_abi_1/lib/libtbe_adapter.so: undefined symbol: "
        "_ZN3Mki2DlC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEb",
        ISSUES + "Ascend/pytorch/issues/99",
        ("variable", "ATB_HOME_PATH"),
    ),
    Cause(
        "cann-symbol",
        ROOT,
        r"undefined symbol: (_ZN?K?(?:2ge|2gert|8optiling|3fe|4aicpu|15platform_ascendc)\w*|acl(?:rt|mdl)\w+"
        r"|rt[A-Z]\w+|Hccl\w+|hal[A-Z]\w+)",
        "Libraries of two versions of CANN are mixed",
        "A library needs a function of CANN that the loaded CANN does not have: an older toolkit or driver comes first "
        "on LD_LIBRARY_PATH, or the library was built with a newer one.",
        "Start a new shell, source the set_env.sh of one toolkit only, and build again with it.",
        "opp/built-in/op_impl/host_cpu/libops_host_cpu.so: undefined symbol: _ZN2ge14GetShapeErrMsgEjRKSsS1_",
        ISSUES + "Ascend/samples/issues/21",
        ("library_path",),
    ),
    Cause(
        "static-tls",
        ROOT,
        r"(\S+\.so[\w.]*): cannot allocate memory in static TLS block",
        "{1} was loaded too late",
        "The library needs a kind of thread storage whose space other libraries have already used. This happens on "
        "aarch64, with libgomp and scikit-learn or a conda environment.",
        "export LD_PRELOAD={1}",
        "ImportError: envs/cann/bin/../lib/libgomp.so.1: cannot allocate memory in static TLS block",
        ISSUES + "Ascend/pytorch/issues/7",
        ("variable", "LD_PRELOAD"),
        needs="static TLS block",
    ),
    Cause(
        "old-libstdcxx",
        ROOT,
        r"version [`'](GLIBCXX_[\d.]+|CXXABI_[\d.]+)' not found",
        "libstdc++ is older than the library needs ({1})",
        "The loader took a libstdc++.so.6 that is older than the compiler of the library: that of the system, or that "
        "of a conda environment.",
        "apt install --only-upgrade libstdc++6; in conda: conda install -c conda-forge libstdcxx-ng",
        "ImportError: /lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required by "
        "libtorch_python.so)",
        ISSUES + "pytorch/pytorch/issues/157709",
        ("library", "libstdc++.so.6"),
    ),
    Cause(
        "old-glibc",
        ROOT,
        r"version [`'](GLIBC_[\d.]+)' not found",
        "The C library of this system is older than the program needs ({1})",
        "The program was built on a newer Linux. The C library cannot be updated alone.",
        "Use a newer Linux (or container), or build the library on this machine.",
        "OSError: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.33' not found (required by libpyg.so)",
        ISSUES + "pyg-team/pyg-lib/issues/548",
        ("version", "ldd"),
    ),
    Cause(
        "stub-libraries",
        ROOT,
        r"is the path of the compilation stub",
        "A stub library of CANN was loaded instead of the real one",
        "CANN's devlib/ folders hold stubs that are only for linking on machines without an NPU. They come before the "
        "real libraries on LD_LIBRARY_PATH.",
        "Remove devlib/ folders from LD_LIBRARY_PATH, or put them at its end.",
        "The dynamic library path configured before running the application is the path of the compilation stub, not "
        "the correct dynamic library path.",
        ISSUES + "Ascend/pytorch/blob/master/torch_npu/csrc/core/npu/NPUErrorCodes.h",
        ("library_path",),
    ),
    Cause(
        "segmentation-fault",
        SYMPTOM,
        r"Segmentation fault(?:\s*\(core dumped\))?\s*$",
        "A program crashed",
        "While torch_npu is imported, a crash usually means that it was compiled with another gcc than torch, or that "
        "a CUDA build of torch is installed. Later, it is a wrong pointer, often in an extension.",
        "Install the CPU build of torch and torch_npu of the same version. For a traceback: python3 -X faulthandler "
        "...",
        "Segmentation fault (core dumped)",
        ISSUES + "Ascend/pytorch/blob/master/docs/zh/installation_guide/faq.md",
        ("modules", "torch", "torch_npu"),
    ),
)
