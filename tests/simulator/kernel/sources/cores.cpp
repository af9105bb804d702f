// What the cores of a launch do to each other, one kernel for many cases: the tiling key chooses, and has its own
// kernel type. A case that breaks a rule marks the line with a comment "// <- here", and the other core's "// <-
// there".
#include "kernel_operator.h"

using namespace AscendC;

using Vecin = TQue<TPosition::VECIN, 1>;

struct Data {
    GlobalTensor<float> x, z, work;
    GlobalTensor<int32_t> signals;  // zeros
    TPipe* pipe;
    LocalTensor<float> a, b;
    LocalTensor<int32_t> c;

    // 1 KiB each, with nothing to order anything.
    __aicore__ inline void Buffers(TBuf<TPosition::VECCALC>& buffer) {
        pipe->InitBuffer(buffer, 4 * 1024);
        a = buffer.GetWithOffset<float>(256, 0);
        b = buffer.GetWithOffset<float>(256, 1024);
        c = buffer.GetWithOffset<int32_t>(512, 2048);
    }
    // Fills `count` floats of global memory.
    __aicore__ inline void Put(const GlobalTensor<float>& to, float value, int count,
                               sim::Site site = sim::Site::Here()) {
        Duplicate(a, value, 64);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(to, a, count, site);
        SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
    }
    // z = the 8 floats at `from`.
    __aicore__ inline void Show(int at, const GlobalTensor<float>& from, sim::Site site = sim::Site::Here()) {
        DataCopy(b, from, 8, site);
        SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        DataCopy(z[at], b, 8);
    }
};

#define IF_AIV(number) if (g_coreType == AIV && GetSubBlockIdx() == (number))

// ---- wrong ---------------------------------------------------------------------------------------------------------

__aicore__ inline void vector_function_on_aic(Data& d) {
    if ASCEND_IS_AIC {
        TBuf<TPosition::VECCALC> buffer;
        d.pipe->InitBuffer(buffer, 256);
        Duplicate(buffer.Get<float>(), 1.0f, 8);  // <- here
    }
}

__aicore__ inline void scalar_of_the_unified_buffer_on_aic(Data& d) {
    if ASCEND_IS_AIC {
        TBuf<TPosition::VECCALC> buffer;
        d.pipe->InitBuffer(buffer, 256);
        buffer.Get<float>().SetValue(0, 1.0f);  // <- here
    }
}

__aicore__ inline void vecin_on_aic(Data& d) {
    Vecin queue;
    d.pipe->InitBuffer(queue, 1, 256);
    if ASCEND_IS_AIC {
        queue.AllocTensor<float>();  // <- here
    }
}

__aicore__ inline void a1_on_aiv(Data& d) {
    TQue<TPosition::A1, 1> queue;
    d.pipe->InitBuffer(queue, 1, 256);
    if ASCEND_IS_AIV {
        queue.AllocTensor<float>();  // <- here
    }
}

__aicore__ inline void vector_function_on_l1(Data& d) {
    TBuf<TPosition::B1> buffer;
    d.pipe->InitBuffer(buffer, 256);
    Duplicate(buffer.Get<float>(), 1.0f, 8);  // <- here
}

__aicore__ inline void l1_capacity(Data& d) {
    TQue<TPosition::A1, 1> a;
    TQue<TPosition::B1, 1> b;
    d.pipe->InitBuffer(a, 1, 524256);
    d.pipe->InitBuffer(b, 1, 64);  // <- here
}

__aicore__ inline void l0a_capacity(Data& d) {
    TQue<TPosition::A2, 1> queue;
    d.pipe->InitBuffer(queue, 2, 32800);  // <- here
}

__aicore__ inline void l0b_capacity(Data& d) {
    TQue<TPosition::B2, 1> queue;
    d.pipe->InitBuffer(queue, 1, 65537);  // <- here
}

__aicore__ inline void l0c_capacity(Data& d) {
    TQue<TPosition::CO1, 1> queue;
    d.pipe->InitBuffer(queue, 1, 131104);  // <- here
}

