// The room that functions above the instructions need beside their operands (sharedTmpBuffer): one table for the host's
// GetXxxMaxMinTmpSize and for what the engine asks of a kernel's buffer. Pages: SIMD-API/高阶API/*/GetXxxMaxMinTmpSize
//
// The sizes are this simulator's. A function works through its operands in steps of 256 bytes of source, and needs
// `nodes` times that beside them, as many as it holds intermediate values of the source's width at once: half is
// computed in float, so it takes two. More room lets a step be longer, up to the whole source.
#ifndef OPFORGE_INTERFACES_SIM_ADV_ROOMS_H
#define OPFORGE_INTERFACES_SIM_ADV_ROOMS_H

#include <cstdint>
#include <cstring>

// X(function, nodes for 2-byte types, nodes for 4-byte types): functions with both getters, with only
// Get<function>MaxMinTmpSize or Get<function>TmpBufferFactorSize of the plain form, and those with forms of their own.
#define SIM_ADV_PLAIN_ROOMS(X) \
    X(Acos, 2, 1)              \
    X(Acosh, 2, 1)             \
    X(Asin, 2, 1)              \
    X(Asinh, 2, 1)             \
    X(Atan, 2, 1)              \
    X(Atanh, 2, 1)             \
    X(Axpy, 2, 1)              \
    X(Ceil, 2, 0)              \
    X(Clamp, 1, 1)             \
    X(Cos, 2, 1)               \
    X(Cosh, 2, 1)              \
    X(Digamma, 2, 1)           \
    X(Erf, 2, 1)               \
    X(Erfc, 2, 1)              \
    X(Floor, 2, 0)             \
    X(Fmod, 2, 1)              \
    X(Frac, 2, 0)              \
    X(Lgamma, 2, 1)            \
    X(Log, 0, 0)               \
    X(Log10, 0, 0)             \
    X(Log2, 2, 0)              \
    X(Sign, 1, 1)              \
    X(Sin, 2, 1)               \
    X(Sinh, 2, 1)              \
    X(Tan, 2, 1)               \
    X(Tanh, 2, 1)              \
    X(Trunc, 2, 0)             \
    X(Xor, 1, 1)               \
    X(GeGLU, 2, 0)
#define SIM_ADV_SIZE_ROOMS(X) \
    X(ReGlu, 2, 0)            \
    X(Sigmoid, 1, 1)          \
    X(ReduceXorSum, 2, 2)
#define SIM_ADV_FACTOR_ROOMS(X) \
    X(Exp, 2, 1)                \
    X(SwiGLU, 2, 0)
#define SIM_ADV_OWN_ROOMS(X) \
    X(Power, 2, 1)           \
    X(Round, 2, 0)           \
    X(Gelu, 2, 1)            \
    X(Silu, 0, 0)            \
    X(Swish, 0, 0)

struct sim_adv_room {
    const char* function;
    uint32_t nodes2;
    uint32_t nodes4;
};

constexpr uint32_t SIM_ADV_STEP_BYTES = 256;

// Null for a function without a row.
inline const sim_adv_room* sim_adv_room_of(const char* function) {
#define SIM_ADV_ROW(name, two, four) {#name, two, four},
    static constexpr sim_adv_room kRooms[] = {SIM_ADV_PLAIN_ROOMS(SIM_ADV_ROW) SIM_ADV_SIZE_ROOMS(SIM_ADV_ROW)
                                                  SIM_ADV_FACTOR_ROOMS(SIM_ADV_ROW) SIM_ADV_OWN_ROOMS(SIM_ADV_ROW)};
#undef SIM_ADV_ROW
    for (const sim_adv_room& room : kRooms) {
        if (std::strcmp(room.function, function) == 0) {
            return &room;
        }
    }
    return nullptr;
}

inline uint32_t sim_adv_nodes(const sim_adv_room& room, uint32_t type_bytes) {
    return type_bytes <= 2 ? room.nodes2 : room.nodes4;
}

// The least that a function works with, and the most that it uses for `elements` of `type_bytes`.
inline uint64_t sim_adv_least(const sim_adv_room& room, uint32_t type_bytes) {
    return uint64_t{SIM_ADV_STEP_BYTES} * sim_adv_nodes(room, type_bytes);
}
inline uint64_t sim_adv_most(const sim_adv_room& room, uint32_t type_bytes, uint64_t elements) {
    const uint64_t steps = (elements * type_bytes + SIM_ADV_STEP_BYTES - 1) / SIM_ADV_STEP_BYTES;
    return sim_adv_least(room, type_bytes) * (steps == 0 ? 1 : steps);
}

// Functions of rows (softmax, normalisation, reductions) take at most all elements of their source as float.
inline uint64_t sim_adv_rows_most(uint64_t elements) {
    const uint64_t bytes = elements * sizeof(float);
    return bytes <= SIM_ADV_STEP_BYTES ? SIM_ADV_STEP_BYTES
                                       : (bytes + SIM_ADV_STEP_BYTES - 1) / SIM_ADV_STEP_BYTES * SIM_ADV_STEP_BYTES;
}

#endif
