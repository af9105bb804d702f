// Global memory by plain pointers: the tiling key chooses a case. x and z have 64 elements, the workspace 256. A case
// that breaks a rule marks the line with a comment "// <- here".
#include "kernel_operator.h"

using namespace AscendC;

struct Data {
    __gm__ int32_t* x;
    __gm__ int32_t* z;
    volatile __gm__ int32_t* signals;
    int32_t block;
};

struct Pair {
    int32_t first[16];
};

__aicore__ inline void WriteBack(volatile __gm__ int32_t* line) {
    GlobalTensor<int32_t> tensor;
    tensor.SetGlobalBuffer(const_cast<__gm__ int32_t*>(line), 16);
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(tensor);
}

// ---- wrong ---------------------------------------------------------------------------------------------------------

__aicore__ inline void behind_the_end(Data& d) {
    int32_t sum = 0;
    for (int i = 0; i <= 64; ++i) {
        sum += d.x[i];  // <- here
    }
    d.z[0] = sum;
}

__aicore__ inline void whose_memory(Data& d) {
    d.z[-512] = 7;  // <- here
}

__aicore__ inline void into_an_input(Data& d) {
    d.x[3] = 7;  // <- here
}

__aicore__ inline void struct_behind_the_end(Data& d) {
    __gm__ Pair* from = reinterpret_cast<__gm__ Pair*>(d.x);
    __gm__ Pair* to = reinterpret_cast<__gm__ Pair*>(d.z);
    to[4] = from[0];  // <- here
}

__aicore__ inline void two_cores_in_a_line(Data& d) {
    d.z[d.block] = 7;  // <- here
}

__aicore__ inline void copied_out_of_the_cache(Data& d) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 64);
    GlobalTensor<int32_t> line;
    line.SetGlobalBuffer(d.z, 16);
    d.z[5] = 7;
    DataCopy(buffer.Get<int32_t>(), line, 16);  // <- here
}

__aicore__ inline void waits_for_nobody(Data& d) {
    while (d.signals[16] == 0) {  // <- here
    }
}

// ---- right ---------------------------------------------------------------------------------------------------------

__aicore__ inline void ok_own_lines(Data& d) {
    for (int i = d.block * 16; i < d.block * 16 + 16; ++i) {
        d.z[i] = d.x[63 - i] + 1;
    }
}

__aicore__ inline void ok_structs(Data& d) {
    const Pair pair = reinterpret_cast<__gm__ Pair*>(d.x)[d.block];
    reinterpret_cast<__gm__ Pair*>(d.z)[d.block] = pair;
}

// The last block goes first.
__aicore__ inline void ok_turns(Data& d) {
    if (d.block < 3) {
        while (d.signals[(d.block + 1) * 16] == 0) {
        }
    }
    d.z[d.block * 16] = d.block < 3 ? d.signals[(d.block + 1) * 16] : 1;
    d.signals[d.block * 16] = d.z[d.block * 16] + 1;
    WriteBack(d.signals + d.block * 16);
    WriteBack(d.z + d.block * 16);
}

// The same, by transfers that another core's transfers answer.
__aicore__ inline void ok_turns_by_copies(Data& d) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 128);
    LocalTensor<int32_t> signal = buffer.GetWithOffset<int32_t>(16, 0);
    LocalTensor<int32_t> mine = buffer.GetWithOffset<int32_t>(16, 64);
    GlobalTensor<int32_t> signals, z;
    signals.SetGlobalBuffer(const_cast<__gm__ int32_t*>(d.signals), 64);
    z.SetGlobalBuffer(d.z, 64);
    int32_t before = 0;
    while (d.block < 3 && before == 0) {
        DataCopy(signal, signals[(d.block + 1) * 16], 16);
        Muls(mine, signal, 1, 16);  // what it does with them does not matter
        before = signal.GetValue(0);
    }
    Duplicate(mine, d.block < 3 ? before : 1, 16);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(z[d.block * 16], mine, 16);
    PipeBarrier<PIPE_ALL>();
    Adds(mine, mine, 1, 16);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(signals[d.block * 16], mine, 16);
}

// The same bytes more often than a core polls in vain, with something done between.
__aicore__ inline void ok_the_same_again(Data& d) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 64);
    LocalTensor<int32_t> part = buffer.Get<int32_t>();
    GlobalTensor<int32_t> x;
    x.SetGlobalBuffer(d.x, 64);
    for (int i = 0; i < 1100000; ++i) {
        DataCopy(part, x, 8);
        if (i % 500000 == 0) {
            part.SetValue(8, i);
        }
    }
    d.z[d.block * 16] = part.GetValue(8) + d.x[0];
}

// Global variables lie in global memory.
const __gm__ int32_t kTable[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__gm__ int32_t kept[8];

__aicore__ inline void ok_tables(Data& d) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 64);
    LocalTensor<int32_t> part = buffer.Get<int32_t>();
    GlobalTensor<int32_t> table, own, z;
    table.SetGlobalBuffer((__gm__ int32_t*)kTable, 8);
    own.SetGlobalBuffer(kept, 8);
    z.SetGlobalBuffer(d.z, 64);
    DataCopy(part, table, 8);
    PipeBarrier<PIPE_ALL>();
    DataCopy(own, part, 8);
    PipeBarrier<PIPE_ALL>();
    DataCopy(part[8], own, 8);
    PipeBarrier<PIPE_ALL>();
    DataCopy(z, part[8], 8);
    PipeBarrier<PIPE_ALL>();
    d.z[16] = table.GetValue(7) + kTable[3];
}

#define CASES(CASE)               \
    CASE(behind_the_end)          \
    CASE(whose_memory)            \
    CASE(into_an_input)           \
    CASE(struct_behind_the_end)   \
    CASE(two_cores_in_a_line)     \
    CASE(copied_out_of_the_cache) \
    CASE(waits_for_nobody)        \
    CASE(ok_own_lines)            \
    CASE(ok_structs)              \
    CASE(ok_turns)                \
    CASE(ok_turns_by_copies)      \
    CASE(ok_the_same_again)       \
    CASE(ok_tables)

extern "C" __global__ __aicore__ void raw(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    Data d{reinterpret_cast<__gm__ int32_t*>(x), reinterpret_cast<__gm__ int32_t*>(z),
           reinterpret_cast<volatile __gm__ int32_t*>(workspace), static_cast<int32_t>(GetBlockIdx())};
    int32_t key = 0;
#define CASE(name)              \
    if (TILING_KEY_IS(key++)) { \
        name(d);                \
    }
    CASES(CASE)
#undef CASE
}