__aicore__ inline void bias_table_capacity(Data& d) {
    TBuf<TPosition::C2> buffer;
    d.pipe->InitBuffer(buffer, 1056);  // <- here
}

__aicore__ inline void flag_without_hardware(Data&) {
    CrossCoreSetFlag<0, PIPE_MTE3>(3);  // <- here
}

__aicore__ inline void wait_without_hardware(Data&) {
    CrossCoreWaitFlag(3);  // <- here
}

__aicore__ inline void mode_1_without_cube(Data&) {
    CrossCoreSetFlag<1, PIPE_MTE3>(3);  // <- here
}

__aicore__ inline void mode_1_on_aic(Data&) {
    if ASCEND_IS_AIC {
        CrossCoreSetFlag<1, PIPE_FIX>(3);  // <- here
    }
}

__aicore__ inline void flag_id(Data&) {
    if ASCEND_IS_AIC {
        CrossCoreSetFlag<2, PIPE_FIX>(19);  // <- here
    }
}

__aicore__ inline void flag_counter(Data&) {
    if ASCEND_IS_AIC {
        for (int i = 0; i < 16; ++i) {
            CrossCoreSetFlag<2, PIPE_FIX>(3);  // <- here
        }
    }
}

__aicore__ inline void flag_changes_mode(Data&) {
    if ASCEND_IS_AIC {
        CrossCoreSetFlag<2, PIPE_FIX>(3);
    } else {
        CrossCoreSetFlag<1, PIPE_MTE3>(3);  // <- here
    }
}

__aicore__ inline void flag_never_waited_for(Data&) {
    if ASCEND_IS_AIC {
        CrossCoreSetFlag<2, PIPE_FIX>(3);  // <- here
    } else if (GetSubBlockIdx() == 0) {
        CrossCoreWaitFlag(3);
    }
}

__aicore__ inline void flag_set_by_one_of_two(Data&) {
    IF_AIV(1) {
        CrossCoreSetFlag<2, PIPE_MTE3>(3);  // <- here
    }
}

__aicore__ inline void flag_nobody_sets(Data&) {
    if ASCEND_IS_AIV {
        CrossCoreWaitFlag(5);  // <- here
    }
}

__aicore__ inline void flag_one_of_two_sets(Data&) {
    if ASCEND_IS_AIC {
        CrossCoreWaitFlag(5);  // <- here
    }
    IF_AIV(0) { CrossCoreSetFlag<2, PIPE_MTE3>(5); }
}

__aicore__ inline void sync_all_without_hardware(Data&) {
    SyncAll();  // <- here
}

__aicore__ inline void sync_all_mix_without_cube(Data&) {
    SyncAll<false>();  // <- here
}

__aicore__ inline void sync_all_after_one_has_left(Data&) {
    if (GetBlockIdx() != 1) {
        SyncAll();  // <- here
    }
}

__aicore__ inline void sync_all_mix_without_aic(Data&) {
    if ASCEND_IS_AIV {
        SyncAll<false>();  // <- here
    }
}

__aicore__ inline void soft_sync_all_of_too_many(Data& d) {
    SyncAll(d.signals, d.c, 5);  // <- here
}

__aicore__ inline void soft_sync_all_by_an_outsider(Data& d) {
    if (GetBlockIdx() == 3) {
        SyncAll(d.signals, d.c, 2);  // <- here
    }
}

__aicore__ inline void soft_sync_all_not_zero(Data& d) {
    SyncAll(d.signals[1], d.c);  // <- here
}

__aicore__ inline void soft_sync_all_small_gm(Data& d) {
    GlobalTensor<int32_t> signals;
    signals.SetGlobalBuffer((__gm__ int32_t*)d.signals.GetPhyAddr(), 31);
    SyncAll(signals, d.c);  // <- here
}

__aicore__ inline void soft_sync_all_small_ub(Data& d) {
    d.c.SetSize(31);
    SyncAll(d.signals, d.c);  // <- here
}

