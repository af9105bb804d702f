"""Operators to adopt, as msOpGen lays them out, and a prototype for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

HOST = """#include "register/op_def_registry.h"
#include "../op_kernel/{file}_tiling.h"

namespace ge {{
static graphStatus InferShape(gert::InferShapeContext* context) {{
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}}
}}  // namespace ge

namespace ops {{
class {op} : public OpDef {{
public:
    explicit {op}(const char* name) : OpDef(name) {{
        this->Input("x").ParamType(REQUIRED).DataType({{ge::DT_FLOAT, ge::DT_FLOAT16}}).FormatList({{ge::FORMAT_ND}});
        this->Input("bias").ParamType(OPTIONAL).DataType({{ge::DT_FLOAT, ge::DT_FLOAT}}).FormatList({{ge::FORMAT_ND}});
        this->Output("y").ParamType(REQUIRED).DataType({{ge::DT_FLOAT, ge::DT_FLOAT16}}).FormatList({{ge::FORMAT_ND}});
        this->Attr("alpha").AttrType(OPTIONAL).Float(0.5);
        this->Attr("axes").AttrType(REQUIRED).ListInt();
        this->SetInferShape(ge::InferShape);
        this->AICore(){configs};
    }}
}};
OP_ADD({op});
}}  // namespace ops
"""
PROTOTYPE = {
    "op": "ScaledCustom",
    "input_desc": [
        {"name": "x", "param_type": "required", "format": ["ND"], "type": ["fp16", "float", "bf16"]},
        {"name": "ys", "param_type": "dynamic", "format": ["ND"] * 3, "type": "int32"},
        {"name": "bias", "param_type": "optional", "format": "ND", "type": ["float", "float", "float"]},
    ],
    "output_desc": [{"name": "z", "param_type": "required", "format": ["ND"], "type": ["half", "fp32", "bfloat16"]}],
    "attr": [
        {"name": "alpha", "param_type": "optional", "type": "float", "default_value": 0.5},
        {"name": "axis", "param_type": "required", "type": "int"},
        {"name": "mode", "param_type": "optional", "type": "string", "default_value": "sum"},
    ],
}
Run = Callable[..., tuple[int, str, str]]


def operator(folder: Path, op: str, file: str, configs: str = '.AddConfig("ascend910b")') -> None:
    """An op of msOpGen's layout; nothing here compiles its kernel."""
    for name, text in (
        (f"op_host/{file}.cpp", HOST.format(op=op, file=file, configs=configs)),
        (f"op_kernel/{file}.cpp", f"void {file}() {{}}\n"),
        (f"op_kernel/{file}_tiling.h", "struct Tiling { int size; };\n"),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def files(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
