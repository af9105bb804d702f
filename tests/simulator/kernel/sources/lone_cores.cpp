// Kernels whose cores cannot wait for each other: the tiling key chooses one, each core works on 64 floats from `start`
// times its number. A case that breaks the rule marks the line with a comment "// <- here".
#include "kernel_operator.h"

using namespace AscendC;

struct LoneTiling {
    uint32_t start;
};

constexpr uint32_t kPart = 64;

struct Data {
    GlobalTensor<float> x, z, workspace;
    uint32_t start;
    TPipe* pipe;
};

template <HardEvent event>
__aicore__ inline void Order() {
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
}

// x + add of the core's part, in the unified buffer.
__aicore__ inline LocalTensor<float> Computed(Data& d, TBuf<TPosition::VECCALC>& buffer, float add) {
    d.pipe->InitBuffer(buffer, kPart * sizeof(float));
    LocalTensor<float> part = buffer.Get<float>();
    DataCopy(part, d.x[d.start], kPart);
    Order<HardEvent::MTE2_V>();
    Adds(part, part, add, kPart);
    Order<HardEvent::V_MTE3>();
    return part;
}

// ---- wrong ---------------------------------------------------------------------------------------------------------

__aicore__ inline void other_values(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    const LocalTensor<float> part = Computed(d, buffer, 1.0f + GetBlockIdx());
    DataCopy(d.z[d.start], part, kPart);  // <- here
}

__aicore__ inline void sum_without_atomic(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    const LocalTensor<float> part = Computed(d, buffer, 1.0f);
    DataCopy(d.z, part, 8);  // <- here
}

__aicore__ inline void add_behind_a_store(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    const LocalTensor<float> part = Computed(d, buffer, 0.0f);
    if (GetBlockIdx() != 0) {
        SetAtomicAdd<float>();
    }
    DataCopy(d.z, part, 8);  // <- here
    SetAtomicNone();
}

__aicore__ inline void left_for_the_next_core(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    const LocalTensor<float> part = Computed(d, buffer, 1.0f);
    DataCopy(d.workspace[d.start], part, kPart);
    Order<HardEvent::MTE3_MTE2>();
    DataCopy(part, d.workspace[d.start == 0 ? 0 : d.start - kPart], kPart);  // <- here
}

__aicore__ inline void read_and_overwritten(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    const LocalTensor<float> part = Computed(d, buffer, 1.0f);
    if (GetBlockIdx() == 0) {
        Order<HardEvent::MTE3_MTE2>();
        DataCopy(part, d.z[kPart], kPart);
        return;
    }
    DataCopy(d.z[d.start], part, kPart);  // <- here
}

__aicore__ inline void one_scalar(Data& d) {
    d.z.SetValue(0, 1.0f + GetBlockIdx());  // <- here
}

// ---- right ---------------------------------------------------------------------------------------------------------

__aicore__ inline void ok_same_values(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    const LocalTensor<float> part = Computed(d, buffer, 1.0f);
    DataCopy(d.z[d.start], part, kPart);
}

__aicore__ inline void ok_rows(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    const LocalTensor<float> part = Computed(d, buffer, 1.0f);
    DataCopy(d.z[d.start], part, DataCopyParams{4, 2, 0, 0});
}

__aicore__ inline void ok_atomic(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    const LocalTensor<float> part = Computed(d, buffer, 1.0f);
    SetAtomicAdd<float>();
    DataCopy(d.z, part, kPart);
    SetAtomicNone();
}

// In place: the block of 32 bytes that is read has elements of the next core's part at its end.
__aicore__ inline void ok_whole_blocks_read(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    d.pipe->InitBuffer(buffer, kPart * sizeof(float));
    const LocalTensor<float> part = buffer.Get<float>();
    DataCopy(part, d.z[d.start], 32);
    Order<HardEvent::MTE2_V>();
    Adds(part, part, 1.0f, 32);
    Order<HardEvent::V_MTE3>();
    DataCopyPad(d.z[d.start], part, DataCopyExtParams{1, 30 * sizeof(float), 0, 0, 0});
}

#define CASES(CASE)              \
    CASE(other_values)           \
    CASE(sum_without_atomic)     \
    CASE(add_behind_a_store)     \
    CASE(left_for_the_next_core) \
    CASE(read_and_overwritten)   \
    CASE(one_scalar)             \
    CASE(ok_same_values)         \
    CASE(ok_rows)                \
    CASE(ok_atomic)              \
    CASE(ok_whole_blocks_read)

extern "C" __global__ __aicore__ void lone_cores(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    REGISTER_TILING_DEFAULT(LoneTiling);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    Data d{{}, {}, {}, static_cast<uint32_t>(data.start * GetBlockIdx()), &pipe};
    d.x.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
    d.z.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z));
    d.workspace.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace));
    int32_t key = 0;
#define CASE(name)              \
    if (TILING_KEY_IS(key++)) { \
        name(d);                \
    }
    CASES(CASE)
#undef CASE
}
