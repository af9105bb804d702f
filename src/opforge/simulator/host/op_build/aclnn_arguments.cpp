#include "aclnn_arguments.h"

#include <algorithm>
#include <set>

#include "names.h"

namespace op_build {

namespace {

bool AllOf(const std::vector<ge::DataType>& types, ge::DataType wanted) {
    return std::all_of(types.begin(), types.end(), [wanted](ge::DataType type) { return type == wanted; });
}

// The array an aclnn caller passes for an input whose value tiling reads. Page: "ValueDepend".
std::string ValueArrayType(const ops::OpModel& model, const ops::ParamModel& input, Errors* errors) {
    static const std::set<ge::DataType> integers = {ge::DT_INT64, ge::DT_UINT64, ge::DT_INT32, ge::DT_UINT32,
                                                    ge::DT_INT16, ge::DT_UINT16, ge::DT_INT8,  ge::DT_UINT8};
    if (AllOf(input.types, ge::DT_FLOAT)) {
        return "const aclFloatArray *";
    }
    if (AllOf(input.types, ge::DT_BOOL)) {
        return "const aclBoolArray *";
    }
    for (const ge::DataType type : input.types) {
        if (integers.count(type) == 0) {
            errors->push_back(model.type + ": ValueDepend input " + input.name + " has dtype " + TypeName(type) +
                              "; its dtypes must be all float32, all bool, or integers");
            break;
        }
    }
    return "const aclIntArray *";
}

// CANN's generator drops the const of every tensor of an op that changes the shape of one.
std::string TensorType(const ops::OpModel& model, const ops::ParamModel& param) {
    if (param.scalar) {
        return "const aclScalar *";
    }
    if (param.scalarList) {
        return "const aclScalarList *";
    }
    if (param.paramType == ops::DYNAMIC) {
        return "const aclTensorList *";
    }
    return HasShapeByKernel(model) ? "aclTensor *" : "const aclTensor *";
}

std::string RoleOf(ops::Option kind) {
    return kind == ops::REQUIRED ? "required" : kind == ops::DYNAMIC ? "dynamic" : "optional";
}

std::string AttrArgumentType(const ops::OpModel& model, const ops::AttrModel& attr, Errors* errors) {
    switch (attr.type) {
        case ops::AttrType::kBool:
            return "bool ";
        case ops::AttrType::kFloat:
            return "double ";
        case ops::AttrType::kInt:
            return "int64_t ";
        case ops::AttrType::kString:
            return "char *";
        case ops::AttrType::kListBool:
            return "const aclBoolArray *";
        case ops::AttrType::kListFloat:
            return "const aclFloatArray *";
        case ops::AttrType::kListInt:
            return "const aclIntArray *";
        case ops::AttrType::kListListInt:
            errors->push_back(model.type + ": Data type of attr " + attr.name +
                              " is not support: an aclnn interface has no list of lists");
            return "bool ";
        case ops::AttrType::kNone:
            break;
    }
    errors->push_back(model.type + ": attribute " + attr.name + " has no type: call Int(), Float(), Bool(), ...");
    return "bool ";
}

}  // namespace

bool IsInPlace(const ops::OpModel& model, const std::string& name) {
    return model.inputs.Find(name) != nullptr && model.outputs.Find(name) != nullptr;
}

bool HasValueDepend(const ops::OpModel& model) {
    for (const auto& input : model.inputs.items) {
        if (input->valueDepend != ops::IGNORE) {
            return true;
        }
    }
    return false;
}

bool HasShapeByKernel(const ops::OpModel& model) {
    for (const auto& output : model.outputs.items) {
        if (output->shapeDependsOnCompute) {
            return true;
        }
    }
    return false;
}

std::vector<uint32_t> VersionsOf(const ops::OpModel& model) {
    std::set<uint32_t> versions = {0};
    for (const auto& input : model.inputs.items) {
        versions.insert(input->version);
    }
    for (const auto& attr : model.attrs.items) {
        versions.insert(attr->version);
    }
    return {versions.begin(), versions.end()};
}

std::string VersionText(const char* before, uint32_t version) {
    return version == 0 ? "" : before + std::to_string(version);
}

AclnnArguments ArgumentsOf(const ops::OpModel& model, bool byTensor, uint32_t version, Errors* errors) {
    AclnnArguments arguments;
    for (const auto& input : model.inputs.items) {
        AclnnArgument argument{TensorType(model, *input), LowerCamel(input->name), RoleOf(input->paramType),
                               input->version > version};
        if (IsInPlace(model, input->name)) {
            argument.name += "Ref";
            const std::string constant = "const ";
            argument.type = argument.type.substr(argument.type.find(constant) == 0 ? constant.size() : 0);
        } else if (!byTensor && input->valueDepend != ops::IGNORE && !input->scalar && !input->scalarList) {
            argument.type = ValueArrayType(model, *input, errors);
        }
        if (argument.role == "optional") {
            argument.name += "Optional";
        }
        arguments.inputs.push_back(argument);
    }
    for (const auto& attr : model.attrs.items) {
        AclnnArgument argument{AttrArgumentType(model, *attr, errors), LowerCamel(attr->name),
                               attr->required ? "required" : "optional", attr->version > version};
        const bool byPointer = argument.type.back() == '*';
        if (!attr->required && byPointer) {
            argument.name += "Optional";
        }
        arguments.attrs.push_back(argument);
    }
    for (const auto& output : model.outputs.items) {
        AclnnArgument argument{TensorType(model, *output), "", RoleOf(output->paramType), false};
        if (IsInPlace(model, output->name)) {
            argument.type.clear();
            argument.name = LowerCamel(output->name) + "Ref";
        } else if (model.outputs.items.size() == 1) {
            argument.name = "out";
        } else {
            argument.name = LowerCamel(output->name) + "Out";
        }
        if (argument.role == "optional") {
            argument.name += "Optional";
        }
        arguments.outputs.push_back(argument);
    }
    return arguments;
}

}  // namespace op_build