__aicore__ inline void polls_for_nobody(Data& d) {
    if (GetBlockIdx() == 1) {
        IBWait(d.signals, d.c, 0, 0);  // <- there
    } else if (GetBlockIdx() == 2) {
        while (d.work.GetValue(5) == 0) {  // <- here
            DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(d.work);
        }
    }
}

__aicore__ inline void polls_by_copies(Data& d) {
    if (GetBlockIdx() == 1) {
        IBWait(d.signals, d.c, 0, 0);  // <- there
    } else if (GetBlockIdx() == 2) {
        do {
            DataCopy(d.a, d.work[8], 16);  // <- here
            SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
            WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
        } while (d.a.GetValue(5) == 0);
    }
}

__aicore__ inline void polls_all_others(Data& d) {
    for (bool all = false; !all;) {
        all = true;
        for (int i = 0; i < 3; ++i) {
            if (i == GetBlockIdx()) {
                d.c.SetValue(0, 0);  // which it is
            } else {
                all &= d.work.GetValue(i * 16) != 0;  // <- here
            }
        }
    }
}

__aicore__ inline void ib_wait_for_nobody(Data& d) {
    if (GetBlockIdx() == 1) {
        IBWait(d.signals, d.c, 0, 0);  // <- here
    } else {
        IBSet(d.signals, d.c, 0, 1);
    }
}

__aicore__ inline void ib_set_twice(Data& d) {
    IBSet(d.signals, d.c, 0, 0);
    IBSet(d.signals, d.c, 0, 0);  // <- here
}

__aicore__ inline void ib_block(Data& d) {
    IBSet(d.signals, d.c, 2, 0);  // <- here
}

__aicore__ inline void ib_on_aic(Data& d) {
    if ASCEND_IS_AIC {
        IBSet(d.signals, d.c, 0, 0);  // <- here
    }
}

__aicore__ inline void ib_small_ub(Data& d) {
    d.c.SetSize(7);
    IBSet(d.signals, d.c, 0, 0);  // <- here
}

__aicore__ inline void ib_small_gm(Data& d) {
    // the last of 16384 words of the workspace is behind it
    IBWait(d.signals, d.c, 0, 1024);  // <- here
}

__aicore__ inline void soft_sync_all_on_aic(Data& d) {
    SyncAll(d.signals, d.c);  // <- here
}

__aicore__ inline void turns_on_aic(Data& d) {
    if ASCEND_IS_AIC {
        InitDetermineComputeWorkspace(d.signals, d.c);  // <- here
    }
}

__aicore__ inline void turn_never_passed(Data& d) {
    InitDetermineComputeWorkspace(d.signals, d.c);
    WaitPreBlock(d.signals, d.c);  // <- here
}

__aicore__ inline void tensor_at_a_place_of_l1(Data&) {
    LocalTensor<half> tensor(TPosition::A1, 0, 16);
    tensor.SetValue(0, half(1.0f));  // <- here
}

__aicore__ inline void read_unordered(Data& d) {
    IF_AIV(0) {
        d.Put(d.work, 1.0f, 64);  // <- there
    }
    IF_AIV(1) {
        d.Show(0, d.work[56]);  // <- here
    }
}

__aicore__ inline void read_behind_another_pipe(Data& d) {
    IF_AIV(0) {
        Duplicate(d.a, 1.0f, 64);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(d.work, d.a, 64);  // <- there
        CrossCoreSetFlag<1, PIPE_V>(0);
        CrossCoreWaitFlag(0);
    }
    IF_AIV(1) {
        CrossCoreSetFlag<1, PIPE_V>(0);
        CrossCoreWaitFlag(0);
        DataCopy(d.b, d.work, 8);  // <- here
    }
}

__aicore__ inline void written_after_the_signal(Data& d) {
    IF_AIV(0) {
        CrossCoreSetFlag<1, PIPE_MTE3>(0);
        d.Put(d.work, 1.0f, 64);  // <- there
        CrossCoreWaitFlag(0);
    }
    IF_AIV(1) {
        CrossCoreSetFlag<1, PIPE_MTE3>(0);
        CrossCoreWaitFlag(0);
        DataCopy(d.b, d.work, 8);  // <- here
    }
}

