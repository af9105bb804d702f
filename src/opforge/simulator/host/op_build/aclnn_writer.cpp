// aclnn_<op>.h and aclnn_<op>.cpp. The header's signatures are those of the public op_build; the source is a table and
// two calls into libnnopbase.
#include <cmath>
#include <sstream>

#include "names.h"
#include "writers.h"

namespace op_build {

namespace {

// The parameters of a function.
std::vector<AclnnArgument> InOrder(const AclnnArguments& arguments) {
    std::vector<AclnnArgument> all;
    for (const auto* list : {&arguments.inputs, &arguments.attrs, &arguments.outputs}) {
        for (const AclnnArgument& argument : *list) {
            if (!argument.type.empty() && !argument.absent) {
                all.push_back(argument);
            }
        }
    }
    return all;
}

void WriteFirstPhase(std::ostream& out, const std::string& function, const AclnnArguments& arguments) {
    out << "aclnnStatus " << function << "GetWorkspaceSize(\n";
    for (const AclnnArgument& argument : InOrder(arguments)) {
        out << "    " << argument.type << argument.name << ",\n";
    }
    out << "    uint64_t *workspaceSize,\n    aclOpExecutor **executor)";
}

void WriteSecondPhase(std::ostream& out, const std::string& function) {
    out << "aclnnStatus " << function << "(\n"
        << "    void *workspace,\n    uint64_t workspaceSize,\n    aclOpExecutor *executor,\n    aclrtStream stream)";
}

std::string FloatLiteral(float value) {
    if (std::isnan(value)) {
        return "__builtin_nanf(\"\")";
    }
    if (std::isinf(value)) {
        return value < 0 ? "-__builtin_inff()" : "__builtin_inff()";
    }
    const std::string literal = ShortestText(value);
    return literal + (literal.find_first_of(".e") == std::string::npos ? ".0f" : "f");
}

// The C++ element type of a list attribute and its two kinds for the runtime.
struct ListKind {
    const char* element;
    const char* values;
    const char* array;
};

ListKind KindOf(ops::AttrType type) {
    switch (type) {
        case ops::AttrType::kListBool:
            return {"bool", "SIM_ATTR_BOOLS", "SIM_ATTR_BOOL_ARRAY"};
        case ops::AttrType::kListFloat:
            return {"float", "SIM_ATTR_FLOATS", "SIM_ATTR_FLOAT_ARRAY"};
        default:
            return {"int64_t", "SIM_ATTR_INTS", "SIM_ATTR_INT_ARRAY"};
    }
}

std::vector<std::string> DefaultElements(const ops::AttrModel& attr) {
    std::vector<std::string> elements;
    for (const bool value : attr.bools) {
        elements.push_back(value ? "true" : "false");
    }
    for (const float value : attr.floats) {
        elements.push_back(FloatLiteral(value));
    }
    for (const int64_t value : attr.ints) {
        // The smallest int64 has no literal of its own.
        elements.push_back(value == INT64_MIN ? "INT64_MIN" : std::to_string(value));
    }
    return elements;
}

bool IsList(const ops::AttrModel& attr) {
    return attr.type == ops::AttrType::kListBool || attr.type == ops::AttrType::kListFloat ||
           attr.type == ops::AttrType::kListInt;
}

void WriteListDefault(std::ostream& out, const ops::AttrModel& attr, const std::string& name) {
    const std::vector<std::string> elements = DefaultElements(attr);
    if (attr.required || !IsList(attr) || elements.empty()) {
        return;
    }
    out << "    static const " << KindOf(attr.type).element << " " << name << "Default[] = {";
    const char* separator = "";
    for (const std::string& element : elements) {
        out << separator << element;
        separator = ", ";
    }
    out << "};\n";
}

// The initializer of attribute's sim_attr_value.
void WriteAttr(std::ostream& out, const ops::AttrModel& attr, const std::string& name) {
    out << "        ";
    switch (attr.type) {
        case ops::AttrType::kBool:
            out << "{SIM_ATTR_BOOL, " << name << " ? 1 : 0, 0.0, nullptr, 0},\n";
            return;
        case ops::AttrType::kInt:
            out << "{SIM_ATTR_INT, " << name << ", 0.0, nullptr, 0},\n";
            return;
        case ops::AttrType::kFloat:
            out << "{SIM_ATTR_FLOAT, 0, " << name << ", nullptr, 0},\n";
            return;
        case ops::AttrType::kString:
            out << "{SIM_ATTR_STRING, 0, 0.0, " << name;
            if (!attr.required) {
                out << " != nullptr ? " << name << " : " << Quoted(attr.stringValue);
            }
            out << ", 0},\n";
            return;
        default:
            break;
    }
    const ListKind kind = KindOf(attr.type);
    if (attr.required) {
        out << "{" << kind.array << ", 0, 0.0, " << name << ", 0},\n";
        return;
    }
    const size_t count = DefaultElements(attr).size();
    out << "{" << name << " != nullptr ? " << kind.array << " : " << kind.values << ", 0, 0.0, " << name
        << " != nullptr ? static_cast<const void *>(" << name << ") : " << (count == 0 ? "nullptr" : name + "Default")
        << ", " << count << "},\n";
}

// What an absent attribute is: null stands for the default of a string or list.
std::string DefaultLiteral(const ops::AttrModel& attr) {
    switch (attr.type) {
        case ops::AttrType::kBool:
            return attr.boolValue ? "true" : "false";
        case ops::AttrType::kInt:
            return attr.intValue == INT64_MIN ? "INT64_MIN" : std::to_string(attr.intValue);
        case ops::AttrType::kFloat:
            return FloatLiteral(attr.floatValue);
        default:
            return "nullptr";
    }
}

const char* ArgumentKind(const std::string& type) {
    static const std::pair<const char*, const char*> kinds[] = {
        {"aclTensorList", "SIM_TENSOR_LIST"}, {"aclScalarList", "SIM_SCALAR_LIST"},
        {"aclTensor", "SIM_TENSOR"},          {"aclScalar", "SIM_SCALAR"},
        {"aclIntArray", "SIM_INT_ARRAY"},     {"aclFloatArray", "SIM_FLOAT_ARRAY"},
        {"aclBoolArray", "SIM_BOOL_ARRAY"},
    };
    for (const auto& kind : kinds) {
        if (type.find(kind.first) != std::string::npos) {
            return kind.second;
        }
    }
    return "SIM_TENSOR";
}

void WriteParams(std::ostream& out, const char* name, const ops::NamedList<ops::ParamModel>& params,
                 const std::vector<AclnnArgument>& arguments) {
    if (params.items.empty()) {
        return;
    }
    out << "const sim_param " << name << "[] = {\n";
    for (size_t i = 0; i < params.items.size(); ++i) {
        const ops::ParamModel& param = *params.items[i];
        const char* kind = param.paramType == ops::REQUIRED  ? "SIM_PARAM_REQUIRED"
                           : param.paramType == ops::DYNAMIC ? "SIM_PARAM_DYNAMIC"
                                                             : "SIM_PARAM_OPTIONAL";
        const int toType = param.scalarType == ge::DT_UNDEFINED ? -1 : static_cast<int>(param.scalarType);
        int toInput = -1;
        for (size_t other = 0; other < params.items.size(); ++other) {
            toInput = params.items[other]->name == param.scalarName ? static_cast<int>(other) : toInput;
        }
        const InitBytes init = InitBytesOf(param);
        out << "    {" << Quoted(param.name) << ", " << Quoted(arguments[i].name) << ", " << kind << ", " << toType
            << ", " << toInput << ", " << init.bytes << ", " << init.pattern << "ULL, "
            << (param.shapeDependsOnCompute ? 1 : 0) << "},\n";
    }
    out << "};\n";
}

std::string FlagsText(const ops::OpModel& model, const ops::ParamModel& input, bool autoContiguous) {
    std::string flags;
    const auto add = [&](const char* flag) { flags += (flags.empty() ? "" : " | ") + std::string(flag); };
    if (input.ignoreContiguous) {
        add("SIM_PARAM_IGNORE_CONTIGUOUS");
    } else if (autoContiguous) {
        add("SIM_PARAM_AUTO_CONTIGUOUS");
    }
    if (input.valueDepend != ops::IGNORE) {
        add("SIM_PARAM_HOST_VALUE");
    }
    if (IsInPlace(model, input.name)) {
        add("SIM_PARAM_IN_PLACE");
    }
    return flags.empty() ? "0" : flags;
}

void WriteSocs(std::ostream& out, const ResolvedOp& op) {
    for (size_t s = 0; s < op.socs.size(); ++s) {
        const ResolvedSoc& soc = op.socs[s];
        if (soc.columns > 0 && soc.inputs.size() + soc.outputs.size() > 0) {
            out << "const sim_type_format kColumns" << s << "[] = {\n";
            for (size_t c = 0; c < soc.columns; ++c) {
                out << "   ";
                for (const auto* params : {&soc.inputs, &soc.outputs}) {
                    for (const ops::ParamModel& param : *params) {
                        out << " {" << static_cast<int>(param.types[c]) << ", " << static_cast<int>(param.formats[c])
                            << "},";
                    }
                }
                out << "  // ";
                for (const auto* params : {&soc.inputs, &soc.outputs}) {
                    for (const ops::ParamModel& param : *params) {
                        out << (params == &soc.inputs && &param == &soc.inputs.front() ? "" : ", ")
                            << TypeName(param.types[c]);
                    }
                }
                out << "\n";
            }
            out << "};\n";
        }
        if (!soc.inputs.empty()) {
            // AutoContiguous of one input covers all that do not say IgnoreContiguous.
            bool autoContiguous = false;
            for (const ops::ParamModel& input : soc.inputs) {
                autoContiguous = autoContiguous || input.autoContiguous;
            }
            out << "const uint32_t kInputFlags" << s << "[] = {";
            const char* separator = "";
            for (const ops::ParamModel& input : soc.inputs) {
                out << separator << FlagsText(*op.model, input, autoContiguous);
                separator = ", ";
            }
            out << "};\n";
        }
    }
    if (!op.socs.empty()) {
        out << "const sim_soc_support kSocs[] = {\n";
        for (size_t s = 0; s < op.socs.size(); ++s) {
            const ResolvedSoc& soc = op.socs[s];
            const bool hasTensors = soc.columns > 0 && soc.inputs.size() + soc.outputs.size() > 0;
            out << "    {" << Quoted(soc.soc) << ", " << soc.columns << ", "
                << (hasTensors ? "kColumns" + std::to_string(s) : "nullptr") << ", "
                << (soc.inputs.empty() ? "nullptr" : "kInputFlags" + std::to_string(s)) << "},\n";
        }
        out << "};\n";
    }
}

void WriteArguments(std::ostream& out, const char* name, const std::vector<AclnnArgument>& arguments,
                    const AclnnArguments& all) {
    if (arguments.empty()) {
        return;
    }
    out << "    const sim_argument " << name << "[] = {\n";
    for (const AclnnArgument& argument : arguments) {
        std::string type = argument.type;
        if (type.empty()) {  // in place: the input's argument
            for (const AclnnArgument& input : all.inputs) {
                type = input.name == argument.name ? input.type : type;
            }
        }
        out << "        {" << ArgumentKind(type) << ", " << argument.name << "},\n";
    }
    out << "    };\n";
}

void WriteFirstPhaseBody(std::ostream& out, const ops::OpModel& model, const AclnnArguments& arguments) {
    for (const AclnnArgument& input : arguments.inputs) {
        if (input.absent) {
            out << "    " << input.type << "const " << input.name << " = nullptr;\n";
        }
    }
    for (size_t i = 0; i < arguments.attrs.size(); ++i) {
        const AclnnArgument& attr = arguments.attrs[i];
        if (attr.absent) {
            out << "    " << attr.type << "const " << attr.name << " = " << DefaultLiteral(*model.attrs.items[i])
                << ";\n";
        }
    }
    // Named as no parameter is: an operator may call a tensor of its own "outputs".
    WriteArguments(out, "inputs_", arguments.inputs, arguments);
    WriteArguments(out, "outputs_", arguments.outputs, arguments);
    for (size_t i = 0; i < model.attrs.items.size(); ++i) {
        WriteListDefault(out, *model.attrs.items[i], arguments.attrs[i].name);
    }
    if (!model.attrs.items.empty()) {
        out << "    const sim_attr_value attrs_[] = {\n";
        for (size_t i = 0; i < model.attrs.items.size(); ++i) {
            WriteAttr(out, *model.attrs.items[i], arguments.attrs[i].name);
        }
        out << "    };\n";
    }
    out << "    return sim_aclnn_prepare(&kOp, " << (arguments.inputs.empty() ? "nullptr" : "inputs_") << ", "
        << (arguments.outputs.empty() ? "nullptr" : "outputs_") << ", "
        << (arguments.attrs.empty() ? "nullptr" : "attrs_") << ", workspaceSize, executor);\n";
}

}  // namespace

std::string AclnnHeader(const ResolvedOp& op, uint32_t version, Errors* errors) {
    const std::string function = "aclnn" + op.model->type + VersionText("V", version);
    const std::string guard = UpperCase("aclnn_" + op.snake) + VersionText("_V", version) + "_H_";
    const AclnnArguments arguments = ArgumentsOf(*op.model, false, version, errors);
    std::ostringstream out;
    out << "// Written by op_build from op_host; changes here are lost.\n#ifndef " << guard << "\n#define " << guard
        << "\n\n#include \"aclnn/acl_meta.h\"\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
    out << "/* function: " << function << "GetWorkspaceSize\n * parameters :\n";
    for (const auto* list : {&arguments.inputs, &arguments.attrs, &arguments.outputs}) {
        for (const AclnnArgument& argument : *list) {
            if (!argument.absent) {
                out << " * " << argument.name << " : " << argument.role << "\n";
            }
        }
    }
    out << " * workspaceSize : size of workspace(output).\n * executor : executor context(output).\n */\n";
    out << "__attribute__((visibility(\"default\")))\n";
    WriteFirstPhase(out, function, arguments);
    out << ";\n\n";
    if (HasValueDepend(*op.model)) {
        out << "__attribute__((visibility(\"default\")))\n";
        WriteFirstPhase(out, function + "Tensor", ArgumentsOf(*op.model, true, version, errors));
        out << ";\n\n";
    }
    out << "/* function: " << function << "\n * parameters :\n"
        << " * workspace : workspace memory addr(input).\n * workspaceSize : size of workspace(input).\n"
        << " * executor : executor context(input).\n * stream : acl stream.\n */\n"
        << "__attribute__((visibility(\"default\")))\n";
    WriteSecondPhase(out, function);
    out << ";\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
    return out.str();
}

std::string AclnnSource(const ResolvedOp& op, uint32_t version, Errors* errors) {
    const ops::OpModel& model = *op.model;
    const std::string function = "aclnn" + model.type + VersionText("V", version);
    const AclnnArguments arguments = ArgumentsOf(model, false, version, errors);
    std::ostringstream out;
    out << "// Written by op_build from op_host; changes here are lost.\n#include \"aclnn_" << op.snake
        << VersionText("_v", version) << ".h\"\n#include \"aclnn/sim_aclnn.h\"\n\nnamespace {\n\n";
    WriteParams(out, "kInputs", model.inputs, arguments.inputs);
    WriteParams(out, "kOutputs", model.outputs, arguments.outputs);
    if (!model.attrs.items.empty()) {
        out << "const char *const kAttrNames[] = {";
        const char* separator = "";
        for (const auto& attr : model.attrs.items) {
            out << separator << Quoted(attr->name);
            separator = ", ";
        }
        out << "};\n";
    }
    WriteSocs(out, op);
    const auto table = [](bool any, const char* name) { return std::string(any ? name : "nullptr"); };
    out << "const sim_op kOp = {" << Quoted(model.type) << ", " << Quoted(op.snake) << ", " << model.inputs.items.size()
        << ", " << table(!model.inputs.items.empty(), "kInputs") << ", " << model.outputs.items.size() << ", "
        << table(!model.outputs.items.empty(), "kOutputs") << ", " << model.attrs.items.size() << ", "
        << table(!model.attrs.items.empty(), "kAttrNames") << ", " << op.socs.size() << ", "
        << table(!op.socs.empty(), "kSocs") << ", " << (model.launchWithZeroOutputs ? 1 : 0)
        << "};\n\n}  // namespace\n\n";
    WriteFirstPhase(out, function, arguments);
    out << " {\n";
    WriteFirstPhaseBody(out, model, arguments);
    out << "}\n\n";
    if (HasValueDepend(model)) {
        const AclnnArguments byTensor = ArgumentsOf(model, true, version, errors);
        WriteFirstPhase(out, function + "Tensor", byTensor);
        out << " {\n";
        WriteFirstPhaseBody(out, model, byTensor);
        out << "}\n\n";
    }
    WriteSecondPhase(out, function);
    out << " {\n    return sim_aclnn_run(workspace, workspaceSize, executor, stream);\n}\n";
    return out.str();
}

}  // namespace op_build
