// aic-<soc>-ops-info.ini: keys and order as the public op_build writes them.
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "names.h"
#include "writers.h"

namespace op_build {

namespace {

const char* ParamTypeName(ops::Option option) {
    switch (option) {
        case ops::REQUIRED:
            return "required";
        case ops::DYNAMIC:
            return "dynamic";
        case ops::IGNORE:
            return "ignore";
        default:
            return "optional";
    }
}

const char* AttrTypeName(ops::AttrType type) {
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
            return "listBool";
        case ops::AttrType::kListFloat:
            return "listFloat";
        case ops::AttrType::kListInt:
            return "listInt";
        case ops::AttrType::kListListInt:
        case ops::AttrType::kNone:
            break;
    }
    return "";
}

template <typename T, typename Name>
std::string Joined(const std::vector<T>& values, Name name) {
    std::string text;
    for (const T& value : values) {
        text += (text.empty() ? "" : ",") + std::string(name(value));
    }
    return text;
}

std::string InitText(const ops::ParamModel& param) {
    const ops::ScalarNum& number = param.initValue.scalar_num;
    const char* type = InitTypeName(param);
    if (type == nullptr) {
        return std::to_string(number.value_u64);
    }
    const std::string name = type;
    const std::string value = name[0] == 'f'   ? std::to_string(number.value_f32)
                              : name[0] == 'u' ? std::to_string(number.value_u64)
                                               : std::to_string(number.value_i64);
    return "{ \"is_list\" : false, \"type\": \"" + name + "\", \"value\": " + value + "}";
}

void WriteParams(const std::vector<ops::ParamModel>& params, const char* kind, std::ostream& out) {
    size_t index = 0;
    for (const ops::ParamModel& param : params) {
        const std::string key = kind + std::to_string(index++);
        out << key << ".name=" << param.name << "\n";
        out << key << ".dtype=" << Joined(param.types, TypeName) << "\n";
        out << key << ".format=" << Joined(param.formats, FormatName) << "\n";
        if (!param.unknownShapeFormats.empty()) {
            out << key << ".unknownshape_format=" << Joined(param.unknownShapeFormats, FormatName) << "\n";
        }
        out << key << ".shape=all\n";
        out << key << ".paramType=" << ParamTypeName(param.paramType) << "\n";
        if (param.paramType == ops::VIRTUAL) {
            out << key << ".virtual=true\n";
        }
        if (param.valueDepend != ops::IGNORE) {
            out << key << ".valueDepend=" << (param.valueDepend == ops::REQUIRED ? "required" : "optional") << "\n";
        }
        if (param.initValueSet) {
            out << key << ".initValue=" << InitText(param) << "\n";
        }
        if (param.shapeDependsOnCompute) {
            out << key << ".outputShapeDependOnCompute=true\n";
        }
    }
}

void WriteAttrs(const ops::OpModel& model, std::ostream& out) {
    if (model.attrs.items.empty()) {
        return;
    }
    out << "attr.list=" << Joined(model.attrs.items, [](const auto& attr) { return attr->name; }) << "\n";
    for (const auto& attr : model.attrs.items) {
        const std::string key = "attr_" + attr->name;
        out << key << ".type=" << AttrTypeName(attr->type) << "\n";
        out << key << ".value=all\n";
        out << key << ".paramType=" << (attr->required ? "required" : "optional") << "\n";
        if (!attr->required) {
            out << key << ".defaultValue=" << DefaultText(*attr, '[', ']') << "\n";
        }
    }
}

bool Has(const ops::ConfigModel& config, const char* key) {
    for (const auto& item : config.items) {
        if (item.first == key) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::string OpsInfo(const std::vector<ResolvedOp>& ops, const std::string& soc) {
    std::ostringstream out;
    for (const ResolvedOp& op : ops) {
        for (const ResolvedSoc& resolved : op.socs) {
            if (resolved.soc != soc) {
                continue;
            }
            const ops::ConfigModel& config = *resolved.config;
            out << "[" << op.model->type << "]\n";
            WriteParams(resolved.inputs, "input", out);
            WriteParams(resolved.outputs, "output", out);
            WriteAttrs(*op.model, out);
            for (const auto& item : config.items) {
                out << item.first << "=" << item.second << "\n";
            }
            if (op.model->fallBack && !Has(config, "aclnnSupport.value")) {
                out << "aclnnSupport.value=support_aclnn\n";
            }
            if (!Has(config, "prebuildPattern.value")) {
                out << "prebuildPattern.value=Opaque\n";
            }
            if (!Has(config, "coreType.value")) {
                out << "coreType.value=AiCore\n";
            }
            // A package without kernel sources must always use its binaries.
            const char* withSource = std::getenv("ENABLE_SOURCE_PACKAGE");
            if (withSource != nullptr && std::strcmp(withSource, "False") == 0 && !Has(config, "jitCompile.flag")) {
                out << "jitCompile.flag=static_false,dynamic_false\n";
            }
            if (!Has(config, "opFile.value")) {
                out << "opFile.value=" << op.snake << "\n";
            }
            if (!Has(config, "opInterface.value")) {
                out << "opInterface.value=" << op.snake << "\n";
            }
        }
    }
    return out.str();
}

}  // namespace op_build
