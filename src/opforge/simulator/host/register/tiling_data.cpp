// TilingDef: the bytes and the layout behind BEGIN_TILING_DATA_DEF.
#include "register/tilingdata_base.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "op_model.h"

namespace optiling {

namespace {

size_t RoundUp(size_t value, size_t alignment) { return (value + alignment - 1) / alignment * alignment; }

struct Nested {
    size_t offset;     // in the data
    ptrdiff_t member;  // of the nested TilingDef in the object that holds it
    size_t bytes;
};

struct StructText {
    std::string name;
    std::string text;
};

struct Structs {
    std::mutex mutex;
    std::map<std::string, StructText> byOp;
};

Structs& TheStructs() {
    static Structs* structs = new Structs;
    return *structs;
}

// The kernel API has these structs already, and in the global namespace: its functions take them.
bool IsToolkitStruct(const std::string& name) {
    static const char* const kNames[] = {"TCubeTiling",         "SoftMaxTiling",           "LogSoftMaxTiling",
                                         "RmsNormTiling",       "LayerNormTiling",         "LayerNormSeparateTiling",
                                         "LayerNormGradTiling", "LayerNormGradBetaTiling", "DeepNormTiling",
                                         "GroupNormTiling",     "BatchNormTiling",         "PadTiling",
                                         "UnPadTiling",         "ConfusionTransposeTiling"};
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

}  // namespace

struct TilingDef::Model {
    std::string className;
    std::string text;
    std::string nestedText;
    std::string structText;
    using Bytes = std::vector<unsigned char>;
    std::shared_ptr<Bytes> data = std::make_shared<Bytes>();  // of new[]'s alignment, enough for every scalar
    unsigned char* elsewhere = nullptr;                       // where the data is after SetDataPtr
    bool part = false;                                        // a field of another
    std::vector<Nested> nested;
    size_t alignment = 1;
};

TilingDef::TilingDef(const char* className) : model_(new Model) { model_->className = className; }

// The copy of a field has the field's own bytes, as in CANN, where both have one data_ptr_: a function that takes a
// TCubeTiling by value fills the tiling of its caller.
TilingDef::TilingDef(const TilingDef& other) : model_(new Model(*other.model_)) {
    if (!model_->part) {
        model_->data = std::make_shared<Model::Bytes>(*model_->data);
    }
}

TilingDef& TilingDef::operator=(const TilingDef& other) {
    if (this != &other) {
        const bool part = model_->part;
        *model_ = *other.model_;
        model_->data = std::make_shared<Model::Bytes>(*model_->data);
        model_->part = part;
    }
    return *this;
}

TilingDef::~TilingDef() { delete model_; }

size_t TilingDef::AddField(const char* type, const char* name, size_t bytes, size_t alignment, size_t count) {
    const size_t offset = RoundUp(model_->data->size(), alignment);
    model_->data->resize(offset + bytes * std::max<size_t>(count, 1));
    model_->alignment = std::max(model_->alignment, alignment);
    model_->text += std::string("    ") + type + " " + name;
    if (count > 0) {
        model_->text += "[" + std::to_string(count) + "]";
    }
    model_->text += ";\n";
    return offset;
}

size_t TilingDef::AddNested(const char* type, const char* name, TilingDef* nested) {
    nested->model_->part = true;
    const size_t bytes = nested->GetDataSize();
    const size_t offset = RoundUp(model_->data->size(), nested->model_->alignment);
    model_->data->resize(offset + bytes);
    model_->alignment = std::max(model_->alignment, nested->model_->alignment);
    const ptrdiff_t member = reinterpret_cast<char*>(nested) - reinterpret_cast<char*>(this);
    model_->nested.push_back(Nested{offset, member, bytes});
    model_->text += std::string("    ") + type + " " + name + ";\n";
    const std::string nestedText = nested->GetStructText();
    if (model_->nestedText.find(nestedText) == std::string::npos) {
        model_->nestedText += nestedText;
    }
    return offset;
}

size_t TilingDef::GetDataSize() const { return RoundUp(model_->data->size(), model_->alignment); }

const char* TilingDef::GetTilingClassName() const { return model_->className.c_str(); }

const char* TilingDef::GetStructText() const {
    if (IsToolkitStruct(model_->className)) {
        return "#include \"kernel_tiling/kernel_tiling.h\"\n";
    }
    if (model_->className == "TopkTiling") {
        return "#include \"kernel_tiling/topk_tiling.h\"\n";
    }
    const std::string guard = "OPFORGE_TILING_STRUCT_" + model_->className;  // several structs may hold it
    model_->structText = model_->nestedText + "#ifndef " + guard + "\n#define " + guard + "\nstruct " +
                         model_->className + " {\n" + model_->text + "};\n#endif\n";
    return model_->structText.c_str();
}

void TilingDef::SaveToBuffer(void* buffer, size_t capacity) {
    if (buffer == nullptr || capacity < GetDataSize()) {
        return;
    }
    for (const Nested& nested : model_->nested) {
        TilingDef* part = reinterpret_cast<TilingDef*>(reinterpret_cast<char*>(this) + nested.member);
        part->SaveToBuffer(At(nested.offset), nested.bytes);
    }
    if (buffer == At(0)) {
        return;
    }
    memset(buffer, 0, GetDataSize());
    memcpy(buffer, At(0), model_->data->size());
}

void TilingDef::SetDataPtr(void* data) {
    if (data == nullptr) {
        return;
    }
    model_->elsewhere = static_cast<unsigned char*>(data);
    for (const Nested& nested : model_->nested) {
        TilingDef* part = reinterpret_cast<TilingDef*>(reinterpret_cast<char*>(this) + nested.member);
        part->SetDataPtr(At(nested.offset));
    }
}

void* TilingDef::At(size_t offset) {
    return (model_->elsewhere == nullptr ? model_->data->data() : model_->elsewhere) + offset;
}

const void* TilingDef::At(size_t offset) const { return const_cast<TilingDef*>(this)->At(offset); }

TilingDataRegistrar::TilingDataRegistrar(const char* opType, const TilingDef& definition) {
    std::lock_guard<std::mutex> lock(TheStructs().mutex);
    TheStructs().byOp[opType] = StructText{definition.GetTilingClassName(), definition.GetStructText()};
}

}  // namespace optiling

int sim_registered_tiling_struct(const char* opType, uint64_t index, const char** name, const char** text) {
    std::lock_guard<std::mutex> lock(optiling::TheStructs().mutex);
    const auto& all = optiling::TheStructs().byOp;
    const std::string ofKey = std::string(opType) + "_";  // "Add_1": the data of Add's tiling key 1
    const auto isOne = [&](const std::string& key) {
        return key == opType || (key.compare(0, ofKey.size(), ofKey) == 0 && key.size() > ofKey.size() &&
                                 key.find_first_not_of("0123456789", ofKey.size()) == std::string::npos);
    };
    auto found = all.begin();
    for (uint64_t left = index + 1; found != all.end(); ++found) {
        if (isOne(found->first) && --left == 0) {
            break;
        }
    }
    if (found == all.end()) {
        return 0;
    }
    *name = found->second.name.c_str();
    *text = found->second.text.c_str();
    return 1;
}