__aicore__ inline void overwrite_of_a_read(Data& d) {
    IF_AIV(0) {
        DataCopy(d.b, d.work, 16);  // <- there
    }
    IF_AIV(1) {
        d.Put(d.work[8], 1.0f, 64);  // <- here
    }
}

__aicore__ inline void overwrite_of_a_write(Data& d) {
    // the last data block of one core is the first of the next
    d.Put(d.z[GetBlockIdx() * 8], 1.0f, 16);  // <- here, there
}

// Rows of 32 bytes, 64 bytes apart: the second core's rows lie between the first core's, but for the last.
__aicore__ inline void strided_write(Data& d) {
    if ASCEND_IS_AIC {
        return;
    }
    Duplicate(d.a, 1.0f, 64);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    IF_AIV(0) {
        DataCopyPad(d.z, d.a, DataCopyExtParams(4, 32, 0, 32, 0));  // <- there
    }
    IF_AIV(1) {
        DataCopyPad(d.z[8], d.a, DataCopyExtParams(3, 32, 0, 32, 0));
        DataCopyPad(d.z[40], d.a, DataCopyExtParams(2, 28, 0, 16, 0));  // <- here
    }
}

__aicore__ inline void scalar_unordered(Data& d) {
    if ASCEND_IS_AIC {
        d.work.SetValue(3, 1.0f);  // <- there
    }
    IF_AIV(0) {
        d.z.SetValue(0, d.work.GetValue(3));  // <- here
    }
}

__aicore__ inline void scalar_still_in_the_cache(Data& d) {
    if ASCEND_IS_AIC {
        d.work.SetValue(3, 1.0f);  // <- there
        CrossCoreSetFlag<2, PIPE_FIX>(0);
    } else {
        CrossCoreWaitFlag(0);
        d.z.SetValue(0, d.work.GetValue(3));  // <- here
    }
}

__aicore__ inline void transfer_of_a_cached_line(Data& d) {
    if ASCEND_IS_AIC {
        d.work.SetValue(15, 1.0f);  // <- there
        CrossCoreSetFlag<2, PIPE_FIX>(0);
    } else {
        CrossCoreWaitFlag(0);
        DataCopy(d.b, d.work, 8);  // <- here
    }
}

__aicore__ inline void read_during_atomics(Data& d) {
    SetAtomicAdd<float>();
    IF_AIV(0) {
        d.Put(d.z, 1.0f, 8);  // <- there
    }
    IF_AIV(1) {
        d.Put(d.z, 1.0f, 8);
        DataCopy(d.b, d.z, 8);  // <- here
    }
}

