#include "atomic.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <mutex>

#include "gm_values.h"

namespace sim {
namespace {

constexpr Rule kWhole = {"atomic-elements",
                         "a transfer with an atomic operation moves whole elements of the operation's data type",
                         "基础API/原子操作/SetAtomicAdd"};

// Values travel as float (half and bfloat16: rounded once) or as integers, which wrap around.
template <typename T>
struct Value {
    static T Load(const uint8_t* at) {
        T value;
        std::memcpy(&value, at, sizeof(T));
        return value;
    }
    static void Store(uint8_t* at, T value) { std::memcpy(at, &value, sizeof(T)); }
};
template <>
struct Value<half> {
    static float Load(const uint8_t* at) {
        half value;
        std::memcpy(&value, at, sizeof(value));
        return value;
    }
    static void Store(uint8_t* at, float value) {
        const half rounded(value);
        std::memcpy(at, &rounded, sizeof(rounded));
    }
};
template <>
struct Value<bfloat16_t> {
    static float Load(const uint8_t* at) {
        bfloat16_t value;
        std::memcpy(&value, at, sizeof(value));
        return static_cast<float>(value);
    }
    static void Store(uint8_t* at, float value) {
        const bfloat16_t rounded(value);
        std::memcpy(at, &rounded, sizeof(rounded));
    }
};

template <typename V>
V Combine(Atomic op, V old, V added) {
    switch (op) {
        case Atomic::kMax:
            return std::max(old, added);
        case Atomic::kMin:
            return std::min(old, added);
        default:
            if constexpr (std::is_integral<V>::value) {
                using U = std::make_unsigned_t<V>;
                return static_cast<V>(static_cast<U>(static_cast<U>(old) + static_cast<U>(added)));
            } else {
                return old + added;
            }
    }
}

template <typename T>
void CombineAll(Atomic op, uint8_t* dst, const uint8_t* src, uint64_t bytes) {
    for (uint64_t i = 0; i < bytes; i += sizeof(T)) {
        Value<T>::Store(dst + i, Combine(op, Value<T>::Load(dst + i), Value<T>::Load(src + i)));
    }
}

}  // namespace

void StoreGm(Core& core, uint64_t dst, const uint8_t* src, uint64_t bytes, const Call& call, const Origin* marks) {
    uint8_t* const to = reinterpret_cast<uint8_t*>(dst);
    if (core.registers.atomic.op == Atomic::kNone) {
        std::memcpy(to, src, bytes);
        if (core.Checks()) {
            MarkStored(core, dst, bytes, marks);
        }
        return;
    }
    const Dtype type = core.registers.atomic.type;
    const uint64_t element = type == Dtype::kInt8 ? 1 : type == Dtype::kInt32 || type == Dtype::kFloat ? 4 : 2;
    if (bytes % element != 0) {
        Fail(call, kWhole, "%" PRIu64 " bytes in elements of %" PRIu64, bytes, element);
    }
    // cores of several threads may meet here
    const std::lock_guard<std::mutex> lock(core.Shared().atomics);
    if (core.Checks()) {
        MarkCombined(core, dst, bytes, marks, call);
    }
    switch (type) {
        case Dtype::kInt8:
            return CombineAll<int8_t>(core.registers.atomic.op, to, src, bytes);
        case Dtype::kInt16:
            return CombineAll<int16_t>(core.registers.atomic.op, to, src, bytes);
        case Dtype::kInt32:
            return CombineAll<int32_t>(core.registers.atomic.op, to, src, bytes);
        case Dtype::kHalf:
            return CombineAll<half>(core.registers.atomic.op, to, src, bytes);
        case Dtype::kBfloat16:
            return CombineAll<bfloat16_t>(core.registers.atomic.op, to, src, bytes);
        default:
            return CombineAll<float>(core.registers.atomic.op, to, src, bytes);
    }
}

void SetAtomic(Atomic op, Dtype type) {
    Core& core = CurrentCore();
    if (op != Atomic::kKeep) {
        core.registers.atomic.op = op;
    } else if (core.registers.atomic.op == Atomic::kNone) {
        core.registers.atomic.op = Atomic::kAdd;
    }
    core.registers.atomic.type = type;
}

bool AtomicNow() { return CurrentCore().registers.atomic.op != Atomic::kNone; }
Dtype AtomicTypeNow() { return CurrentCore().registers.atomic.type; }

}  // namespace sim
