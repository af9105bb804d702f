// Synchronisation, caches, registers, intrinsics, printing: each case leaves its answers in z. "// <- here" marks what
// is refused.
#include "kernel_operator.h"

using namespace AscendC;

struct MachineTiling {
    uint32_t count;  // elements of x and z
};

struct Data {
    GlobalTensor<float> x, z;
    uint32_t count;
    GM_ADDR xAddress;
    GM_ADDR zAddress;
    GM_ADDR workspace;
    TPipe* pipe;
};

template <HardEvent event>
__aicore__ inline void Order() {
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
}

__aicore__ inline void Answer(Data& d, const float* values, int count) {
    for (int i = 0; i < count; ++i) {
        d.z.SetValue(i, values[i]);
    }
    DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(d.z);
}

struct Work {
    TBuf<TPosition::VECCALC> buffer;
    LocalTensor<float> a, b;

    __aicore__ inline explicit Work(Data& d) {
        d.pipe->InitBuffer(buffer, 2 * 1024);
        a = buffer.GetWithOffset<float>(256, 0);
        b = buffer.GetWithOffset<float>(256, 1024);
    }
};

struct Turns {
    TBuf<TPosition::VECCALC> buffer;
    GlobalTensor<int32_t> gm;
    LocalTensor<int32_t> ub;

    __aicore__ inline explicit Turns(Data& d, uint32_t bytes = 1024) {
        d.pipe->InitBuffer(buffer, bytes);
        ub = buffer.Get<int32_t>();
        gm.SetGlobalBuffer((__gm__ int32_t*)d.workspace);
    }
};

// ---- wrong ---------------------------------------------------------------------------------------------------------

__aicore__ inline void instructions_beyond_the_cache(Data&) {
    ICachePreLoad(8);  // <- here
}

__aicore__ inline void saturating_arithmetic(Data& d) {
    Work work(d);
    SetCtrlSpr<48, 48>(0);
    Duplicate(work.a, 1.0f, 64);  // <- here
}

__aicore__ inline void saturation_flag(Data& d) {
    Work work(d);
    SetSaturationFlag<SaturationMode::FLOAT>(true);
    Duplicate(work.a, 1.0f, 64);  // <- here
}

__aicore__ inline void saturation_by_the_library(Data& d) {
    Work work(d);
    AscendCUtils::SetOverflow(0);
    Duplicate(work.a, 1.0f, 64);  // <- here
}

__aicore__ inline void trapped(Data&) {
    Trap();  // <- here
}

__aicore__ inline void fill_without_room(Data& d) {
    TBuf<TPosition::VECCALC> all;
    d.pipe->InitBuffer(all, 196608);
    InitOutput<float>(d.z, 8);  // <- here
}

__aicore__ inline void fill_beyond_the_tensor(Data& d) {
    Fill(d.z, d.count + 1, 1.0f);  // <- here
}

__aicore__ inline void fill_before_another_is_done(Data& d) {
    Fill(d.z, 7, 1.0f);
    GlobalTensor<float> rest = d.z[7];
    Fill(rest, 7, 2.0f);  // <- here
}

__aicore__ inline void turn_never_begun(Data& d) {
    Turns turns(d);
    WaitPreBlock(turns.gm, turns.ub);  // <- here
}

__aicore__ inline void turn_passed_never_begun(Data& d) {
    Turns turns(d);
    NotifyNextBlock(turns.gm, turns.ub);  // <- here
}

__aicore__ inline void turn_without_room(Data& d) {
    Turns turns(d, 32);
    InitDetermineComputeWorkspace(turns.gm, turns.ub);  // <- here
}

__aicore__ inline void printed_float_as_integer(Data&) {
    printf("%d and %d\n", 1, 1.5f);  // <- here
}

__aicore__ inline void printed_integer_as_float(Data&) {
    printf("%f\n", 3);  // <- here
}