__aicore__ inline void atomic_of_half_an_element(Data& d) {
    Duplicate(d.a, 1.0f, 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    SetAtomicAdd<float>();
    GlobalTensor<half> z;
    z.SetGlobalBuffer((__gm__ half*)d.z.GetPhyAddr(0));
    DataCopyPad(z, d.a.ReinterpretCast<half>(), DataCopyExtParams(1, 6, 0, 0, 0));  // <- here
}

// ---- right ---------------------------------------------------------------------------------------------------------

__aicore__ inline void ok_buffers_that_fill_all_memories(Data& d) {
    TQue<TPosition::A1, 1> a1;
    TQue<TPosition::C1, 1> c1;
    TQue<TPosition::A2, 2> a2;
    TQue<TPosition::B2, 2> b2;
    TQue<TPosition::CO1, 1> co1;
    TBuf<TPosition::C2> c2;
    d.pipe->InitBuffer(a1, 1, 524288 - 64);
    d.pipe->InitBuffer(c1, 1, 64);
    d.pipe->InitBuffer(a2, 2, 32768);
    d.pipe->InitBuffer(b2, 2, 32768);
    d.pipe->InitBuffer(co1, 1, 131072);
    d.pipe->InitBuffer(c2, 1024);
    if ASCEND_IS_AIC {
        LocalTensor<half> tensor = a1.AllocTensor<half>();
        a1.EnQue(tensor);
        auto held = a1.DeQue<half>();
        a1.FreeTensor(held);
    }
}

// The AIC lets the AIVs begin, they exchange their halves, and the AIC sees that both are done.
__aicore__ inline void ok_flags(Data& d) {
    if ASCEND_IS_AIC {
        CrossCoreSetFlag<2, PIPE_FIX>(0);
        CrossCoreWaitFlag(1);
        ASCENDC_ASSERT(d.work.GetValue(GetBlockIdx() * 128) == 1.0f + 2 * GetBlockIdx(),
                       { printf("AIV 0 has not written"); });
        return;
    }
    const int own = GetBlockIdx() * 64;
    const int other = (GetBlockIdx() ^ 1) * 64;
    CrossCoreWaitFlag(0);
    d.Put(d.work[own], 1.0f + GetBlockIdx(), 64);
    CrossCoreSetFlag<1, PIPE_MTE3>(2);
    CrossCoreWaitFlag(2);
    d.Show(GetBlockIdx() * 8, d.work[other]);
    CrossCoreSetFlag<2, PIPE_MTE3>(1);
}

__aicore__ inline void ok_fifteen_signals(Data&) {
    if ASCEND_IS_AIC {
        for (int i = 0; i < 15; ++i) {
            if (i % 2 == 0) {
                CrossCoreSetFlag<2, PIPE_FIX>(15);
            } else {
                ffts_cross_core_sync(PIPE_FIX, 1 | 2 << 4 | 15 << 8);
            }
        }
    } else {
        for (int i = 0; i < 15; i += 3) {
            CrossCoreWaitFlag(15);
            WaitEvent(15);
            wait_flag_dev(15);
        }
    }
}

// Every core reads what its neighbour has written, and then overwrites it.
__aicore__ inline void ok_sync_all(Data& d) {
    if ASCEND_IS_AIC {
        SyncAll<false>();
        SyncAll<false>();
        return;
    }
    const int count = GetBlockNum() * GetTaskRatio();
    const int next = (GetBlockIdx() + 1) % count * 64;
    d.Put(d.work[GetBlockIdx() * 64], 1.0f + GetBlockIdx(), 64);
    SyncAll<false>();
    d.Show(GetBlockIdx() * 8, d.work[next]);
    SyncAll<false>();
    d.Put(d.work[next], 0.0f, 64);
}

__aicore__ inline void ok_sync_all_of_vectors(Data& d) {
    const int next = (GetBlockIdx() + 1) % GetBlockNum() * 64;
    d.Put(d.work[GetBlockIdx() * 64], 1.0f + GetBlockIdx(), 64);
    SyncAll();
    d.Show(GetBlockIdx() * 8, d.work[next]);
    CrossCoreSetFlag<0, PIPE_MTE2>(7);
    CrossCoreWaitFlag(7);
    d.Put(d.work[next], 0.0f, 64);
}

__aicore__ inline void ok_soft_sync_all(Data& d) {
    const int next = (GetBlockIdx() + 1) % GetBlockNum() * 64;
    d.Put(d.work[GetBlockIdx() * 64], 1.0f + GetBlockIdx(), 64);
    SyncAll(d.signals, d.c);
    d.Show(GetBlockIdx() * 8, d.work[next]);
    SyncAll(d.signals, d.c, GetBlockNum());
    d.Put(d.work[next], 0.0f, 64);
}

// One block after the other adds to the same memory.
__aicore__ inline void ok_ib(Data& d) {
    const int block = GetBlockIdx();
    if (block != 0) {
        IBWait(d.signals, d.c, block - 1, 0);
    }
    DataCopy(d.b, d.work, 8);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(d.b, d.b, 1.0f, 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(d.work, d.b, 8);
    DataCopy(d.z[block * 8], d.b, 8);
    if (block + 1 < GetBlockNum()) {
        IBSet(d.signals, d.c, block, 0);
    }
}

__aicore__ inline void ok_scalar_written_back(Data& d) {
    if ASCEND_IS_AIC {
        d.work.SetValue(GetBlockIdx() * 16, 1.0f + GetBlockIdx());
        DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE>(d.work[GetBlockIdx() * 16]);
        CrossCoreSetFlag<2, PIPE_FIX>(0);
    } else {
        CrossCoreWaitFlag(0);
        d.z.SetValue(GetBlockIdx() * 16, d.work.GetValue(GetBlockIdx() * 16));
    }
}

__aicore__ inline void ok_neighbouring_bytes(Data& d) {
    const int own = GetBlockIdx() * 7;
    Duplicate(d.a, 1.0f + GetBlockIdx(), 64);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopyPad(d.z[own], d.a, DataCopyExtParams(1, 28, 0, 0, 0));
}

__aicore__ inline void ok_everybody_adds(Data& d) {
    SetAtomicAdd<float>();
    for (int i = 0; i < 3; ++i) {
        d.Put(d.z, 1.0f, 8);
    }
    DisableDmaAtomic();
    SyncAll();
    if (GetBlockIdx() == 0) {
        d.Show(8, d.z);
    }
}

__aicore__ inline void ok_core_numbers(Data& d) {
    // work: room for 16 floats (a line of the data cache) per core; AICs first
    const int core = g_coreType == AIC ? GetBlockIdx() : GetBlockNum() + GetBlockIdx();
    const float values[] = {(float)g_coreType,       (float)GetBlockIdx(),    (float)GetBlockNum(),
                            (float)GetSubBlockIdx(), (float)GetSubBlockNum(), (float)GetTaskRatio()};
    for (int i = 0; i < 6; ++i) {
        d.z.SetValue(core * 16 + i, values[i]);
    }
}

// clang-format off
#define CASES(CASE) \
    CASE(vector_function_on_aic, MIX_AIC_1_2) \
    CASE(scalar_of_the_unified_buffer_on_aic, AIC_ONLY) \
    CASE(vecin_on_aic, MIX_AIC_1_1) \
    CASE(a1_on_aiv, MIX_AIC_1_2) \
    CASE(vector_function_on_l1, AIV_ONLY) \
    CASE(l1_capacity, AIC_ONLY) \
    CASE(l0a_capacity, AIC_ONLY) \
    CASE(l0b_capacity, AIC_ONLY) \
    CASE(l0c_capacity, AIC_ONLY) \
    CASE(bias_table_capacity, AIC_ONLY) \
    CASE(flag_without_hardware, AIV_ONLY) \
    CASE(wait_without_hardware, AIC_ONLY) \
    CASE(mode_1_without_cube, MIX_AIV_1_0) \
    CASE(mode_1_on_aic, MIX_AIC_1_2) \
    CASE(flag_id, MIX_AIC_1_2) \
    CASE(flag_counter, MIX_AIC_1_2) \
    CASE(flag_changes_mode, MIX_AIC_1_1) \
    CASE(flag_never_waited_for, MIX_AIC_1_2) \
    CASE(flag_set_by_one_of_two, MIX_AIC_1_2) \
    CASE(flag_nobody_sets, MIX_AIC_1_2) \
    CASE(flag_one_of_two_sets, MIX_AIC_1_2) \
    CASE(sync_all_without_hardware, AIV_ONLY) \
    CASE(sync_all_mix_without_cube, MIX_AIV_1_0) \
    CASE(sync_all_after_one_has_left, MIX_AIV_1_0) \
    CASE(sync_all_mix_without_aic, MIX_AIC_1_1) \
    CASE(soft_sync_all_of_too_many, AIV_ONLY) \
    CASE(soft_sync_all_by_an_outsider, AIV_ONLY) \
    CASE(soft_sync_all_not_zero, AIV_ONLY) \
    CASE(soft_sync_all_small_gm, AIV_ONLY) \
    CASE(soft_sync_all_small_ub, AIV_ONLY) \
    CASE(polls_for_nobody, AIV_ONLY) \
    CASE(polls_by_copies, AIV_ONLY) \
    CASE(polls_all_others, AIV_ONLY) \
    CASE(ib_wait_for_nobody, AIV_ONLY) \
    CASE(ib_set_twice, AIV_ONLY) \
    CASE(ib_block, AIV_ONLY) \
    CASE(ib_on_aic, MIX_AIC_1_1) \
    CASE(ib_small_ub, AIV_ONLY) \
    CASE(ib_small_gm, AIV_ONLY) \
    CASE(soft_sync_all_on_aic, MIX_AIC_1_1) \
    CASE(turns_on_aic, MIX_AIC_1_1) \
    CASE(turn_never_passed, AIV_ONLY) \
    CASE(tensor_at_a_place_of_l1, AIV_ONLY) \
    CASE(read_unordered, MIX_AIC_1_2) \
    CASE(read_behind_another_pipe, MIX_AIC_1_2) \
    CASE(written_after_the_signal, MIX_AIC_1_2) \
    CASE(overwrite_of_a_read, MIX_AIC_1_2) \
    CASE(overwrite_of_a_write, MIX_AIV_1_0) \
    CASE(strided_write, MIX_AIC_1_2) \
    CASE(scalar_unordered, MIX_AIC_1_1) \
    CASE(scalar_still_in_the_cache, MIX_AIC_1_1) \
    CASE(transfer_of_a_cached_line, MIX_AIC_1_1) \
    CASE(read_during_atomics, MIX_AIC_1_2) \
    CASE(atomic_of_half_an_element, AIV_ONLY) \
    CASE(ok_buffers_that_fill_all_memories, MIX_AIC_1_2) \
    CASE(ok_flags, MIX_AIC_1_2) \
    CASE(ok_fifteen_signals, MIX_AIC_1_2) \
    CASE(ok_sync_all, MIX_AIC_1_2) \
    CASE(ok_sync_all_of_vectors, MIX_AIV_1_0) \
    CASE(ok_soft_sync_all, AIV_ONLY) \
    CASE(ok_ib, AIV_ONLY) \
    CASE(ok_scalar_written_back, MIX_AIC_1_1) \
    CASE(ok_neighbouring_bytes, MIX_AIV_1_0) \
    CASE(ok_everybody_adds, MIX_AIV_1_0) \
    CASE(ok_core_numbers, MIX_AIC_1_2)
// clang-format on

enum Key : uint64_t {
#define CASE(name, type) k_##name,
    CASES(CASE)
#undef CASE
        kCount
};

// The kernel of ok_core_numbers once more, in every type: keys behind the cases.
extern "C" __global__ __aicore__ void cores(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE(kCount, KERNEL_TYPE_AIV_ONLY);
    KERNEL_TASK_TYPE(kCount + 1, KERNEL_TYPE_AIC_ONLY);
    KERNEL_TASK_TYPE(kCount + 2, KERNEL_TYPE_MIX_AIV_1_0);
    KERNEL_TASK_TYPE(kCount + 3, KERNEL_TYPE_MIX_AIC_1_0);
    KERNEL_TASK_TYPE(kCount + 4, KERNEL_TYPE_MIX_AIC_1_1);
    KERNEL_TASK_TYPE(kCount + 5, KERNEL_TYPE_MIX_AIC_1_2);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    Data d{};
    d.pipe = &pipe;
    d.x.SetGlobalBuffer((__gm__ float*)x);
    d.z.SetGlobalBuffer((__gm__ float*)z);
    d.work.SetGlobalBuffer((__gm__ float*)workspace);
    d.signals.SetGlobalBuffer((__gm__ int32_t*)(workspace + 32 * 1024));
    if ASCEND_IS_AIV {
        d.Buffers(buffer);
    }
#define CASE(name, type)                            \
    KERNEL_TASK_TYPE(k_##name, KERNEL_TYPE_##type); \
    if (TILING_KEY_IS(k_##name)) {                  \
        name(d);                                    \
    }
    CASES(CASE)
#undef CASE
    if (TILING_KEY_VAR >= kCount) {
        ok_core_numbers(d);
    }
}
