"""Libraries and Python modules that do not load."""

from __future__ import annotations

from opforge.explain.cause import ISSUES, ROOT, SPECIFIC, SYMPTOM, Cause

_FAQ = ISSUES + "Ascend/pytorch/blob/master/docs/zh/installation_guide/faq.md"

LOADING = (
    Cause(
        "missing-library",
        ROOT,
        r"\b((?!libpython|libtorch_npu|libcust_opapi)lib[\w+.-]+\.so[\w.]*): cannot open shared object file",
        "The loader does not find {1}",
        "A library is not in the folders of LD_LIBRARY_PATH, nor in those of the system. For libraries of CANN, "
        "set_env.sh was not sourced in this shell; for those of the driver, the container lacks the driver's folder.",
        "Source set_env.sh of CANN (and of NNAL for libatb), or mount /usr/local/Ascend/driver into the container.",
        "ImportError: libhccl.so: cannot open shared object file: No such file or directory",
        ISSUES + "vllm-project/vllm-ascend/issues/262",
        ("library", "{1}"),
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
        "op_build: error while loading shared libraries: libpython3.11.so.1.0: cannot open shared object file: No such "
        "file or directory",
        ISSUES + "vllm-project/vllm-ascend/issues/1440",
        ("library", "{1}"),
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
    ),
    Cause(
        "cxx11-abi",
        SPECIFIC,
        r"undefined symbol: (_ZN?K?(?:5torch|3c10|2at)\w*(?:Ss|RKSs)\w*)",
        "The extension and torch were compiled with different C++ ABIs of std::string",
        "The missing symbol takes the old std::string (`Ss`), and this torch has only the new one, or the reverse. The "
        "extension was compiled with another _GLIBCXX_USE_CXX11_ABI than torch.",
        "Compile again with -D_GLIBCXX_USE_CXX11_ABI=$(python3 -c 'import torch; "
        "print(int(torch._C._GLIBCXX_USE_CXX11_ABI))')",
        "vllm_ascend_C.cpython-310-aarch64-linux-gnu.so: undefined symbol: "
        "_ZN5torch7LibraryC1ENS0_4KindESsSt8optionalIN3c1011DispatchKeyEEPKcj",
        ISSUES + "vllm-project/vllm-ascend/issues/1249",
        ("modules", "torch"),
    ),
    Cause(
        "torch-symbol",
        SPECIFIC,
        r"undefined symbol: (_ZN?K?(?:5torch|3c10|2at|7c10_npu|6at_npu)(?!\w*Ss)\w*)",
        "The extension was compiled for another version of torch or torch_npu",
        "Functions of torch's C++ library change with each version. This extension needs one that the installed version "
        "does not have.",
        "Build the extension again in this environment: in an opforge project, `opforge build && opforge install`.",
        "ImportError: /usr/local/lib/python3.10/site-packages/torch_npu/lib/libtorch_npu.so: undefined symbol: "
        "_ZN3c104impl23ExcludeDispatchKeyGuardC1ENS_14DispatchKeySetE",
        ISSUES + "Ascend/pytorch/issues",
        ("modules", "torch", "torch_npu"),
    ),
    Cause(
        "atb-symbol",
        ROOT,
        r"undefined symbol: (_ZN?K?(?:3Mki|3atb|6AsdOps|6Asdops)\w*)",
        "NNAL (ATB) does not fit torch_npu",
        "The installed NNAL has another version or another C++ ABI than the library that uses it.",
        "Install NNAL of the toolkit's version, and: source /usr/local/Ascend/nnal/atb/set_env.sh --cxx_abi=1 (or 0, as "
        "`python3 -c 'import torch; print(torch._C._GLIBCXX_USE_CXX11_ABI)'` says)",
        "OSError: libop_plugin_atb.so: undefined symbol: _ZN3atb15CreateOperationINS_5infer14GroupTopkParamEEEiRKT_"
        "PPNS_9OperationE",
        ISSUES + "Ascend/pytorch/issues/99",
        ("variable", "ATB_HOME_PATH"),
    ),
    Cause(
        "backend-autoload",
        SYMPTOM,
        r"Failed to load the backend extension: torch_npu",
        "`import torch` could not import torch_npu",
        "torch imports torch_npu when it starts, and torch_npu failed. The reason stands in the traceback above: usually "
        "a library of CANN or of the driver.",
        "Source set_env.sh of CANN. In a shell without NPU: export TORCH_DEVICE_BACKEND_AUTOLOAD=0",
        "RuntimeError: Failed to load the backend extension: torch_npu. You can disable extension auto-loading with "
        "TORCH_DEVICE_BACKEND_AUTOLOAD=0.",
        ISSUES + "flashserve/flash-linear-attention-npu/issues/2",
        ("variable", "ASCEND_HOME_PATH", "TORCH_DEVICE_BACKEND_AUTOLOAD"),
    ),
    Cause(
        "torch-npu-source-tree",
        ROOT,
        r"No module named 'torch_npu\._C'",
        "Python imports torch_npu from its source folder",
        "Python was started inside torch_npu's source tree, whose torch_npu/ folder has no compiled parts.",
        "Change to another folder: cd ~",
        "ModuleNotFoundError: No module named 'torch_npu._C'",
        _FAQ,
        ("file", "torch_npu"),
    ),
    Cause(
        "cann-python-module",
        ROOT,
        r"No module named '(tbe|te|tvm|opc_tool|te_fusion|asc_op_compile_base|op_gen|hccl|acl)'",
        "CANN's Python module {1} is not on PYTHONPATH",
        "CANN's own Python modules are in its python/site-packages, which set_env.sh puts on PYTHONPATH. A program that "
        "sets PYTHONPATH itself may have removed it.",
        "source /usr/local/Ascend/ascend-toolkit/set_env.sh",
        "ModuleNotFoundError: No module named 'tbe'",
        ISSUES + "vllm-project/vllm-ascend/issues/1440",
        ("variable", "PYTHONPATH", "ASCEND_HOME_PATH"),
    ),
    Cause(
        "needed-python-module",
        ROOT,
        r"No module named '(decorator|sympy|cffi|attr|attrs|scipy|psutil|absl|google\.protobuf|google|pathlib2|"
        r"cloudpickle|tornado|ml_dtypes|jinja2)'",
        "The Python module {1}, which CANN or torch_npu needs, is not installed",
        "CANN's operator compiler and torch_npu import this module. Without it they fail late, often with error 500001.",
        "python3 -m pip install decorator sympy cffi attrs scipy psutil absl-py protobuf cloudpickle tornado ml-dtypes",
        "ModuleNotFoundError: No module named 'decorator'",
        ISSUES + "Ascend/pytorch/issues/7",
        ("modules", "decorator", "sympy", "cffi", "attr", "scipy", "psutil", "absl", "google"),
    ),
)
