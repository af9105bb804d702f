// Kernels that read of global memory what nobody has written, or leave parts of their result out, and some that look as
// if they did: the tiling key chooses. The line that a message names has a comment "// <- here", an earlier one that it
// speaks of "// <- there".
#include "kernel_operator.h"

using namespace AscendC;

struct Data {
    GlobalTensor<float> x, z, work;
    __gm__ float* raw;  // of work
    TPipe* pipe;
};

struct Ub {
    LocalTensor<float> a, b;
    TBuf<> buffer;

    __aicore__ inline explicit Ub(Data& d) {
        d.pipe->InitBuffer(buffer, 2048);
        a = buffer.Get<float>();
        b = a[256];
        a.SetSize(256);
    }
};

template <HardEvent event>
__aicore__ inline void Order() {
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
}

__aicore__ inline void Load(LocalTensor<float>& to, GlobalTensor<float> from, uint32_t count) {
    DataCopy(to, from, count);
    Order<HardEvent::MTE2_V>();
}

__aicore__ inline void Write(GlobalTensor<float> to, LocalTensor<float>& from, float value, uint32_t count) {
    Duplicate(from, value, count);
    Order<HardEvent::V_MTE3>();
    DataCopy(to, from, count);
}

// ---- wrong ---------------------------------------------------------------------------------------------------------

__aicore__ inline void workspace_read(Data& d) {
    Ub ub(d);
    DataCopy(ub.a, d.work[64], 256);  // <- there
    Order<HardEvent::MTE2_V>();
    Adds(ub.b, ub.a, 1.0f, 256);
    Order<HardEvent::V_MTE3>();
    DataCopy(d.z, ub.b, 256);  // <- here
}

__aicore__ inline void workspace_read_behind_what_was_written(Data& d) {
    Ub ub(d);
    Write(d.work, ub.a, 1, 128);
    Order<HardEvent::MTE3_MTE2>();
    DataCopy(ub.b, d.work, 256);  // <- there
    Order<HardEvent::MTE2_MTE3>();
    DataCopy(d.z, ub.b, 256);  // <- here
}

// The bytes go through the workspace once more before they reach the result.
__aicore__ inline void workspace_through_workspace(Data& d) {
    Ub ub(d);
    DataCopy(ub.a, d.work[64], 256);  // <- there
    Order<HardEvent::MTE2_MTE3>();
    DataCopy(d.work[1024], ub.a, 256);  // <- here
    Order<HardEvent::MTE3_MTE2>();
    DataCopy(ub.b, d.work[1024], 256);
    Order<HardEvent::MTE2_MTE3>();
    DataCopy(d.z, ub.b, 256);  // <- store
}

__aicore__ inline void workspace_read_by_the_scalar_unit(Data& d) {
    Ub ub(d);
    Write(d.z, ub.a, d.work.GetValue(3), 256);  // <- here
}

__aicore__ inline void workspace_read_by_pointer(Data& d) {
    Ub ub(d);
    Write(d.z, ub.a, d.raw[3], 256);  // <- here
}

__aicore__ inline void output_read(Data& d) {
    Ub ub(d);
    DataCopy(ub.a, d.z, 256);  // <- there
    Order<HardEvent::MTE2_MTE3>();
    DataCopy(d.z, ub.a, 256);  // <- here
}

__aicore__ inline void added_to_nothing(Data& d) {
    Ub ub(d);
    SetAtomicAdd<float>();
    Write(d.z[64], ub.a, 1, 64);
    SetAtomicNone();
    PipeBarrier<PIPE_ALL>();
    Write(d.z, ub.a, 1, 64);
    Order<HardEvent::MTE3_V>();
    Write(d.z[128], ub.a, 1, 128);
}

// Block 1 reads what block 0 would have written, had it written enough.
__aicore__ inline void workspace_of_another_core(Data& d) {
    Ub ub(d);
    if (GetBlockIdx() == 0) {
        Write(d.work, ub.a, 1, 120);
    }
    SyncAll();
    if (GetBlockIdx() == 1) {
        DataCopy(ub.b, d.work, 128);  // <- there
        Order<HardEvent::MTE2_MTE3>();
        DataCopy(d.z, ub.b, 128);  // <- here
    } else {
        Order<HardEvent::MTE3_V>();
        Write(d.z[128], ub.a, 1, 128);
    }
}

