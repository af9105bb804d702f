// OpDef and its parts: setters that record what op_host declares.
#include "register/op_def.h"

#include <cstring>

#include "op_model.h"

namespace ops {

ParamModel& ParamModel::operator=(const ParamModel& other) {
    if (this == &other) {
        return *this;
    }
    name = other.name;
    param_type = other.param_type;
    param_type_set = other.param_type_set;
    types = other.types;
    types_list = other.types_list;
    formats = other.formats;
    formats_list = other.formats_list;
    unknown_shape_formats = other.unknown_shape_formats;
    value_depend = other.value_depend;
    depend_scope = other.depend_scope;
    auto_contiguous = other.auto_contiguous;
    ignore_contiguous = other.ignore_contiguous;
    scalar = other.scalar;
    scalar_list = other.scalar_list;
    scalar_type = other.scalar_type;
    scalar_name = other.scalar_name;
    version = other.version;
    init_value_set = other.init_value_set;
    init_value = other.init_value;
    shape_depends_on_compute = other.shape_depends_on_compute;
    follow = other.follow;
    follow_type = other.follow_type;
    comment = other.comment;
    return *this;  // def keeps pointing to its own model
}

void ParamModel::Merge(const ParamModel& other) {
    if (other.param_type_set) {
        param_type = other.param_type;
        param_type_set = true;
    }
    if (!other.types.empty()) {
        types = other.types;
        types_list = other.types_list;
    }
    if (!other.formats.empty()) {
        formats = other.formats;
        formats_list = other.formats_list;
    }
    if (!other.unknown_shape_formats.empty()) {
        unknown_shape_formats = other.unknown_shape_formats;
    }
    if (other.value_depend != IGNORE) {
        value_depend = other.value_depend;
        depend_scope = other.depend_scope;
    }
    if (other.auto_contiguous || other.ignore_contiguous) {
        auto_contiguous = other.auto_contiguous;
        ignore_contiguous = other.ignore_contiguous;
    }
    if (other.init_value_set) {
        init_value_set = true;
        init_value = other.init_value;
    }
    shape_depends_on_compute = shape_depends_on_compute || other.shape_depends_on_compute;
}

OpParamDef& OpParamDef::ParamType(Option param_type) {
    model_->param_type = param_type;
    model_->param_type_set = true;
    return *this;
}

OpParamDef& OpParamDef::SetTypes(const ge::DataType* types, size_t count, bool list) {
    model_->types.assign(types, types + count);
    model_->types_list = list;
    return *this;
}

OpParamDef& OpParamDef::SetFormats(const ge::Format* formats, size_t count, bool list) {
    model_->formats.assign(formats, formats + count);
    model_->formats_list = list;
    return *this;
}

OpParamDef& OpParamDef::SetUnknownShapeFormats(const ge::Format* formats, size_t count) {
    model_->unknown_shape_formats.assign(formats, formats + count);
    return *this;
}

OpParamDef& OpParamDef::ValueDepend(Option value_depend, DependScope scope) {
    model_->value_depend = value_depend;
    model_->depend_scope = scope;
    return *this;
}

OpParamDef& OpParamDef::IgnoreContiguous() {
    model_->ignore_contiguous = true;
    return *this;
}

OpParamDef& OpParamDef::AutoContiguous() {
    model_->auto_contiguous = true;
    return *this;
}

OpParamDef& OpParamDef::Scalar() {
    model_->scalar = true;
    return *this;
}

OpParamDef& OpParamDef::ScalarList() {
    model_->scalar_list = true;
    return *this;
}

OpParamDef& OpParamDef::To(ge::DataType type) {
    model_->scalar_type = type;
    return *this;
}

OpParamDef& OpParamDef::To(const char* name) {
    model_->scalar_name = name;
    return *this;
}

OpParamDef& OpParamDef::Version(uint32_t version) {
    model_->version = version;
    return *this;
}

OpParamDef& OpParamDef::InitValue(uint64_t value) {
    model_->init_value_set = true;
    model_->init_value = ScalarVar();
    model_->init_value.scalar_num = ScalarNum(value);
    return *this;
}

OpParamDef& OpParamDef::InitValue(const ScalarVar& value) {
    model_->init_value_set = true;
    model_->init_value = value;
    return *this;
}

OpParamDef& OpParamDef::OutputShapeDependOnCompute() {
    model_->shape_depends_on_compute = true;
    return *this;
}

OpParamDef& OpParamDef::Follow(const char* param_name, FollowType type) {
    model_->follow = param_name;
    model_->follow_type = type;
    return *this;
}

OpParamDef& OpParamDef::Comment(const char* comment) {
    model_->comment = comment;
    return *this;
}

void ConfigModel::Set(const std::string& key, const std::string& value) {
    for (auto& item : items) {
        if (item.first == key) {
            item.second = value;
            return;
        }
    }
    items.emplace_back(key, value);
}

OpAICoreConfig::OpAICoreConfig() : model_(new ConfigModel) {}
// CANN gives a config that names its SoC the flags that AddConfig(soc) gives.
OpAICoreConfig::OpAICoreConfig(const char*) : OpAICoreConfig() {
    DynamicCompileStaticFlag(true).DynamicFormatFlag(true).DynamicRankSupportFlag(true).DynamicShapeSupportFlag(true);
    NeedCheckSupportFlag(false).PrecisionReduceFlag(true);
}
OpAICoreConfig::OpAICoreConfig(const OpAICoreConfig& other) : model_(new ConfigModel(*other.model_)) {}
OpAICoreConfig& OpAICoreConfig::operator=(const OpAICoreConfig& other) {
    *model_ = *other.model_;
    return *this;
}
OpAICoreConfig::~OpAICoreConfig() { delete model_; }

OpParamDef& OpAICoreConfig::Input(const char* name) { return model_->inputs.GetOrAdd(name).def; }

OpParamDef& OpAICoreConfig::Output(const char* name) { return model_->outputs.GetOrAdd(name).def; }

namespace {
const char* Spell(bool flag) { return flag ? "true" : "false"; }
}  // namespace

OpAICoreConfig& OpAICoreConfig::DynamicCompileStaticFlag(bool flag) {
    return ExtendCfgInfo("dynamicCompileStatic.flag", Spell(flag));
}
OpAICoreConfig& OpAICoreConfig::DynamicFormatFlag(bool flag) {
    return ExtendCfgInfo("dynamicFormat.flag", Spell(flag));
}
OpAICoreConfig& OpAICoreConfig::DynamicRankSupportFlag(bool flag) {
    return ExtendCfgInfo("dynamicRankSupport.flag", Spell(flag));
}
OpAICoreConfig& OpAICoreConfig::DynamicShapeSupportFlag(bool flag) {
    return ExtendCfgInfo("dynamicShapeSupport.flag", Spell(flag));
}
OpAICoreConfig& OpAICoreConfig::NeedCheckSupportFlag(bool flag) {
    return ExtendCfgInfo("needCheckSupport.flag", Spell(flag));
}
OpAICoreConfig& OpAICoreConfig::PrecisionReduceFlag(bool flag) {
    return ExtendCfgInfo("precision_reduce.flag", Spell(flag));
}
OpAICoreConfig& OpAICoreConfig::ExtendCfgInfo(const char* key, const char* value) {
    model_->Set(key, value);
    return *this;
}

OpAICoreDef& OpAICoreDef::SetTiling(gert::OpImplRegisterV2::TilingKernelFunc function) {
    model_->tiling = function;
    return *this;
}

OpAICoreDef& OpAICoreDef::LaunchWithZeroEleOutputTensors(bool launch) {
    model_->launch_with_zero_outputs = launch;
    return *this;
}

OpAICoreDef& OpAICoreDef::AddConfig(const char* soc) {
    OpAICoreConfig config(soc);
    return AddConfig(soc, config);
}

OpAICoreDef& OpAICoreDef::AddConfig(const char* soc, OpAICoreConfig& config) {
    model_->configs[soc] = *config.model_;
    return *this;
}

OpModel& OpModel::operator=(const OpModel& other) {
    if (this == &other) {
        return *this;
    }
    type = other.type;
    inputs = other.inputs;
    outputs = other.outputs;
    attrs = other.attrs;
    configs = other.configs;
    comments = other.comments;
    format_mode = other.format_mode;
    fall_back = other.fall_back;
    launch_with_zero_outputs = other.launch_with_zero_outputs;
    infer_shape = other.infer_shape;
    infer_data_type = other.infer_data_type;
    infer_shape_range = other.infer_shape_range;
    tiling = other.tiling;
    return *this;
}

OpDef::OpDef(const char* type) : model_(new OpModel(type)) {}
OpDef::OpDef(const OpDef& other) : model_(new OpModel(*other.model_)) {}
OpDef& OpDef::operator=(const OpDef& other) {
    *model_ = *other.model_;
    return *this;
}
OpDef::~OpDef() { delete model_; }

OpParamDef& OpDef::Input(const char* name) { return model_->inputs.GetOrAdd(name).def; }

OpParamDef& OpDef::Output(const char* name) { return model_->outputs.GetOrAdd(name).def; }

OpAttrDef& OpDef::Attr(const char* name) { return model_->attrs.GetOrAdd(name).def; }

OpDef& OpDef::Comment(CommentSection section, const char* comment) {
    model_->comments.emplace_back(section, comment);
    return *this;
}

OpDef& OpDef::SetInferShape(gert::OpImplRegisterV2::InferShapeKernelFunc function) {
    model_->infer_shape = function;
    return *this;
}

OpDef& OpDef::SetInferShapeRange(gert::OpImplRegisterV2::InferShapeRangeKernelFunc function) {
    model_->infer_shape_range = function;
    return *this;
}

OpDef& OpDef::SetInferDataType(gert::OpImplRegisterV2::InferDataTypeKernelFunc function) {
    model_->infer_data_type = function;
    return *this;
}

OpAICoreDef& OpDef::AICore() { return model_->aicore; }

OpDef& OpDef::FormatMatchMode(FormatCheckOption option) {
    model_->format_mode = option;
    return *this;
}

OpDef& OpDef::EnableFallBack() {
    model_->fall_back = true;
    return *this;
}

}  // namespace ops
