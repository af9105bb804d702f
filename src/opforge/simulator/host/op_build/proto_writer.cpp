// op_proto.h and op_proto.cc: the op's graph prototype; and the tiling data that op_host declares by macros.
#include <sstream>

#include "names.h"
#include "writers.h"

namespace op_build {

namespace {

const char* ProtoTypeName(ops::AttrType type) {
    switch (type) {
        case ops::AttrType::kBool:
            return "Bool";
        case ops::AttrType::kFloat:
            return "Float";
        case ops::AttrType::kInt:
            return "Int";
        case ops::AttrType::kString:
            return "String";
        case ops::AttrType::kListBool:
            return "ListBool";
        case ops::AttrType::kListFloat:
            return "ListFloat";
        case ops::AttrType::kListInt:
            return "ListInt";
        case ops::AttrType::kListListInt:
        case ops::AttrType::kNone:
            break;
    }
    return "";
}

std::string Braced(const std::vector<size_t>& indexes) {
    std::string text = "{";
    for (const size_t index : indexes) {
        text += (text.size() == 1 ? "" : ", ") + std::to_string(index);
    }
    return text + "}";
}

}  // namespace

std::string ProtoHeader(const std::vector<ResolvedOp>& ops) {
    std::ostringstream out;
    out << "#ifndef OP_PROTO_H_\n#define OP_PROTO_H_\n\n"
        << "#include \"graph/operator_reg.h\"\n#include \"register/op_impl_registry.h\"\n\nnamespace ge {\n\n";
    for (const ResolvedOp& op : ops) {
        const ops::OpModel& model = *op.model;
        out << "REG_OP(" << model.type << ")\n";
        for (const auto& input : model.inputs.items) {
            const char* macro = input->paramType == ops::DYNAMIC    ? "DYNAMIC_INPUT"
                                : input->paramType == ops::REQUIRED ? "INPUT"
                                                                    : "OPTIONAL_INPUT";
            out << "    ." << macro << "(" << input->name << ", ge::TensorType::ALL())\n";
        }
        for (const auto& output : model.outputs.items) {
            const char* macro = output->paramType == ops::DYNAMIC ? "DYNAMIC_OUTPUT" : "OUTPUT";
            out << "    ." << macro << "(" << output->name << ", ge::TensorType::ALL())\n";
        }
        for (const auto& attr : model.attrs.items) {
            if (attr->required) {
                out << "    .REQUIRED_ATTR(" << attr->name << ", " << ProtoTypeName(attr->type) << ")\n";
            } else {
                const std::string value =
                    attr->type == ops::AttrType::kString ? Quoted(attr->stringValue) : DefaultText(*attr, '{', '}');
                out << "    .ATTR(" << attr->name << ", " << ProtoTypeName(attr->type) << ", " << value << ")\n";
            }
        }
        out << "    .OP_END_FACTORY_REG(" << model.type << ");\n\n";
    }
    out << "}\n\n#endif\n";
    return out.str();
}

std::string ProtoSource(const std::vector<ResolvedOp>& ops) {
    std::ostringstream out;
    out << "#include \"op_proto.h\"\nnamespace ge {\n\n";
    for (const ResolvedOp& op : ops) {
        std::vector<size_t> always;
        std::vector<size_t> tilingOnly;
        for (size_t i = 0; i < op.model->inputs.items.size(); ++i) {
            const ops::ParamModel& input = *op.model->inputs.items[i];
            if (input.valueDepend != ops::IGNORE) {
                (input.dependScope == ops::DependScope::TILING ? tilingOnly : always).push_back(i);
            }
        }
        if (always.empty() && tilingOnly.empty()) {
            continue;
        }
        out << "IMPL_OP(" << op.model->type << ")";
        if (!always.empty()) {
            out << ".InputsDataDependency(" << Braced(always) << ")";
        }
        if (!tilingOnly.empty()) {
            out << ".TilingInputsDataDependency(" << Braced(tilingOnly) << ")";
        }
        out << ";\n";
    }
    out << "}\n";
    return out.str();
}

std::string TilingStruct(const ResolvedOp& op) {
    const char* name = nullptr;
    const char* text = nullptr;
    std::string first;
    std::string structs;
    for (uint64_t i = 0; sim_registered_tiling_struct(op.model->type.c_str(), i, &name, &text) != 0; ++i) {
        first = i == 0 ? name : first;
        structs += text;
    }
    if (structs.empty()) {
        return "";
    }
    // The alias is what REGISTER_TILING_DEFAULT of the kernel API makes.
    return "// Written by op_build from op_host; changes here are lost.\n#pragma once\n#include <cstdint>\n\n" +
           structs + "using TilingStruct_of_REGISTER_TILING_DEFAULT = " + first + ";\n";
}

}  // namespace op_build