__aicore__ inline void printed_negative_as_unsigned(Data&) {
    PRINTF("%u\n", -1);  // <- here
}

__aicore__ inline void printed_unknown_conversion(Data&) {
    printf("%e\n", 1.5f);  // <- here
}

__aicore__ inline void printed_without_argument(Data&) {
    printf("%d %d\n", 1);  // <- here
}

__aicore__ inline void printed_with_too_many(Data&) {
    printf("%d\n", 1, 2);  // <- here
}

__aicore__ inline void asserted(Data& d) {
    assert(d.count == 0);  // <- here
}

__aicore__ inline void asserted_with_words(Data& d) {
    ascendc_assert(d.count == 0, "count is %u, %s\n", d.count, "not 0");  // <- here
}

__aicore__ inline void dumped_beyond_the_tensor(Data& d) {
    Work work(d);
    DumpTensor(work.b, 1, 257);  // <- here
}

__aicore__ inline void printed_unsigned_as_float(Data&) {
    printf("%f\n", 3u);  // <- here
}

__aicore__ inline void dumped_from_l0a(Data&) {
    LocalTensor<half> tensor(TPosition::A2, 0, 16);
    DumpTensor(tensor, 1, 8);  // <- here
}

__aicore__ inline void raw_flag_never_set(Data&) {
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID3);  // <- here
}

__aicore__ inline void raw_copy_beyond_the_buffer(Data& d) {
    copy_gm_to_ubuf((__ubuf__ void*)196600, d.xAddress, 0, 1, 1, 0, 0);  // <- here
}

// ---- right ---------------------------------------------------------------------------------------------------------

__aicore__ inline void ok_registers(Data& d) {
    uint32_t version = 0;
    GetArchVersion(version);
    const int64_t before = GetSystemCycle();
    InitSocState();
    const int64_t after = GetSystemCycle();
    ICachePreLoad(2);
    PRELOAD(4);
    GlobalTensor<uint64_t> words;
    words.SetGlobalBuffer((__gm__ uint64_t*)d.xAddress);
    DataCachePreload(words, static_cast<int64_t>(0));
    SetCtrlSpr<48, 48>(1);
    SetSaturationFlag<SaturationMode::FLOAT>(false);
    MetricsProfStart();
    MetricsProfStop();
    TRACE_START(0x1);
    TRACE_STOP(0x1);
    PrintTimeStamp(65536);
    SetNextTaskStart();
    WaitPreTaskEnd();
    SetSyncBaseAddr(0);
    OOMCheckAddrRange((__gm__ float*)d.xAddress, 4);
    SetAtomicAdd<float>();
    SetAtomicType<half>();
    uint16_t type, op;
    GetStoreAtomicConfig(type, op);
    SetStoreAtomicConfig<AtomicDtype::ATOMIC_S32, AtomicOp::ATOMIC_SUM>();
    uint16_t other, sum;
    GetStoreAtomicConfig(other, sum);
    InitSocState();
    uint16_t none;
    GetStoreAtomicConfig(none, sum);
    AscendCUtils::SetOverflow(0);
    const bool saturates = GetSaturationFlag<SaturationMode::FLOAT>();
    AscendCUtils::SetOverflow(1);
    ASSERT(NotDeclared(d) == 0 && "looked at by nothing");
    const float values[] = {
        (float)(version == 0x220),
        (float)(after >= before),
        (float)(int32_t)GetICachePreloadStatus(),
        (float)(int32_t)GetCtrlSpr<48, 48>(),
        (float)GetSaturationFlag<SaturationMode::FLOAT>(),
        (float)(GetProgramCounter() != 0),
        (float)(int32_t)type,
        (float)(int32_t)op,
        (float)(int32_t)other,
        (float)(int32_t)none,
        (float)(int32_t)GetDataBlockSizeInBytes(),
        (float)saturates,
    };
    Answer(d, values, 12);
    AscendCUtils::SetOverflow(0);  // and nothing is computed behind it
}

