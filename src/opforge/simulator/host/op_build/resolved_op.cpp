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
    const size_t type_begin = param.types_list ? 0 : row;
    const size_t type_end = param.types_list ? param.types.size() : row + 1;
    const size_t format_begin = param.formats_list ? 0 : row;
    const size_t format_end = param.formats_list ? param.formats.size() : row + 1;
    for (size_t t = type_begin; t < type_end; ++t) {
        column->types.push_back(param.types[t]);
        for (size_t f = format_begin; f < format_end; ++f) {
            column->formats.push_back(param.formats[f]);
            Expand(params, row, index + 1, column, columns);
            column->formats.pop_back();
        }
        column->types.pop_back();
    }
}

std::vector<ops::ParamModel> Merge(const ops::NamedList<ops::ParamModel>& own,
                                   const ops::NamedList<ops::ParamModel>& of_config) {
    std::vector<ops::ParamModel> merged;
    for (const auto& param : own.items) {
        merged.push_back(*param);
    }
    for (const auto& override_ : of_config.items) {
        auto found = std::find_if(merged.begin(), merged.end(),
                                  [&](const ops::ParamModel& param) { return param.name == override_->name; });
        if (found == merged.end()) {
            merged.push_back(*override_);
        } else {
            found->Merge(*override_);
        }
    }
    return merged;
}

// "Follow": a tensor without types or formats of its own takes those of the one it follows.
void ApplyFollow(std::vector<ops::ParamModel*>* params, const std::string& op, Errors* errors) {
    for (ops::ParamModel* param : *params) {
        if (param->follow.empty() || param->follow_type == ops::FollowType::SHAPE) {
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
        if (param->follow_type != ops::FollowType::FORMAT) {
            param->types = (*root)->types;
            param->types_list = false;
        }
        if (param->follow_type != ops::FollowType::DTYPE) {
            param->formats = (*root)->formats;
            param->formats_list = false;
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
            {param->types_list ? 0 : param->types.size(), param->name + ".DataType"},
            {param->formats_list ? 0 : param->formats.size(), param->name + ".Format"},
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
        if (param->formats.empty() || param->scalar || param->scalar_list || param->value_depend != ops::IGNORE) {
            param->formats = {ge::FORMAT_ND};
            param->formats_list = true;
        }
        if (param->scalar_type != ge::DT_UNDEFINED) {
            param->types = {param->scalar_type};
            param->types_list = true;
        }
        if (param->auto_contiguous && param->ignore_contiguous) {
            errors->push_back(where + ": " + param->name + " has both AutoContiguous and IgnoreContiguous");
        }
    }
    // Following comes after the followed tensor's own columns are known, so lists stay in step.
    for (ops::ParamModel* param : params) {
        const bool follows_types = !param->follow.empty() && param->follow_type != ops::FollowType::FORMAT &&
                                   param->follow_type != ops::FollowType::SHAPE;
        if (follows_types) {
            param->types = {ge::DT_UNDEFINED};
            param->types_list = true;
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
            if (param->version != 0) {
                refuse(param->name + ".Version(): the simulator has no versioned aclnn interfaces");
            }
            if (param->shape_depends_on_compute && list == &model.inputs) {
                refuse("Input " + param->name + " does not support OutputShapeDependOnCompute.");
            }
            if (param->shape_depends_on_compute && list == &model.outputs && param->param_type != ops::REQUIRED) {
                refuse(param->name + ".OutputShapeDependOnCompute(): only a required output can have it");
            }
            if (param->shape_depends_on_compute && list == &model.outputs &&
                model.inputs.Find(param->name) != nullptr) {
                refuse(param->name + ".OutputShapeDependOnCompute(): it is also an input, whose shape stays as it is");
            }
            if (param->init_value_set && param->param_type == ops::DYNAMIC) {
                refuse(param->name + ".InitValue(): the outputs of a list have no first value");
            }
            if (param->init_value_set && InitTypeName(*param) == nullptr &&
                param->init_value.scalar_num.value_u64 != 0) {
                refuse(param->name + ".InitValue(): the plain form takes 0 only; give a ScalarVar");
            }
        }
    }
    for (const auto& attr : model.attrs.items) {
        if (attr->version != 0) {
            refuse(attr->name + ".Version(): the simulator has no versioned aclnn interfaces");
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
