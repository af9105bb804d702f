// Keeping attribute values, and finding a declared input among the tensors of a call.
#include "context_data.h"

#include <cstring>

namespace sim_host {

template <typename T>
const T* AttrValues::Keep(const T* values, size_t count) {
    storage_.emplace_back(new char[count * sizeof(T) + 1]);
    if (count > 0) {
        memcpy(storage_.back().get(), values, count * sizeof(T));
    }
    return reinterpret_cast<const T*>(storage_.back().get());
}

void AttrValues::AddBool(bool value) { pointers_.push_back(Keep(&value, 1)); }
void AttrValues::AddFloat(float value) { pointers_.push_back(Keep(&value, 1)); }
void AttrValues::AddInt(int64_t value) { pointers_.push_back(Keep(&value, 1)); }
void AttrValues::AddString(const char* value) { pointers_.push_back(Keep(value, strlen(value) + 1)); }
void AttrValues::AddBools(const bool* values, size_t count) {
    lists_.emplace_back(Keep(values, count), count);
    pointers_.push_back(&lists_.back());
}
void AttrValues::AddFloats(const float* values, size_t count) {
    lists_.emplace_back(Keep(values, count), count);
    pointers_.push_back(&lists_.back());
}
void AttrValues::AddInts(const int64_t* values, size_t count) {
    lists_.emplace_back(Keep(values, count), count);
    pointers_.push_back(&lists_.back());
}

const TensorSlot* ContextData::DeclaredInput(size_t irIndex, size_t relativeIndex) const {
    if (irIndex >= inputInstances.size() || relativeIndex >= inputInstances[irIndex].GetInstanceNum()) {
        return nullptr;
    }
    return Input(inputInstances[irIndex].GetInstanceStart() + relativeIndex);
}

const TensorSlot* ContextData::DeclaredOutput(size_t irIndex, size_t relativeIndex) const {
    if (irIndex >= outputInstances.size() || relativeIndex >= outputInstances[irIndex].GetInstanceNum()) {
        return nullptr;
    }
    return &outputs[outputInstances[irIndex].GetInstanceStart() + relativeIndex];
}

}  // namespace sim_host
