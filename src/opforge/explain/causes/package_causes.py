"""Operator packages: their installation, and how CANN looks for functions and kernels."""

from __future__ import annotations

from opforge.explain.cause import ISSUES, ROOT, SPECIFIC, SYMPTOM, Cause

_GUIDE = ISSUES + "mirror-cann/asc-devkit/tree/master/docs/zh/guide"

PACKAGES = (
    Cause(
        "aclnn-function-missing",
        SPECIFIC,
        r"(aclnn\w+) or aclnn\w+GetWorkspaceSize not in (?:libopapi\.so|.*libopapi\.so), or libopapi\.so ?not found",
        "No installed library has the function {1}",
        "torch_npu looks in the packages of ASCEND_CUSTOM_OPP_PATH, then in those of opp/vendors/config.ini, then in "
        "CANN's libopapi.so. None has the function: the package is not installed for this user, was built without this "
        "op, is named nowhere, or the variable was set after Python had started.",
        "source <vendor>/bin/set_env.bash before Python starts; in an opforge project: opforge install, then opforge "
        "run",
        "aclnnAddRmsNormBias or aclnnAddRmsNormBiasGetWorkspaceSize not in libopapi.so, or libopapi.sonot found.",
        ISSUES + "vllm-project/vllm-ascend/issues/7095",
        ("symbol", "{1}"),
    ),
    Cause(
        "library-of-another-user",
        ROOT,
        r"owner does not match current owner or the root user is using the files of a common user",
        "torch_npu skips a library that belongs to another user",
        "torch_npu loads libcust_opapi.so only if it belongs to the user who runs or to root; root loads only its own.",
        "chown it to the user who runs, or install the package again as this user: `opforge doctor` lists such files",
        "libcust_opapi.so owner does not match current owner or the root user is using the files of a common user, "
        "will skip this file.",
        ISSUES + "Ascend/op-plugin",
        ("vendors",),
    ),
    Cause(
        "kernel-binary-missing",
        SPECIFIC,
        r"Cannot find bin of op (\w+)",
        "CANN has no kernel of {1} for these dtypes and this chip",
        "The function was found, and its kernel was not. CANN reads the list of kernels once, at the first use of the "
        "device: a package that ASCEND_CUSTOM_OPP_PATH names later is not seen. Or the package has no kernel for this "
        "combination of dtypes, formats and chip.",
        "Set ASCEND_CUSTOM_OPP_PATH before Python starts. Build the package for this chip and these dtypes.",
        "Cannot find bin of op Xxx, integral key",
        ISSUES + "flashserve/flash-linear-attention-npu/issues/429",
        ("vendors",),
    ),
    Cause(
        "kernel-config",
        ROOT,
        r"Parse dynamic kernel config fail",
        "CANN's own kernels are missing or do not fit",
        "CANN could not read the kernels of an operator: the kernels (ops) package is not installed, or is for another "
        "chip or version than toolkit and driver.",
        "Install the kernels (ops) package of the toolkit's version for this chip.",
        "EZ9999[PID: 3473945] AclNN_Inner_Error(EZ9999):  Parse dynamic kernel config fail.",
        ISSUES + "vllm-project/vllm-ascend/issues/4859",
        ("toolkits",),
    ),
    Cause(
        "op-without-binary",
        SPECIFIC,
        r"Op (\w+) does not has any binary",
        "The op {1} has no kernel at all for this chip",
        "The operator library was built without kernels of this op for the chip of this machine.",
        "Use a chip that has the op, or build the op for this chip.",
        "AclNN_Inner_Error(EZ9999): Op Pack does not has any binary.",
        ISSUES + "opendatalab/MinerU/issues/4075",
        ("vendors",),
    ),
    Cause(
        "config-ini-unreadable",
        ROOT,
        r"Can not open file: (\S*opp/vendors/config\.ini)",
        "This user may not read opp/vendors/config.ini",
        "The installer of operator packages writes config.ini with mode 640: only the user who installed, and that "
        "user's group, can read it. CANN then finds no operators.",
        "chmod 644 {1} (as its owner), or install for your user with --install-path",
        "[WARNING]  Can not open file: */opp/vendors/config.ini.",
        _GUIDE,
        ("file", "{1}"),
    ),
    Cause(
        "kernel-package-missing",
        SYMPTOM,
        r"Get path and read binary_info_config\.json failed",
        "CANN found no list of kernels",
        "The package with the kernel binaries is not installed for this chip, or this user may not read it.",
        "Install the kernels (ops) package of CANN for this chip, and check that you may read opp/vendors/config.ini.",
        "EZ1001: Get path and read binary_info_config.json failed, please check if the opp_kernel package is "
        "installed!",
        ISSUES + "vllm-project/vllm-ascend/issues/237",
        ("variable", "ASCEND_OPP_PATH", "ASCEND_CUSTOM_OPP_PATH"),
    ),
    Cause(
        "vendors-not-writable",
        ROOT,
        r"\[ERROR\] create (\S+/vendors/\S+)\s+failed|directory (\S+) does not have sufficient permissions",
        "This user may not write into CANN's opp/vendors",
        "Operator packages are installed into CANN's own folder, which belongs to the user who installed CANN.",
        "./custom_opp_*.run --install-path=$HOME/opp && source $HOME/opp/vendors/<vendor>/bin/set_env.bash; opforge "
        "install does that by itself",
        "[ERROR] create /usr/local/Ascend/cann/opp/vendors/customize/framework failed",
        _GUIDE,
        ("file", "{1}{2}"),
    ),
    Cause(
        "custom-opp-path-list",
        ROOT,
        r"environment variable ASCEND_CUSTOM_OPP_PATH=(\S+) is set and\s+has multiple path",
        "The installer does not accept a list in ASCEND_CUSTOM_OPP_PATH",
        "The installer of operator packages takes the variable as its target folder, and the variable names several.",
        "unset ASCEND_CUSTOM_OPP_PATH while you install, or give --install-path",
        "[ERROR] environment variable ASCEND_CUSTOM_OPP_PATH=/a/vendors/customize:/b/vendors/customize is set and has "
        "multiple path in it (colon inside), which will cause the custom op installed incorrectly.",
        ISSUES + "vllm-project/vllm-ascend/blob/main/csrc/cmake/scripts/custom/install.sh",
        ("variable", "ASCEND_CUSTOM_OPP_PATH"),
    ),
    Cause(
        "inner-op-missing",
        SPECIFIC,
        r"(aclnn\w+)(?:GetWorkspaceSize)? failed: 169104",
        "{1} launches another op, which is not installed",
        "The op calls further ops inside. The package was built with a part of the ops only, without those.",
        "Build the package with all ops that this one calls.",
        "aclnnXxxGetWorkspaceSize failed: 169104",
        ISSUES + "flashserve/flash-linear-attention-npu/issues/618",
        ("vendors",),
    ),
    Cause(
        "package-of-another-chip",
        ROOT,
        r"the socversion (\w+) of bin package does not match the current device socverison (\w+)",
        "The kernels are for {1}, and the device is {2}",
        "The package was built for another chip than that of this machine.",
        "Build it for {2}: in an opforge project, list the chip in `soc:` of opforge.yaml; elsewhere, set SOC_VERSION.",
        "[ERROR] the socversion Ascend910B1 of bin package does not match the current device socverison Ascend310P3. "
        "Please modify default socversion in run.sh or execute run.sh with socversion parameter.",
        ISSUES + "vllm-project/vllm-ascend/issues/5599",
        ("vendors",),
    ),
    Cause(
        "kernel-register",
        SPECIFIC,
        r"\[Bisheng\] Kernel binary register failure! ret (\d+)",
        "The runtime refuses the compiled kernel",
        "The kernel was compiled for another chip, or by a compiler that does not fit the driver.",
        "Compile for the chip of this machine, with the CANN that is in use.",
        "[ERROR] [Bisheng] Kernel binary register failure! ret 107000",
        ISSUES + "tile-ai/tilelang-ascend/issues/587",
        ("toolkits",),
    ),
    Cause(
        "platform-info",
        ROOT,
        r"init runtime platform info failed, SocVersion = (\w+)",
        "CANN has no description of the chip {1}",
        "The file of the chip is missing in CANN's platform_config folder: the toolkit is older than the chip, or its "
        "files cannot be read.",
        "Install a CANN that knows the chip, and check that you may read its folder.",
        "[Init][PlatformInfo]init runtime platform info failed, SocVersion = Ascend910B2[FUNC:ReportInnerError]",
        ISSUES + "vllm-project/vllm-ascend/issues/692",
        ("toolkits",),
    ),
    Cause(
        "soc-unknown-to-torch-npu",
        ROOT,
        r"Unsupported (?:soc version|SOC version): ?(\w+)",
        "torch_npu does not know the chip {1}",
        "The installed torch_npu is older than the chip, or does not support it.",
        "Install a newer torch_npu with the torch of its version.",
        "RuntimeError: Unsupported soc version: Ascend950PR 9579",
        ISSUES + "RLinf/RLinf/pull/1577",
        ("modules", "torch", "torch_npu"),
    ),
    Cause(
        "debug-dir",
        ROOT,
        r"Path \[(\S+)\] for \[ge\.debugDir\] is invalid",
        "CANN wants to write into {1}, and may not",
        "CANN writes files of its operator compiler into the current folder, which this user cannot write.",
        "Start the program in a folder of your own, or: export ASCEND_WORK_PATH=$HOME/ascend_work",
        "Path [/usr/bin] for [ge.debugDir] is invalid.Result: access real path failed. Reason: Permission",
        ISSUES + "vllm-project/vllm-ascend/issues/2748",
        ("file", "{1}"),
    ),
    Cause(
        "aicpu-library",
        SPECIFIC,
        r"exception occurred during AICPU execution.*msg:(open so failed|\w[\w ]*)",
        "An operator on the AI CPU could not load its library",
        "The AI CPU package of the device does not have the operator, or does not fit the toolkit.",
        "Install driver, firmware and CANN of matching versions.",
        "an exception occurred during AICPU execution, stream_id:6, task_id:2895, errcode:11002, msg:open so failed.",
        ISSUES + "vllm-project/vllm-ascend/issues/1006",
        ("driver",),
    ),
)
