// BEGIN_TILING_DATA_DEF and family: tiling data declared by macros, laid out as the kernel's C struct.
// Pages: "TilingData structure definition", "TilingData structure registration" (Utils-API).
//
// Fields lie as in the naturally aligned C++ struct of the same members.
#ifndef OPFORGE_REGISTER_TILINGDATA_BASE_H
#define OPFORGE_REGISTER_TILINGDATA_BASE_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>  // this and the next two: tiling functions use them without including them
#include <memory>
#include <vector>

#include "graph/ascend_string.h"
#include "securec.h"

namespace optiling {

class __attribute__((visibility("default"))) TilingDef {
public:
    explicit TilingDef(const char* class_name);
    TilingDef(const TilingDef& other);
    TilingDef& operator=(const TilingDef& other);
    ~TilingDef();

    size_t GetDataSize() const;
    const char* GetTilingClassName() const;
    // Copies the data out; nothing is written where capacity is below GetDataSize().
    void SaveToBuffer(void* buffer, size_t capacity);
    // The fields are there from now on, as they are; nothing is copied.
    void SetDataPtr(void* data);
    // The C structs of these fields, nested ones first, as the kernel side declares them.
    const char* GetStructText() const;

    // count 0: a single value; otherwise an array.
    size_t AddField(const char* type, const char* name, size_t bytes, size_t alignment, size_t count);
    size_t AddNested(const char* type, const char* name, TilingDef* nested);
    void* At(size_t offset);
    const void* At(size_t offset) const;

private:
    struct Model;
    Model* model_;
};

template <typename T, size_t N>
struct TilingField {
    TilingField(TilingDef* owner, const char* type, const char* name)
        : offset(owner->AddField(type, name, sizeof(T), alignof(T), N)) {}
    size_t offset;
};

struct TilingNested {
    TilingNested(TilingDef* owner, const char* type, const char* name, TilingDef* nested) {
        owner->AddNested(type, name, nested);
    }
};

class __attribute__((visibility("default"))) TilingDataRegistrar {
public:
    TilingDataRegistrar(const char* op_type, const TilingDef& definition);
};

}  // namespace optiling

#define BEGIN_TILING_DATA_DEF(class_name)                    \
    class class_name : public ::optiling::TilingDef {        \
    public:                                                  \
        class_name() : ::optiling::TilingDef(#class_name) {} \
        explicit class_name(void* data) : ::optiling::TilingDef(#class_name) { SetDataPtr(data); }

#define TILING_DATA_FIELD_DEF(type, name)                                                                  \
private:                                                                                                   \
    ::optiling::TilingField<type, 0> name##_field_ = ::optiling::TilingField<type, 0>(this, #type, #name); \
                                                                                                           \
public:                                                                                                    \
    void set_##name(type value) { memcpy(At(name##_field_.offset), &value, sizeof(value)); }               \
    type get_##name() {                                                                                    \
        type value;                                                                                        \
        memcpy(&value, At(name##_field_.offset), sizeof(value));                                           \
        return value;                                                                                      \
    }

#define TILING_DATA_FIELD_DEF_ARR(type, count, name)                                                               \
private:                                                                                                           \
    ::optiling::TilingField<type, count> name##_field_ = ::optiling::TilingField<type, count>(this, #type, #name); \
                                                                                                                   \
public:                                                                                                            \
    void set_##name(const type* values) { memcpy(At(name##_field_.offset), values, sizeof(type) * (count)); }      \
    type* get_##name() { return static_cast<type*>(At(name##_field_.offset)); }

#define TILING_DATA_FIELD_DEF_STRUCT(type, name) \
public:                                          \
    type name;                                   \
                                                 \
private:                                         \
    ::optiling::TilingNested name##_nested_ = ::optiling::TilingNested(this, #type, #name, &name);

#define END_TILING_DATA_DEF \
    }                       \
    ;

#define REGISTER_TILING_DATA_CLASS(op_type, class_name) \
    static const ::optiling::TilingDataRegistrar        \
        __attribute__((unused)) g_##op_type##_##class_name##_tiling(#op_type, class_name());

#endif
