// signature.json: op types, tensors, attributes and columns as op_host declares them.
#include <cmath>
#include <sstream>

#include "names.h"
#include "writers.h"

namespace op_build {

namespace {

template <typename List, typename Write>
void Array(std::ostream& out, const List& list, Write write) {
    out << "[";
    const char* separator = "";
    for (const auto& item : list) {
        out << separator;
        write(item);
        separator = ", ";
    }
    out << "]";
}

const char* RoleName(ops::Option option) {
    return option == ops::REQUIRED ? "required" : option == ops::DYNAMIC ? "dynamic" : "optional";
}

const char* Spelled(bool value) { return value ? "true" : "false"; }

// The spec's names of the attribute types.
const char* SpecType(ops::AttrType type) {
    switch (type) {
        case ops::AttrType::kBool:
            return "bool";
        case ops::AttrType::kFloat:
            return "float";
        case ops::AttrType::kInt:
            return "int";
        case ops::AttrType::kString:
            return "str";
        case ops::AttrType::kListBool:
            return "list_bool";
        case ops::AttrType::kListFloat:
            return "list_float";
        case ops::AttrType::kListInt:
            return "list_int";
        case ops::AttrType::kListListInt:
        case ops::AttrType::kNone:
            break;
    }
    return "none";
}

// JSON has no word for infinities and NaN; null is not a number of the spec either.
std::string FloatText(float value) { return std::isfinite(value) ? ShortestText(value) : "null"; }

void WriteDefault(std::ostream& out, const ops::AttrModel& attr) {
    switch (attr.type) {
        case ops::AttrType::kFloat:
            out << FloatText(attr.floatValue);
            break;
        case ops::AttrType::kListFloat:
            Array(out, attr.floats, [&](float value) { out << FloatText(value); });
            break;
        case ops::AttrType::kString:
            out << Quoted(attr.stringValue);
            break;
        case ops::AttrType::kNone:
            out << "null";
            break;
        default:
            out << DefaultText(attr, '[', ']');
    }
}

void WriteParam(std::ostream& out, const ops::ParamModel& param) {
    out << "{\"name\": " << Quoted(param.name) << ", \"param_type\": \"" << RoleName(param.paramType)
        << "\", \"value_depend\": "
        << (param.valueDepend == ops::IGNORE     ? "null"
            : param.valueDepend == ops::REQUIRED ? "\"required\""
                                                 : "\"optional\"")
        << ", \"scalar\": " << Spelled(param.scalar || param.scalarList)
        << ", \"auto_contiguous\": " << Spelled(param.autoContiguous)
        << ", \"ignore_contiguous\": " << Spelled(param.ignoreContiguous)
        << ", \"shape_by_kernel\": " << Spelled(param.shapeDependsOnCompute) << ", \"version\": " << param.version
        << "}";
}

void WriteAttr(std::ostream& out, const ops::AttrModel& attr) {
    out << "{\"name\": " << Quoted(attr.name) << ", \"type\": \"" << SpecType(attr.type)
        << "\", \"required\": " << Spelled(attr.required) << ", \"version\": " << attr.version << ", \"default\": ";
    if (attr.required) {
        out << "null";
    } else {
        WriteDefault(out, attr);
    }
    out << "}";
}

void WriteColumns(std::ostream& out, const std::vector<ops::ParamModel>& params) {
    Array(out, params, [&](const ops::ParamModel& param) {
        out << "{\"name\": " << Quoted(param.name) << ", \"dtype\": ";
        Array(out, param.types, [&](ge::DataType type) { out << Quoted(TypeName(type)); });
        out << ", \"format\": ";
        Array(out, param.formats, [&](ge::Format format) { out << Quoted(FormatName(format)); });
        out << "}";
    });
}

void WriteArguments(std::ostream& out, const AclnnArguments& arguments) {
    std::vector<AclnnArgument> all = arguments.inputs;
    all.insert(all.end(), arguments.attrs.begin(), arguments.attrs.end());
    for (const AclnnArgument& output : arguments.outputs) {
        if (!output.type.empty()) {
            all.push_back(output);
        }
    }
    Array(out, all, [&](const AclnnArgument& argument) {
        std::string type = argument.type;
        if (type.back() == ' ') {
            type.pop_back();
        }
        out << "{\"name\": " << Quoted(argument.name) << ", \"type\": " << Quoted(type) << "}";
    });
}

}  // namespace

std::string Signature(const std::vector<ResolvedOp>& ops, Errors* errors) {
    std::ostringstream out;
    out << "{\"schema\": 1, \"ops\": ";
    Array(out, ops, [&](const ResolvedOp& op) {
        const ops::OpModel& model = *op.model;
        out << "\n{\"op_type\": " << Quoted(model.type) << ", \"file\": " << Quoted(op.snake);
        out << ",\n \"inputs\": ";
        Array(out, model.inputs.items, [&](const auto& input) { WriteParam(out, *input); });
        out << ",\n \"attrs\": ";
        Array(out, model.attrs.items, [&](const auto& attr) { WriteAttr(out, *attr); });
        out << ",\n \"outputs\": ";
        Array(out, model.outputs.items, [&](const auto& output) { WriteParam(out, *output); });
        out << ",\n \"aclnn\": ";
        WriteArguments(out, ArgumentsOf(model, false, VersionsOf(model).back(), errors));
        out << ",\n \"infer_shape\": " << Spelled(model.inferShape != nullptr)
            << ", \"infer_data_type\": " << Spelled(model.inferDataType != nullptr)
            << ", \"tiling\": " << Spelled(model.tiling != nullptr);
        out << ",\n \"socs\": {";
        const char* separator = "";
        for (const ResolvedSoc& soc : op.socs) {
            out << separator << "\n  " << Quoted(soc.soc) << ": {\"inputs\": ";
            WriteColumns(out, soc.inputs);
            out << ", \"outputs\": ";
            WriteColumns(out, soc.outputs);
            out << "}";
            separator = ",";
        }
        out << "}}";
    });
    out << "}\n";
    return out.str();
}

}  // namespace op_build
