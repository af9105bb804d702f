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
    paramType = other.paramType;
    paramTypeSet = other.paramTypeSet;
    types = other.types;
    typesList = other.typesList;
    formats = other.formats;
    formatsList = other.formatsList;
    unknownShapeFormats = other.unknownShapeFormats;
    valueDepend = other.valueDepend;
    dependScope = other.dependScope;
    autoContiguous = other.autoContiguous;
    ignoreContiguous = other.ignoreContiguous;
    scalar = other.scalar;
    scalarList = other.scalarList;
    scalarType = other.scalarType;
    scalarName = other.scalarName;
    version = other.version;
    initValueSet = other.initValueSet;
    initValue = other.initValue;
    shapeDependsOnCompute = other.shapeDependsOnCompute;
    follow = other.follow;
    followType = other.followType;
    comment = other.comment;
    return *this;  // def keeps pointing to its own model
}

void ParamModel::Merge(const ParamModel& other) {
    if (other.paramTypeSet) {
        paramType = other.paramType;
        paramTypeSet = true;
    }
    if (!other.types.empty()) {
        types = other.types;
        typesList = other.typesList;
    }
    if (!other.formats.empty()) {
        formats = other.formats;
        formatsList = other.formatsList;
    }
    if (!other.unknownShapeFormats.empty()) {
        unknownShapeFormats = other.unknownShapeFormats;
    }
    if (other.valueDepend != IGNORE) {
        valueDepend = other.valueDepend;
        dependScope = other.dependScope;
    }
    if (other.autoContiguous || other.ignoreContiguous) {
        autoContiguous = other.autoContiguous;
        ignoreContiguous = other.ignoreContiguous;
    }
    if (other.initValueSet) {
        initValueSet = true;
        initValue = other.initValue;
    }
    shapeDependsOnCompute = shapeDependsOnCompute || other.shapeDependsOnCompute;
}

OpParamDef& OpParamDef::ParamType(Option paramType) {
    model_->paramType = paramType;
    model_->paramTypeSet = true;
    return *this;
}

OpParamDef& OpParamDef::SetTypes(const ge::DataType* types, size_t count, bool list) {
    model_->types.assign(types, types + count);
    model_->typesList = list;
    return *this;
}

OpParamDef& OpParamDef::SetFormats(const ge::Format* formats, size_t count, bool list) {
    model_->formats.assign(formats, formats + count);
    model_->formatsList = list;
    return *this;
}

OpParamDef& OpParamDef::SetUnknownShapeFormats(const ge::Format* formats, size_t count) {
    model_->unknownShapeFormats.assign(formats, formats + count);
    return *this;
}

OpParamDef& OpParamDef::ValueDepend(Option valueDepend, DependScope scope) {
    model_->valueDepend = valueDepend;
    model_->dependScope = scope;
    return *this;
}

OpParamDef& OpParamDef::IgnoreContiguous() {
    model_->ignoreContiguous = true;
    return *this;
}

OpParamDef& OpParamDef::AutoContiguous() {
    model_->autoContiguous = true;
    return *this;
}

OpParamDef& OpParamDef::Scalar() {
    model_->scalar = true;
    return *this;
}

OpParamDef& OpParamDef::ScalarList() {
    model_->scalarList = true;
    return *this;
}

OpParamDef& OpParamDef::To(ge::DataType type) {
    model_->scalarType = type;
    return *this;
}

OpParamDef& OpParamDef::To(const char* name) {
    model_->scalarName = name;
    return *this;
}

OpParamDef& OpParamDef::Version(uint32_t version) {
    model_->version = version;
    return *this;
}

OpParamDef& OpParamDef::InitValue(uint64_t value) {
    model_->initValueSet = true;
    model_->initValue = ScalarVar();
    model_->initValue.scalar_num = ScalarNum(value);
    return *this;
}

OpParamDef& OpParamDef::InitValue(const ScalarVar& value) {
    model_->initValueSet = true;
    model_->initValue = value;
    return *this;
}

OpParamDef& OpParamDef::OutputShapeDependOnCompute() {
    model_->shapeDependsOnCompute = true;
    return *this;
}

OpParamDef& OpParamDef::Follow(const char* paramName, FollowType type) {
    model_->follow = paramName;
    model_->followType = type;
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
    model_->launchWithZeroOutputs = launch;
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
    formatMode = other.formatMode;
    fallBack = other.fallBack;
    launchWithZeroOutputs = other.launchWithZeroOutputs;
    inferShape = other.inferShape;
    inferDataType = other.inferDataType;
    inferShapeRange = other.inferShapeRange;
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
    model_->inferShape = function;
    return *this;
}

OpDef& OpDef::SetInferShapeRange(gert::OpImplRegisterV2::InferShapeRangeKernelFunc function) {
    model_->inferShapeRange = function;
    return *this;
}

OpDef& OpDef::SetInferDataType(gert::OpImplRegisterV2::InferDataTypeKernelFunc function) {
    model_->inferDataType = function;
    return *this;
}

OpAICoreDef& OpDef::AICore() { return model_->aicore; }

OpDef& OpDef::FormatMatchMode(FormatCheckOption option) {
    model_->formatMode = option;
    return *this;
}

OpDef& OpDef::EnableFallBack() {
    model_->fallBack = true;
    return *this;
}

}  // namespace ops