__aicore__ inline void ok_fill(Data& d) {
    Fill(d.z, 7, 3.0f);
    Order<HardEvent::MTE3_V>();
    GlobalTensor<float> rest = d.z[7];
    InitGlobalMemory(rest, 100, -1.0f);
    Order<HardEvent::MTE3_V>();
    GlobalTensor<int32_t> words;
    words.SetGlobalBuffer((__gm__ int32_t*)d.zAddress, d.count);
    InitOutput<int32_t>(words[107], 50);
    InitOutput<int32_t>(words[157], d.count - 157);  // the same zeros again: nothing to wait for
}

// A chunk is what one Duplicate fills: the rest goes again.
__aicore__ inline void ok_fill_in_pieces(Data& d) {
    TBuf<TPosition::VECCALC> most;
    d.pipe->InitBuffer(most, 196608 - 64);
    GlobalTensor<half> words;
    words.SetGlobalBuffer((__gm__ half*)d.zAddress, 2 * d.count);
    Fill(words, 2 * d.count - 3, (half)2.0f);
}

// Cores one after the other, twice.
__aicore__ inline void ok_turns(Data& d) {
    Turns turns(d);
    InitDetermineComputeWorkspace(turns.gm, turns.ub);
    for (int round = 0; round < 2; ++round) {
        WaitPreBlock(turns.gm, turns.ub);
        __gm__ int32_t* z = (__gm__ int32_t*)d.zAddress;
        const int32_t last = ReadGmByPassDCache<int32_t>(z);
        WriteGmByPassDCache<int32_t>(z, last * 2 + static_cast<int32_t>(GetBlockIdx()));
        NotifyNextBlock(turns.gm, turns.ub);
    }
}

__aicore__ inline void ok_barriers(Data& d) {
    Work work(d);
    DataCopy(work.a, d.x, 256);
    DataSyncBarrier<MemDsbT::ALL>();
    Adds(work.b, work.a, 1.0f, 256);
    pipe_barrier(PIPE_V);
    pipe_barrier(PIPE_ALL);
    DataCopy(d.z, work.b, 256);
    DataSyncBarrier<MemDsbT::DDR>();
    DataSyncBarrier<MemDsbT::UB>();
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_UB>(work.a);
}

__aicore__ inline void ok_intrinsics(Data& d) {
    Work work(d);
    __ubuf__ float* a = (__ubuf__ float*)work.a.GetPhyAddr();
    __ubuf__ float* b = (__ubuf__ float*)work.b.GetPhyAddr();
    copy_gm_to_ubuf(a, d.xAddress, 0, 2, 4, 12, 0);  // 32 elements, 96 behind them not, 32 again
    copy_gm_to_ubuf_align_b32(a + 64, (__gm__ float*)d.xAddress + 1, 0, 1, 12, 0, 0, 0, 0);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
    copy_ubuf_to_ubuf(b, a, 0, 1, 9, 0, 0);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
    copy_ubuf_to_gm(d.zAddress, b, 0, 1, 8, 0, 0);
    copy_ubuf_to_gm_align_b32((__gm__ float*)d.zAddress + 64, b + 64, 0, 1, 12, 0, 0, 0, 0);
    dsb(mem_dsb_t::DSB_DDR);
    __gm__ float* z = (__gm__ float*)d.zAddress;
    d.z.SetValue(67, (float)(get_block_idx() + get_block_num() + get_subblockid() + get_subblockdim()));
    d.z.SetValue(68, (float)(int64_t)get_imm(96));
    dcci(z, cache_line_t::ENTIRE_DATA_CACHE, dcci_dst_t::CACHELINE_OUT);
    dcci(z, 0);
}

