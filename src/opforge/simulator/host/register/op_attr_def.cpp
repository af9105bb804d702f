// OpAttrDef: setters of an attribute's type and default.
#include "op_model.h"

namespace ops {

AttrModel& AttrModel::operator=(const AttrModel& other) {
    if (this == &other) {
        return *this;
    }
    name = other.name;
    required = other.required;
    type = other.type;
    boolValue = other.boolValue;
    floatValue = other.floatValue;
    intValue = other.intValue;
    stringValue = other.stringValue;
    bools = other.bools;
    floats = other.floats;
    ints = other.ints;
    version = other.version;
    comment = other.comment;
    return *this;  // def keeps pointing to its own model
}

OpAttrDef& OpAttrDef::AttrType(Option attrType) {
    model_->required = attrType == REQUIRED;
    return *this;
}

OpAttrDef& OpAttrDef::Bool() {
    model_->type = ops::AttrType::kBool;
    return *this;
}
OpAttrDef& OpAttrDef::Bool(bool value) {
    model_->boolValue = value;
    return Bool();
}
OpAttrDef& OpAttrDef::Float() {
    model_->type = ops::AttrType::kFloat;
    return *this;
}
OpAttrDef& OpAttrDef::Float(float value) {
    model_->floatValue = value;
    return Float();
}
OpAttrDef& OpAttrDef::Int() {
    model_->type = ops::AttrType::kInt;
    return *this;
}
OpAttrDef& OpAttrDef::Int(int64_t value) {
    model_->intValue = value;
    return Int();
}
OpAttrDef& OpAttrDef::String() {
    model_->type = ops::AttrType::kString;
    return *this;
}
OpAttrDef& OpAttrDef::String(const char* value) {
    model_->stringValue = value;
    return String();
}
OpAttrDef& OpAttrDef::ListBool() {
    model_->type = ops::AttrType::kListBool;
    model_->bools.clear();
    return *this;
}
void OpAttrDef::AppendBool(bool value) { model_->bools.push_back(value); }
OpAttrDef& OpAttrDef::ListFloat() { return SetListFloat(nullptr, 0); }
OpAttrDef& OpAttrDef::SetListFloat(const float* values, size_t count) {
    model_->type = ops::AttrType::kListFloat;
    model_->floats.assign(values, values + count);
    return *this;
}
// op_build refuses it; a field of real definitions all the same.
OpAttrDef& OpAttrDef::ListListInt() {
    model_->type = ops::AttrType::kListListInt;
    return *this;
}
OpAttrDef& OpAttrDef::ListInt() { return SetListInt(nullptr, 0); }
OpAttrDef& OpAttrDef::SetListInt(const int64_t* values, size_t count) {
    model_->type = ops::AttrType::kListInt;
    model_->ints.assign(values, values + count);
    return *this;
}
OpAttrDef& OpAttrDef::Version(uint32_t version) {
    model_->version = version;
    return *this;
}
OpAttrDef& OpAttrDef::Comment(const char* comment) {
    model_->comment = comment;
    return *this;
}

}  // namespace ops
