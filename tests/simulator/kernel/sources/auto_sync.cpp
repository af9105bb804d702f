// Kernels that the compiler's automatic synchronisation makes right, and what they need without it.
#include "kernel_operator.h"

using namespace AscendC;

struct Data {
    TPipe* pipe;
    GlobalTensor<float> x, z;
    LocalTensor<float> a, b;
};

__aicore__ inline void vector_needs_vector(Data& d) {
    Duplicate(d.a, 1.0f, 64);  // <- there
    Adds(d.b, d.a, 1.0f, 64);  // <- here
}

__aicore__ inline void vector_overwrites_vector(Data& d) {
    Duplicate(d.a, 1.0f, 64);  // <- there
    Duplicate(d.a, 2.0f, 64);  // <- here
}

__aicore__ inline void scalar_needs_vector(Data& d) {
    Duplicate(d.a, 1.0f, 64);          // <- there
    d.b.SetValue(0, d.a.GetValue(3));  // <- here
}

__aicore__ inline void scalar_overwrites_what_vector_reads(Data& d) {
    Adds(d.b, d.a, 1.0f, 64);  // <- there
    d.a.SetValue(0, 1.0f);     // <- here
}

__aicore__ inline void vector_needs_scalar(Data& d) {
    d.a.SetValue(0, 1.0f);    // <- there
    Adds(d.b, d.a, 1.0f, 8);  // <- here
}

__aicore__ inline void transfer_needs_scalar(Data& d) {
    d.a.SetValue(0, 1.0f);                                    // <- there
    DataCopyPad(d.z, d.a, DataCopyExtParams(1, 4, 0, 0, 0));  // <- here
}

__aicore__ inline void scalar_needs_transfer(Data& d) {
    DataCopy(d.a, d.x, 64);            // <- there
    d.b.SetValue(0, d.a.GetValue(3));  // <- here
}

__aicore__ inline void scalar_reads_what_was_stored(Data& d) {
    Duplicate(d.a, 1.0f, 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(d.z, d.a, 64);            // <- there
    d.b.SetValue(0, d.z.GetValue(3));  // <- here
}

__aicore__ inline void ok_barriers(Data& d) {
    Duplicate(d.a, 1.0f, 64);
    PipeBarrier<PIPE_V>();
    Adds(d.b, d.a, 1.0f, 64);
    SetFlag<HardEvent::V_S>(0);
    WaitFlag<HardEvent::V_S>(0);
    d.b.SetValue(0, d.b.GetValue(3));
    SetFlag<HardEvent::S_V>(0);
    WaitFlag<HardEvent::S_V>(0);
    Adds(d.a, d.b, 1.0f, 64);
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    DataCopy(d.z, d.a, 64);
}

__aicore__ inline void ok_repeats_of_one_instruction(Data& d) {
    Duplicate(d.a, 1.0f, 256);
    PipeBarrier<PIPE_V>();
    Adds(d.a, d.a, 1.0f, 64, 4, {1, 1, 8, 8});
    PipeBarrier<PIPE_V>();
    Adds(d.b, d.a, 1.0f, 5, 8, {1, 1, 1, 1});
}

#define CASES(CASE)                           \
    CASE(vector_needs_vector)                 \
    CASE(vector_overwrites_vector)            \
    CASE(scalar_needs_vector)                 \
    CASE(scalar_overwrites_what_vector_reads) \
    CASE(vector_needs_scalar)                 \
    CASE(transfer_needs_scalar)               \
    CASE(scalar_needs_transfer)               \
    CASE(scalar_reads_what_was_stored)        \
    CASE(ok_barriers)                         \
    CASE(ok_repeats_of_one_instruction)

extern "C" __global__ __aicore__ void auto_sync(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    TPipe pipe;
    Data d;
    d.pipe = &pipe;
    d.x.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), 256);
    d.z.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z), 256);
    TBuf<TPosition::VECCALC> first, second;
    pipe.InitBuffer(first, 1024);
    pipe.InitBuffer(second, 1024);
    d.a = first.Get<float>();
    d.b = second.Get<float>();
    uint64_t key = 0;
#define RUN(name)             \
    if (TILING_KEY_IS(key)) { \
        name(d);              \
    }                         \
    ++key;
    CASES(RUN)
}
