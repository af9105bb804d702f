#include "resolved_op.h"

#include <algorithm>

#include "names.h"
#include "values.h"

namespace op_build {

namespace {

// One combination: for each tensor its type and format.
struct Column {
    std::vector<ge::DataType> types;
    std::vector<ge::Format> formats;
};

// Free lists multiply, innermost last: the type, then the format of the first tensor, and so on.
void Expand(const std::vector<ops::ParamModel*>& params, size_t row, size_t index, Column* column,
            std::vector<Column>* columns) {
    if (index == params.size()) {
        columns->push_back(*column);
        return;
    }
    const ops::ParamModel& param = *params[index];
    const size_t typeBegin = param.typesList ? 0 : row;
    const size_t typeEnd = param.typesList ? param.types.size() : row + 1;
    const size_t formatBegin = param.formatsList ? 0 : row;
    const size_t formatEnd = param.formatsList ? param.formats.size() : row + 1;
    for (size_t t = typeBegin; t < typeEnd; ++t) {
        column->types.push_back(param.types[t]);
        for (size_t f = formatBegin; f < formatEnd; ++f) {
            column->formats.push_back(param.formats[f]);
            Expand(params, row, index + 1, column, columns);
            column->formats.pop_back();
        }
        column->types.pop_back();
    }
}

std::vector<ops::ParamModel> Merge(const ops::NamedList<ops::ParamModel>& own,
                                   const ops::NamedList<ops::ParamModel>& ofConfig) {
    std::vector<ops::ParamModel> merged;
    for (const auto& param : own.items) {
        merged.push_back(*param);
    }
    for (const auto& override : ofConfig.items) {
        auto found = std::find_if(merged.begin(), merged.end(),
                                  [&](const ops::ParamModel& param) { return param.name == override->name; });
        if (found == merged.end()) {
            merged.push_back(*override);
        } else {
            found->Merge(*override);
        }
    }
    return merged;
}

// "Follow": a tensor without types or formats of its own takes those of the one it follows.
void ApplyFollow(std::vector<ops::ParamModel*>* params, const std::string& op, Errors* errors) {
    for (ops::ParamModel* param : *params) {
        if (param->follow.empty() || param->followType == ops::FollowType::SHAPE) {
            continue;
        }
        auto root = std::find_if(params->begin(), params->end(), [&](const ops::ParamModel* candidate) {
            return candidate != param && candidate->name == param->follow;
        });
        if (root == params->end()) {
            errors->push_back(op + ": " + param->name + " follows " + param->follow + ", which the op does not have");
            param->types.clear();
            continue;
        }
        if (param->followType != ops::FollowType::FORMAT) {
            param->types = (*root)->types;
            param->typesList = false;
        }
        if (param->followType != ops::FollowType::DTYPE) {
            param->formats = (*root)->formats;
            param->formatsList = false;
        }
    }
}

// The number of rows that all non-list types and formats share; 0 after an error.
size_t RowCount(const std::vector<ops::ParamModel*>& params, const std::string& op, Errors* errors) {
    size_t rows = 0;
    std::string first;
    for (const ops::ParamModel* param : params) {
        if (param->types.empty()) {
            errors->push_back(op + ": " + param->name + " has no DataType");
            return 0;
        }
        const std::pair<size_t, std::string> lengths[] = {
            {param->typesList ? 0 : param->types.size(), param->name + ".DataType"},
            {param->formatsList ? 0 : param->formats.size(), param->name + ".Format"},
        };
        for (const auto& length : lengths) {
            if (length.first == 0) {
                continue;
            }
            if (rows == 0) {
                rows = length.first;
                first = length.second;
            } else if (rows != length.first) {
                errors->push_back(op + ": Element num of DataType and Format is not aligned. " + first + " has " +
                                  std::to_string(rows) + " entries, " + length.second + " has " +
                                  std::to_string(length.first) +
                                  ". Give every tensor as many, or use DataTypeList and FormatList.");
                return 0;
            }
        }
    }
    return rows == 0 ? 1 : rows;
}

ResolvedSoc ResolveSoc(const ops::OpModel& model, const std::string& soc, const ops::ConfigModel& config,
                       Errors* errors) {
    ResolvedSoc resolved{soc, Merge(model.inputs, config.inputs), Merge(model.outputs, config.outputs), &config, 0};
    std::vector<ops::ParamModel*> params;
    for (ops::ParamModel& input : resolved.inputs) {
        params.push_back(&input);
    }
    for (ops::ParamModel& output : resolved.outputs) {
        params.push_back(&output);
    }
    const std::string where = model.type + " for " + soc;
    for (ops::ParamModel* param : params) {
        if (param->formats.empty() || param->scalar || param->scalarList || param->valueDepend != ops::IGNORE) {
            param->formats = {ge::FORMAT_ND};
            param->formatsList = true;
        }
        if (param->scalarType != ge::DT_UNDEFINED) {
            param->types = {param->scalarType};
            param->typesList = true;
        }
        if (param->autoContiguous && param->ignoreContiguous) {
            errors->push_back(where + ": " + param->name + " has both AutoContiguous and IgnoreContiguous");
        }
    }
    // Following comes after the followed tensor's own columns are known, so lists stay in step.
    for (ops::ParamModel* param : params) {
        const bool followsTypes = !param->follow.empty() && param->followType != ops::FollowType::FORMAT &&
                                  param->followType != ops::FollowType::SHAPE;
        if (followsTypes) {
            param->types = {ge::DT_UNDEFINED};
            param->typesList = true;
        }
    }
    const size_t rows = RowCount(params, where, errors);
    std::vector<Column> columns;
    Column column;
    for (size_t row = 0; row < rows; ++row) {
        Expand(params, row, 0, &column, &columns);
    }
    resolved.columns = columns.size();
    for (size_t i = 0; i < params.size(); ++i) {
        params[i]->types.clear();
        params[i]->formats.clear();
        for (const Column& expanded : columns) {
            params[i]->types.push_back(expanded.types[i]);
            params[i]->formats.push_back(expanded.formats[i]);
        }
    }
    ApplyFollow(&params, where, errors);
    for (const ops::ParamModel* param : params) {
        if (!param->types.empty() && param->types.front() == ge::DT_UNDEFINED) {
            errors->push_back(where + ": " + param->name + " follows " + param->follow +
                              ", which itself follows another tensor");
        }
    }
    return resolved;
}

// What op_host may declare and the simulator does not run is refused here, by name.
void RefuseUnsupported(const ops::OpModel& model, Errors* errors) {
    const auto refuse = [&](const std::string& what) { errors->push_back(model.type + ": " + what); };
    for (const auto* list : {&model.inputs, &model.outputs}) {
        for (const auto& param : list->items) {
            if (param->version != 0 && (list == &model.outputs || param->paramType != ops::OPTIONAL)) {
                refuse(param->name + ".Version(): only optional inputs and optional attributes can have it");
            }
            if (param->shapeDependsOnCompute && list == &model.inputs) {
                refuse("Input " + param->name + " does not support OutputShapeDependOnCompute.");
            }
            if (param->shapeDependsOnCompute && list == &model.outputs && param->paramType != ops::REQUIRED) {
                refuse(param->name + ".OutputShapeDependOnCompute(): only a required output can have it");
            }
            if (param->shapeDependsOnCompute && list == &model.outputs && model.inputs.Find(param->name) != nullptr) {
                refuse(param->name + ".OutputShapeDependOnCompute(): it is also an input, whose shape stays as it is");
            }
            if (param->initValueSet && param->paramType == ops::DYNAMIC) {
                refuse(param->name + ".InitValue(): the outputs of a list have no first value");
            }
            if (param->initValueSet && InitTypeName(*param) == nullptr && param->initValue.scalar_num.value_u64 != 0) {
                refuse(param->name + ".InitValue(): the plain form takes 0 only; give a ScalarVar");
            }
        }
    }
    for (const auto& attr : model.attrs.items) {
        if (attr->version != 0 && attr->required) {
            refuse(attr->name + ".Version(): only optional inputs and optional attributes can have it");
        }
    }
}

}  // namespace

ResolvedOp Resolve(const ops::OpModel& model, Errors* errors) {
    RefuseUnsupported(model, errors);
    ResolvedOp op{&model, SnakeCase(model.type), {}};
    for (const auto& config : model.configs) {
        op.socs.push_back(ResolveSoc(model, config.first, config.second, errors));
    }
    return op;
}

}  // namespace op_build
