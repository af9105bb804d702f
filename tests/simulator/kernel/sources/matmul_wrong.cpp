// Calls of a Matmul object that break a rule, and right ones near them. The tiling key chooses; "// <- here" marks what
// is refused.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

struct WrongTiling {
    TCubeTiling cube;
};

using In = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using Product = Matmul<In, In, MatmulType<TPosition::GM, CubeFormat::ND, float>>;
using InUb = Matmul<In, In, MatmulType<TPosition::VECIN, CubeFormat::ND, float>>;

struct Data {
    GlobalTensor<half> a, b;
    GlobalTensor<float> z, workspace;
    TPipe* pipe;
    Product* mm;
    InUb* ub;
};

template <class Object>
__aicore__ inline Object& Ready(Data& d, Object* mm) {
    mm->SetTensorA(d.a);
    mm->SetTensorB(d.b);
    return *mm;
}

// All blocks into the workspace.
__aicore__ inline InUb& Cached(Data& d) {
    d.ub->SetWorkspace(d.workspace);
    Ready(d, d.ub).Iterate<false>();
    return *d.ub;
}

__aicore__ inline void partial_sum_of_many_blocks(Data& d) {
    d.mm->SetTail(17, 16, 16);
    Ready(d, d.mm).Iterate(true);  // <- here
}

__aicore__ inline void partial_sum_of_nothing(Data& d) {
    Ready(d, d.mm).Iterate(true);  // <- here
}

__aicore__ inline void asynchronous_without_room(Data& d) {
    Ready(d, d.ub).Iterate<false>();  // <- here
}

__aicore__ inline void cached_block_to_global_memory(Data& d) {
    Cached(d).GetTensorC(d.z);  // <- here
}

__aicore__ inline void atomic_in_the_unified_buffer(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    d.pipe->InitBuffer(buffer, 1024);
    Ready(d, d.ub).Iterate();
    d.ub->GetTensorC(buffer.Get<float>(), 1);  // <- here
}

__aicore__ inline void tensor_of_nine_floats(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    d.pipe->InitBuffer(buffer, 1024);
    Ready(d, d.ub).Iterate();
    d.ub->GetTensorC(buffer.Get<float>(9));  // <- here
}

__aicore__ inline void block_that_was_never_cached(Data& d) {
    Ready(d, d.ub);
    (void)d.ub->GetTensorC<false>();  // <- here
}

__aicore__ inline void block_behind_the_last(Data& d) {
    (void)Cached(d).GetTensorC<false>();
    (void)d.ub->GetTensorC<false>();  // <- here
}

__aicore__ inline void computed_again_without_a_tensor(Data& d) {
    Ready(d, d.mm).IterateAll(d.z);
    d.mm->IterateAll(d.z);  // <- here
}

__aicore__ inline void matrices_of_no_rows(Data& d) {
    d.mm->SetOrgShape(0, 16, 16);  // <- here
}

__aicore__ inline void waits_for_the_other_kind(Data& d) {
    CrossCoreWaitFlag(5);  // <- here
    d.mm->End();
}

__aicore__ inline void matrix_that_nobody_wrote(Data& d) {
    GlobalTensor<half> a;
    a.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(const_cast<__gm__ float*>(d.workspace.GetPhyAddr())));
    d.mm->SetTensorA(a);
    d.mm->SetTensorB(d.b);
    d.mm->IterateAll(d.z);  // <- here
}

__aicore__ inline void ok_partial_sum(Data& d) {
    Ready(d, d.mm).Iterate();
    Ready(d, d.mm).Iterate(true);
    d.mm->GetTensorC(d.z);
    d.mm->End();
}

__aicore__ inline void ok_last_cached_block(Data& d) {
    TBuf<TPosition::VECCALC> buffer;
    d.pipe->InitBuffer(buffer, 1024);
    DataCopy(buffer.Get<float>(), Cached(d).GetTensorC<false>(), 256);
    PipeBarrier<PIPE_ALL>();
    DataCopy(d.z, buffer.Get<float>(), 256);
    d.ub->End();
}

__aicore__ inline void ok_computed_again_with_a_tensor(Data& d) {
    Ready(d, d.mm).IterateAll(d.z);
    Ready(d, d.mm).IterateAll(d.z);
}

// clang-format off
#define CASES(CASE) \
    CASE(partial_sum_of_many_blocks) \
    CASE(partial_sum_of_nothing) \
    CASE(asynchronous_without_room) \
    CASE(cached_block_to_global_memory) \
    CASE(atomic_in_the_unified_buffer) \
    CASE(tensor_of_nine_floats) \
    CASE(block_that_was_never_cached) \
    CASE(block_behind_the_last) \
    CASE(computed_again_without_a_tensor) \
    CASE(matrices_of_no_rows) \
    CASE(matrix_that_nobody_wrote) \
    CASE(waits_for_the_other_kind) \
    CASE(ok_partial_sum) \
    CASE(ok_last_cached_block) \
    CASE(ok_computed_again_with_a_tensor)
// clang-format on

extern "C" __global__ __aicore__ void matmul_wrong(GM_ADDR a, GM_ADDR b, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    REGISTER_TILING_DEFAULT(WrongTiling);
    GET_TILING_DATA(t, tiling);
    TPipe pipe;
    Product mm;
    InUb ub;
    if (TILING_KEY_IS(100)) {
        REGIST_MATMUL_OBJ(&pipe, nullptr, mm, &t.cube);  // <- no_workspace
        return;
    }
    if (TILING_KEY_IS(102)) {
        using Nibbles = MatmulType<TPosition::GM, CubeFormat::ND, int4b_t>;
        Matmul<Nibbles, Nibbles, MatmulType<TPosition::GM, CubeFormat::ND, half>> four;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), four, &t.cube);  // <- four_bits
        return;
    }
    if (TILING_KEY_IS(101)) {
        {
            REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t.cube);
        }
        CrossCoreSetFlag<1, PIPE_MTE3>(3);  // both AIVs have left, and the AIC behind them
        CrossCoreWaitFlag<1>(3);
        mm.SetTensorA(GlobalTensor<half>());
        mm.SetTensorB(GlobalTensor<half>());
        mm.IterateAll(GlobalTensor<float>());  // <- left
        return;
    }
    Data d{{}, {}, {}, {}, &pipe, &mm, &ub};
    d.a.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a));
    d.b.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b));
    d.z.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z));
    d.workspace.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(GetUserWorkspace(workspace)));
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t.cube, ub, &t.cube);
    if (GetBlockIdx() != 0) {
        return;
    }
    uint64_t key = 0;
#define CASE(name)              \
    if (TILING_KEY_IS(key++)) { \
        name(d);                \
    }
    CASES(CASE)
#undef CASE
}
