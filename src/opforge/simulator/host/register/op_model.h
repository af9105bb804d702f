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
    explicit ParamModel(const char* param_name) : name(param_name), def(this) {}
    ParamModel(const ParamModel& other) : def(this) { *this = other; }
    ParamModel& operator=(const ParamModel& other);

    // Takes over what an OpAICoreConfig says about this tensor.
    void Merge(const ParamModel& other);

    std::string name;
    Option param_type = REQUIRED;
    bool param_type_set = false;
    std::vector<ge::DataType> types;  // columns, or a free list
    bool types_list = false;
    std::vector<ge::Format> formats;
    bool formats_list = false;
    std::vector<ge::Format> unknown_shape_formats;
    Option value_depend = IGNORE;  // IGNORE: none
    DependScope depend_scope = DependScope::ALL;
    bool auto_contiguous = false;
    bool ignore_contiguous = false;
    bool scalar = false;
    bool scalar_list = false;
    ge::DataType scalar_type = ge::DT_UNDEFINED;  // To(type)
    std::string scalar_name;                      // To("x")
    uint32_t version = 0;
    bool init_value_set = false;
    ScalarVar init_value;  // without a type: the plain form
    bool shape_depends_on_compute = false;
    std::string follow;
    FollowType follow_type = FollowType::ALL;
    std::string comment;
    OpParamDef def;
};

enum class AttrType { kNone, kBool, kFloat, kInt, kString, kListBool, kListFloat, kListInt, kListListInt };

struct OPFORGE_HOST_API AttrModel {
    explicit AttrModel(const char* attr_name) : name(attr_name), def(this) {}
    AttrModel(const AttrModel& other) : def(this) { *this = other; }
    AttrModel& operator=(const AttrModel& other);

    std::string name;
    bool required = true;
    AttrType type = AttrType::kNone;
    bool bool_value = false;
    float float_value = 0;
    int64_t int_value = 0;
    std::string string_value;
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
    explicit OpModel(const char* op_type) : type(op_type), aicore(this) {}
    OpModel(const OpModel& other) : aicore(this) { *this = other; }
    OpModel& operator=(const OpModel& other);

    std::string type;
    NamedList<ParamModel> inputs;
    NamedList<ParamModel> outputs;
    NamedList<AttrModel> attrs;
    std::map<std::string, ConfigModel> configs;  // by compute unit; sorted, as op_build writes them
    std::vector<std::pair<CommentSection, std::string>> comments;
    FormatCheckOption format_mode = FormatCheckOption::DEFAULT;
    bool fall_back = false;
    bool launch_with_zero_outputs = false;
    gert::OpImplRegisterV2::InferShapeKernelFunc infer_shape = nullptr;
    gert::OpImplRegisterV2::InferDataTypeKernelFunc infer_data_type = nullptr;
    gert::OpImplRegisterV2::InferShapeRangeKernelFunc infer_shape_range = nullptr;
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
OPFORGE_HOST_API int sim_registered_tiling_struct(const char* op_type, uint64_t index, const char** name,
                                                  const char** text);
}
#endif
