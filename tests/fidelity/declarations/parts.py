"""What is compared with what: for each part, the unit that reads our headers and the unit that reads the public ones.

Folders of a checkout are named as their repositories are: asc-devkit, metadef, opbase, runtime, CANN-8.1.RC1.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
SIMULATOR = HERE.parents[2] / "src" / "opforge" / "simulator"

CANN_81 = "CANN-8.1.RC1/Ascend/ascend-toolkit/8.1.RC1"


@dataclass(frozen=True)
class Side:
    """A unit: what it includes, where that is looked for, and below which folders a declaration counts."""

    includes: tuple[str, ...]
    search: tuple[str, ...]
    counted: tuple[str, ...]
    options: tuple[str, ...] = ("-std=c++17",)

    def source(self) -> str:
        return "".join(f'#include "{each}"\n' for each in self.includes)

    def arguments(self, root: Path) -> list[str]:
        return [*self.options, f"-I{HERE}", *(f"-I{root / each}" for each in self.search)]

    def counts(self, root: Path) -> tuple[str, ...]:
        return tuple(str(root / each) for each in self.counted)


@dataclass(frozen=True)
class Part:
    """A comparison. ``source``: version and place of the public headers, for people.

    Of several units of theirs the first that declares a name says how.
    """

    name: str
    source: str
    ours: Side
    theirs: tuple[Side, ...]
    stands_for: tuple[tuple[str, str], ...] = ()  # a class of ours, and the public one that it is compared with


_DEVKIT = ("", "/include", "/include/basic_api", "/include/adv_api", "/include/utils", "/impl", "/impl/basic_api")
_QUIET = "-Wno-everything"
_INTRINSICS = f"{CANN_81}/tools/tikicpulib/lib/include"


def kernel(arch: int, soc: str) -> Part:
    target = (f"-D__NPU_ARCH__={arch}", "-std=c++17", _QUIET)
    headers = (
        "kernel_operator.h",
        "kernel_operator_list_tensor_intf.h",
        "adv_api/kernel_api.h",
        "adv_api/matmul/matmul_intf.h",
        "basic_api/kernel_type.h",
    )
    unit = "-D__CCE_AICORE__=220" if arch == 2201 else "-D__CCE_AICORE__=200"
    return Part(
        f"kernel_{soc}",
        f"asc-devkit 9.x include/ and impl/ with __NPU_ARCH__ {arch}, as the vector core has them; names of the "
        "device's compiler: CANN 8.1.RC1 tools/tikicpulib",
        Side(
            (
                "kernel_operator.h",
                "kernel_operator_list_tensor_intf.h",
                "lib/matmul_intf.h",
                "kernel_operator_layout.h",
                "basic_api/kernel_basic_intf.h",
            ),
            ("ascendc", ""),
            ("ascendc", "kernel_tiling"),
            target,
        ),
        (
            Side(
                ("device_prelude.h", *headers),
                (*(f"asc-devkit{each}" for each in _DEVKIT), "generated"),
                ("asc-devkit", "generated"),
                (*target, "-D__DAV_VEC__", unit),
            ),
            Side(("stub_fun.h",), (_INTRINSICS,), (_INTRINSICS,), (*target, unit)),
        ),
        (("AscendC::MatmulObject", "AscendC::MatmulClient" if arch == 2201 else "AscendC::MatmulImpl"),),
    )


_HOST = (
    *("exe_graph/runtime/" + each for each in (
        "infer_datatype_context.h", "infer_shape_context.h", "infer_shape_range_context.h", "kernel_context.h",
        "range.h", "shape.h", "storage_shape.h", "tensor.h", "tiling_context.h", "tiling_data.h",
        "tiling_parse_context.h",
    )),
    *("graph/" + each for each in ("types.h", "ascend_string.h", "utils/type_utils.h", "tensor.h")),
    *("register/" + each for each in (
        "device_op_impl_registry.h", "op_def.h", "op_def_registry.h", "op_impl_registry.h", "register_types.h",
        "tilingdata_base.h",
    )),
    "tiling/platform/platform_ascendc.h",
)  # fmt: skip
_PLATFORM = ("platform/platform_info.h", "platform/platform_infos_def.h", "platform/soc_spec.h")
_OP_COMMON = (
    *("op_common/op_host/util/" + each for each in ("const_util.h", "math_util.h", "platform_util.h", "shape_util.h")),
    *("op_common/op_host/" + each for each in ("infershape_broadcast_util.h", "infershape_elewise_util.h",
                                               "infershape_reduce_util.h", "tiling_base_class.h",
                                               "tiling_base_util.h")),
    *("op_common/op_kernel/" + each for each in ("math_util.h", "platform_util.h")),
    *("op_common/log/" + each for each in ("log.h", "error_code.h")),
)  # fmt: skip
_LOG = ("base/alog_pub.h", "base/dlog_pub.h", "base/err_msg.h", "base/log_types.h")
_GRAPH = ("graph/operator.h", "graph/operator_reg.h")  # not among the public repositories
_METADEF = "metadef/inc/external"
_CANN = f"{CANN_81}/aarch64-linux/include"
_HOST_SEARCH = (
    _METADEF, f"{_METADEF}/asc", "metadef/inc", "metadef/pkg_inc", "opbase/include", "opbase/include/nnopbase",
    "runtime/include", "runtime/include/dfx", "runtime/include/external", "runtime/pkg_inc", "runtime/pkg_inc/base",
    "asc-devkit/include/utils",
    "asc-devkit/include", _CANN, f"{_CANN}/experiment", f"{_CANN}/experiment/platform",
)  # fmt: skip
_ACL = ("acl/acl.h", "acl/acl_op.h", "acl/acl_op_compiler.h", "acl/acl_mdl.h", "aclnn/acl_meta.h", "aclnn/aclnn_base.h")


def host() -> Part:
    options = ("-std=c++17", _QUIET)
    headers = (*_HOST, *_PLATFORM, *_OP_COMMON, *_LOG)
    folders = ("exe_graph", "graph", "register", "tiling", "platform", "op_common", "log", "base")
    return Part(
        "host",
        "metadef inc/external, opbase include/op_common, runtime pkg_inc/platform, asc-devkit include/utils; "
        "graph/operator.h and operator_reg.h: CANN 8.1.RC1",
        Side((*headers, *_GRAPH), ("", "ascendc"), folders, options),
        (
            Side(
                ("device_prelude.h", *headers),
                _HOST_SEARCH,
                ("metadef", "opbase", "runtime", "asc-devkit", f"{_CANN}/securec.h"),
                options,
            ),
            Side(_GRAPH, (_CANN,), (_CANN,), options),
        ),
    )


def acl() -> Part:
    options = ("-std=c++17", _QUIET)
    return Part(
        "acl",
        "runtime include/external and opbase include/nnopbase; what they lack: CANN 8.1.RC1",
        Side(_ACL, ("",), ("acl", "aclnn"), options),
        (
            Side(_ACL, _HOST_SEARCH, ("runtime", "opbase", "metadef"), options),
            Side(_ACL, (_CANN,), (_CANN,), options),
        ),
    )


def parts() -> tuple[Part, ...]:
    return (kernel(2201, "ascend910b"), kernel(2002, "ascend310p"), host(), acl())


def assembled(folder: Path) -> Path:
    """Our headers as an installed toolkit has them below include/, which several folders make together."""
    for part in ("kernel", "host", "device"):
        shutil.copytree(SIMULATOR / part / "include", folder, dirs_exist_ok=True)
    return folder
