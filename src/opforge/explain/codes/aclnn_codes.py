"""Status codes of aclnn functions (documentation: hicann/ops-nn, docs/zh/context/aclnn_return_code.md)."""

from __future__ import annotations

from opforge.explain.codes.code import Code

_VENDORS = ("vendors",)
_BUILD_AGAIN = "Build the operator package again and install it; the JSON of its kernels does not fit its op_host."

ACLNN_CODES = (
    Code(
        "161001",
        "ACLNN_ERR_PARAM_NULLPTR",
        "A required argument of the aclnn function is a null pointer, such as a tensor that is None in Python.",
        "Pass every required tensor. If the argument should be optional, declare it OPTIONAL in op_host.",
    ),
    Code(
        "161002",
        "ACLNN_ERR_PARAM_INVALID",
        "The function refuses an argument: its dtype, shape, format or attribute is not one that the op declares for "
        "this chip. The EZ1001 line before it names the argument.",
        "Compare the argument with the dtypes and formats in op_host, and cast the tensor or extend op_host.",
    ),
    Code(
        "361001",
        "ACLNN_ERR_RUNTIME_ERROR",
        "A call of the NPU runtime inside the aclnn function failed. The runtime's own code stands before it.",
        "Explain that code: give the whole log to `opforge explain`.",
        generic=True,
    ),
    Code(
        "561000",
        "ACLNN_ERR_INNER",
        "An internal error of the aclnn function. Often the op has no kernel binary for this chip.",
        "Read the EZ9999 lines before it. Build the op for the chip of this machine.",
        _VENDORS,
    ),
    Code(
        "561001",
        "ACLNN_ERR_INNER_INFERSHAPE_ERROR",
        "The op's shape inference failed for these input shapes.",
        "Check InferShape in op_host with these shapes; it must set every output.",
    ),
    Code(
        "561002",
        "ACLNN_ERR_INNER_TILING_ERROR",
        "The op's tiling function did not return GRAPH_SUCCESS, or Matmul tiling found no solution for these shapes.",
        "Log the reason in the tiling function, and call it with the same shapes. In an opforge project, "
        "`opforge test` runs the tiling on the simulated device.",
    ),
    Code(
        "561003",
        "ACLNN_ERR_INNER_FIND_KERNEL_ERROR",
        "No kernel was found for this combination of dtypes, formats and chip. The package with the binaries may be "
        "missing.",
        "Install the package that was built for this chip, and set ASCEND_CUSTOM_OPP_PATH before Python starts.",
        _VENDORS,
    ),
    Code(
        "561101",
        "ACLNN_ERR_INNER_CREATE_EXECUTOR",
        "The aclOpExecutor could not be created.",
        "Check that aclInit and aclrtSetDevice succeeded before the call.",
    ),
    Code(
        "561102",
        "ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR",
        "An aclnn function written by hand did not call ReleaseTo of its unique executor.",
        "Call `uniqueExecutor.ReleaseTo(executor)` before the first phase returns.",
    ),
    Code(
        "561103",
        "ACLNN_ERR_INNER_NULLPTR",
        "An internal pointer is null. In practice CANN did not find the op's kernels: the operator package is missing, "
        "is for another chip, or ASCEND_CUSTOM_OPP_PATH was set after CANN had read it.",
        "Set ASCEND_CUSTOM_OPP_PATH before Python starts, and install kernels for this chip.",
        _VENDORS,
    ),
    Code(
        "561104",
        "ACLNN_ERR_INNER_WRONG_ATTR_INFO_SIZE",
        "The call has another number of attributes than the op.",
        _BUILD_AGAIN,
    ),
    Code("561105", "ACLNN_ERR_INNER_KEY_CONFLICT", "Two kernels of the op have the same key.", _BUILD_AGAIN),
    Code(
        "561106",
        "ACLNN_ERR_INNER_INVALID_IMPL_MODE",
        "The implementation mode is not valid.",
        "Use one of the modes that the op declares, such as high_performance or high_precision.",
    ),
    Code(
        "561107",
        "ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND",
        "ASCEND_OPP_PATH is not set: CANN does not know where its operators are.",
        "source /usr/local/Ascend/ascend-toolkit/set_env.sh",
        ("variable", "ASCEND_OPP_PATH"),
    ),
    Code(
        "561108",
        "ACLNN_ERR_INNER_LOAD_JSON_FAILED",
        "A JSON file of the kernel library could not be read.",
        "Check that the user may read every file of the operator package; then install it again.",
        _VENDORS,
    ),
    Code(
        "561109",
        "ACLNN_ERR_INNER_JSON_VALUE_NOT_FOUND",
        "The JSON of the kernel library lacks a field.",
        _BUILD_AGAIN,
    ),
    Code("561110", "ACLNN_ERR_INNER_JSON_FORMAT_INVALID", "The JSON has a format that is not valid.", _BUILD_AGAIN),
    Code("561111", "ACLNN_ERR_INNER_JSON_DTYPE_INVALID", "The JSON has a dtype that is not valid.", _BUILD_AGAIN),
    Code(
        "561112",
        "ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND",
        "The package with the kernel binaries was not loaded.",
        "Install the kernels (ops) package of CANN for this chip, with the version of the toolkit.",
        _VENDORS,
    ),
    Code(
        "561113", "ACLNN_ERR_INNER_OP_FILE_INVALID", "The op's JSON file has fields that are not valid.", _BUILD_AGAIN
    ),
    Code(
        "561114",
        "ACLNN_ERR_INNER_ATTR_NUM_OUT_OF_BOUND",
        "The call has more attributes than the op's JSON declares.",
        _BUILD_AGAIN,
    ),
    Code(
        "561115",
        "ACLNN_ERR_INNER_ATTR_LEN_NOT_ENOUGH",
        "The call has fewer attributes than the op's JSON declares.",
        _BUILD_AGAIN,
    ),
    Code(
        "561116",
        "ACLNN_ERR_INNER_INPUT_NUM_IN_JSON_TOO_LARGE",
        "The op has more than 32 inputs.",
        "Pass several tensors as one dynamic input (a list of tensors).",
    ),
    Code("561117", "ACLNN_ERR_INNER_INPUT_JSON_IS_NULL", "The op's JSON file is incomplete.", _BUILD_AGAIN),
    Code(
        "561118",
        "ACLNN_ERR_INNER_STATIC_WORKSPACE_INVALID",
        "The JSON of a static kernel has a workspace that is not valid.",
        _BUILD_AGAIN,
    ),
    Code(
        "561119",
        "ACLNN_ERR_INNER_STATIC_BLOCK_DIM_INVALID",
        "The JSON of a static kernel has a number of blocks that is not valid.",
        _BUILD_AGAIN,
    ),
)