__aicore__ inline void ok_raw_masks(Data& d) {
    Work work(d);
    DataCopy(work.a, d.x, 256);
    Order<HardEvent::MTE2_V>();
    Duplicate(work.b, 7.0f, 256);
    set_mask_count();
    set_vector_mask(0, 70);
    Adds<float, false>(work.b, work.a, 1.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
    set_mask_norm();
    set_vector_mask(~0ULL, ~0ULL);
    Order<HardEvent::V_MTE3>();
    DataCopy(d.z, work.b, 256);
}

__aicore__ inline void Twice(float* value) { *value *= 2; }

__aicore__ inline void ok_async(Data& d) {
    float value = 3.0f;
    Async<EngineType::AIV, Twice>(&value);
    Async<EngineType::AIC, Twice>(&value);
    Answer(d, &value, 1);
}

__aicore__ inline void ok_printing(Data& d) {
    const half h = 0.5f;
    PrintTimeStamp(3);
    printf("%d %i %ld %u %x %f %f %s %% %p\n", -1, int8_t(2), int64_t(-3), uint16_t(4), 255, 1.5f, h, "text",
           (__gm__ float*)nullptr);
    PRINTF("plain %d\n", true);
    AscendC::printf("%5d|%08.3f|%lu\n", 42, 2.0f, uint64_t(7));
    Work work(d);
    DataCopy(work.a, d.x, 8);
    DumpTensor(work.a, 5, 4);
    uint32_t dims[] = {2, 3};
    DumpTensor(work.a, 6, 5, ShapeInfo(2, dims));
    DumpTensor(d.x, 7, 2);
    DumpTensor(work.a.ReinterpretCast<int32_t>(), 8, 1);
    DumpAccChkPoint(work.a, 9, 6, 4);
    DumpAccChkPoint(d.x, 10, 3, 1);
    DumpTensor(d.x, 11, 8, ShapeInfo(2, dims));
    TBuf<TPosition::VECCALC> large;
    d.pipe->InitBuffer(large, 32768);
    DumpTensor(large.Get<uint8_t>(), 12, 32768);
    ascendc_assert(d.count != 0, "never said %d", 1);
    assert(d.count != 0);
}

// clang-format off
#define CASES(CASE) \
    CASE(instructions_beyond_the_cache) \
    CASE(saturating_arithmetic) \
    CASE(saturation_flag) \
    CASE(saturation_by_the_library) \
    CASE(trapped) \
    CASE(fill_without_room) \
    CASE(fill_beyond_the_tensor) \
    CASE(fill_before_another_is_done) \
    CASE(turn_never_begun) \
    CASE(turn_passed_never_begun) \
    CASE(turn_without_room) \
    CASE(printed_float_as_integer) \
    CASE(printed_integer_as_float) \
    CASE(printed_negative_as_unsigned) \
    CASE(printed_unknown_conversion) \
    CASE(printed_without_argument) \
    CASE(printed_with_too_many) \
    CASE(asserted) \
    CASE(asserted_with_words) \
    CASE(dumped_beyond_the_tensor) \
    CASE(printed_unsigned_as_float) \
    CASE(dumped_from_l0a) \
    CASE(raw_flag_never_set) \
    CASE(raw_copy_beyond_the_buffer) \
    CASE(ok_registers) \
    CASE(ok_fill) \
    CASE(ok_fill_in_pieces) \
    CASE(ok_turns) \
    CASE(ok_barriers) \
    CASE(ok_intrinsics) \
    CASE(ok_raw_masks) \
    CASE(ok_async) \
    CASE(ok_printing)
// clang-format on

extern "C" __global__ __aicore__ void machine(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(MachineTiling, data, tiling);
    TPipe pipe;
    Data d{{}, {}, data.count, x, z, workspace, &pipe};
    d.x.SetGlobalBuffer((__gm__ float*)x, data.count);
    d.z.SetGlobalBuffer((__gm__ float*)z, data.count);
    uint64_t key = 0;
#define CASE(name)              \
    if (TILING_KEY_IS(key++)) { \
        name(d);                \
    }
    CASES(CASE)
#undef CASE
}