__aicore__ inline void a_part_is_missing(Data& d) {
    Ub ub(d);
    Write(d.z, ub.a, 1, 128);
}

__aicore__ inline void a_core_is_missing(Data& d) {
    Ub ub(d);
    if (GetBlockIdx() == 0) {
        Write(d.z, ub.a, 1, 64);
    } else {
        Write(d.z[192], ub.a, 1, 64);
    }
}

__aicore__ inline void two_parts_are_missing(Data& d) {
    Ub ub(d);
    Write(d.z[8], ub.a, 1, 240);
}

__aicore__ inline void nothing_is_written(Data& d) {}

__aicore__ inline void counter_of_a_core(Data& d) {
    Ub ub(d);
    GlobalTensor<int32_t> counters;
    counters.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(d.raw), 64);
    LocalTensor<int32_t> values = ub.a.ReinterpretCast<int32_t>();
    SyncAll(counters, values);  // <- here
}

__aicore__ inline void address_before_a_tensor(Data& d) {
    Ub ub(d);
    GlobalTensor<float> from;
    from.SetGlobalBuffer(const_cast<__gm__ float*>(d.x.GetPhyAddr()) - 8, 256);
    DataCopy(ub.a, from, 256);  // <- here
}

// ---- right ---------------------------------------------------------------------------------------------------------

__aicore__ inline void ok_unused_bytes(Data& d) {
    Ub ub(d);
    Load(ub.a, d.work, 256);
    Write(d.z, ub.b, 1, 256);
}

__aicore__ inline void ok_written_before(Data& d) {
    Ub ub(d);
    if (GetBlockIdx() == 0) {
        Write(d.work, ub.a, 1, 256);
    }
    SyncAll();
    Load(ub.b, d.work, 256);
    Order<HardEvent::MTE2_MTE3>();
    DataCopy(d.z[GetBlockIdx() * 128], ub.b, 128);
}

__aicore__ inline void ok_added_to_zeros(Data& d) {
    Ub ub(d);
    if (GetBlockIdx() == 0) {
        InitGlobalMemory(d.z, 256, 0.0f);
    }
    PipeBarrier<PIPE_ALL>();
    SyncAll();
    SetAtomicAdd<float>();
    Write(d.z, ub.a, 0.5f, 256);
    SetAtomicNone();
}

__aicore__ inline void ok_written_by_the_scalar_unit(Data& d) {
    for (uint32_t i = 0; i < 256; ++i) {
        d.z.SetValue(i, 1.0f);
    }
    DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(d.z);
}

// clang-format off
#define CASES(CASE) \
    CASE(workspace_read) \
    CASE(workspace_read_behind_what_was_written) \
    CASE(workspace_through_workspace) \
    CASE(workspace_read_by_the_scalar_unit) \
    CASE(workspace_read_by_pointer) \
    CASE(output_read) \
    CASE(added_to_nothing) \
    CASE(workspace_of_another_core) \
    CASE(a_part_is_missing) \
    CASE(a_core_is_missing) \
    CASE(two_parts_are_missing) \
    CASE(nothing_is_written) \
    CASE(counter_of_a_core) \
    CASE(address_before_a_tensor) \
    CASE(ok_unused_bytes) \
    CASE(ok_written_before) \
    CASE(ok_added_to_zeros) \
    CASE(ok_written_by_the_scalar_unit)
// clang-format on

extern "C" __global__ __aicore__ void gm_values(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    TPipe pipe;
    Data d{{}, {}, {}, reinterpret_cast<__gm__ float*>(GetUserWorkspace(workspace)), &pipe};
    d.x.SetGlobalBuffer((__gm__ float*)x, 256);
    d.z.SetGlobalBuffer((__gm__ float*)z, 256);
    d.work.SetGlobalBuffer(d.raw, 4096);
    uint64_t key = 0;
#define CASE(name)              \
    if (TILING_KEY_IS(key++)) { \
        name(d);                \
    }
    CASES(CASE)
#undef CASE
}
