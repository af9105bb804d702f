// What an OpDef holds, as libregister keeps it and op_build reads it. The two are built together, so the layout may
// use std types; op_host sources never see this header.
#ifndef OPFORGE_HOST_OP_MODEL_H
#define OPFORGE_HOST_OP_MODEL_H

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "register/op_def.h"

namespace ops {

struct OPFORGE_HOST_API ParamModel {
    explicit ParamModel(const char* paramName) : name(paramName), def(this) {}
    ParamModel(const ParamModel& other) : def(this) { *this = other; }
    ParamModel& operator=(const ParamModel& other);

    // Takes over what an OpAICoreConfig says about this tensor.
    void Merge(const ParamModel& other);

    std::string name;
    Option paramType = REQUIRED;
    bool paramTypeSet = false;
    std::vector<ge::DataType> types;  // columns, or a free list
    bool typesList = false;
    std::vector<ge::Format> formats;
    bool formatsList = false;
    std::vector<ge::Format> unknownShapeFormats;
    Option valueDepend = IGNORE;  // IGNORE: none
    DependScope dependScope = DependScope::ALL;
    bool autoContiguous = false;
    bool ignoreContiguous = false;
    bool scalar = false;
    bool scalarList = false;
    ge::DataType scalarType = ge::DT_UNDEFINED;  // To(type)
    std::string scalarName;                      // To("x")
    uint32_t version = 0;
    bool initValueSet = false;
    ScalarVar initValue;  // without a type: the plain form
    bool shapeDependsOnCompute = false;
    std::string follow;
    FollowType followType = FollowType::ALL;
    std::string comment;
    OpParamDef def;
};

enum class AttrType { kNone, kBool, kFloat, kInt, kString, kListBool, kListFloat, kListInt, kListListInt };

struct OPFORGE_HOST_API AttrModel {
    explicit AttrModel(const char* attrName) : name(attrName), def(this) {}
    AttrModel(const AttrModel& other) : def(this) { *this = other; }
    AttrModel& operator=(const AttrModel& other);

    std::string name;
    bool required = true;
    AttrType type = AttrType::kNone;
    bool boolValue = false;
    float floatValue = 0;
    int64_t intValue = 0;
    std::string stringValue;
    std::vector<bool> bools;
    std::vector<float> floats;
    std::vector<int64_t> ints;
    uint32_t version = 0;
    std::string comment;
    OpAttrDef def;
};

// unique_ptr, because op_host keeps references to the parts while more are added.
template <typename T>
struct NamedList {
    NamedList() = default;
    NamedList(const NamedList& other) { *this = other; }
    NamedList& operator=(const NamedList& other) {
        if (this != &other) {
            items.clear();
            for (const auto& item : other.items) {
                items.emplace_back(new T(*item));
            }
        }
        return *this;
    }
    T* Find(const std::string& name) const {
        for (const auto& item : items) {
            if (item->name == name) {
                return item.get();
            }
        }
        return nullptr;
    }
    T& GetOrAdd(const char* name) {
        if (T* found = Find(name)) {
            return *found;
        }
        items.emplace_back(new T(name));
        return *items.back();
    }
    std::vector<std::unique_ptr<T>> items;
};

struct ConfigModel {
    NamedList<ParamModel> inputs;
    NamedList<ParamModel> outputs;
    std::vector<std::pair<std::string, std::string>> items;  // in the order they were first set

    void Set(const std::string& key, const std::string& value);
};

struct OpModel {
    explicit OpModel(const char* opType) : type(opType), aicore(this) {}
    OpModel(const OpModel& other) : aicore(this) { *this = other; }
    OpModel& operator=(const OpModel& other);

    std::string type;
    NamedList<ParamModel> inputs;
    NamedList<ParamModel> outputs;
    NamedList<AttrModel> attrs;
    std::map<std::string, ConfigModel> configs;  // by compute unit; sorted, as op_build writes them
    std::vector<std::pair<CommentSection, std::string>> comments;
    FormatCheckOption formatMode = FormatCheckOption::DEFAULT;
    bool fallBack = false;
    bool launchWithZeroOutputs = false;
    gert::OpImplRegisterV2::InferShapeKernelFunc inferShape = nullptr;
    gert::OpImplRegisterV2::InferDataTypeKernelFunc inferDataType = nullptr;
    gert::OpImplRegisterV2::InferShapeRangeKernelFunc inferShapeRange = nullptr;
    gert::OpImplRegisterV2::TilingKernelFunc tiling = nullptr;
    OpAICoreDef aicore;
};

}  // namespace ops

extern "C" {
// Definitions in order of registration, for op_build.
OPFORGE_HOST_API uint64_t sim_registered_op_count();
OPFORGE_HOST_API const ops::OpModel* sim_registered_op(uint64_t index);
// The tiling data that REGISTER_TILING_DATA_CLASS registered for an op, that of the op itself first and then those of
// its tiling keys: the C structs, and the outer one's name. 0: there are fewer.
OPFORGE_HOST_API int sim_registered_tiling_struct(const char* opType, uint64_t index, const char** name,
                                                  const char** text);
}
#endif
