// Matmul objects whose operands lie elsewhere than in global memory, or that functions of the kernel fetch and carry
// away. The tiling key chooses.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

struct MoreTiling {
    TCubeTiling cube;
    int32_t choice;
};

template <typename T, bool transposed = false, CubeFormat format = CubeFormat::ND>
using Gm = MatmulType<TPosition::GM, format, T, transposed>;
template <typename T, CubeFormat format = CubeFormat::ND, bool transposed = false, TPosition at = TPosition::VECOUT>
using InUb = MatmulType<at, format, T, transposed>;
template <typename T, bool transposed = false>
using InL1 = MatmulType<TPosition::TSCM, CubeFormat::NZ, T, transposed>;

template <typename T>
__aicore__ inline GlobalTensor<T> At(GM_ADDR address, uint64_t offset = 0) {
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address) + offset);
    return tensor;
}

__aicore__ inline uint16_t Fractals(int length) { return static_cast<uint16_t>((length + 15) / 16 * 16); }

// Rows of a matrix with `pitch` elements a row, as fractals.
template <typename T>
__aicore__ inline void Fetch(const LocalTensor<T>& to, const GlobalTensor<T>& from, int rows, int columns, int pitch) {
    DataCopy(to, from,
             Nd2NzParams(1, static_cast<uint16_t>(rows), static_cast<uint16_t>(columns), 0,
                         static_cast<uint16_t>(pitch), Fractals(rows), 1, 0));
}

// The matrices lie behind an offset that SetSelfDefineData gives; the tiling data says how.
__aicore__ inline void FetchA(const LocalTensor<int8_t>& a1, const __gm__ void* gm, int row, int col, int useM,
                              int useK, const uint64_t tilingPtr, const uint64_t dataPtr) {
    const TCubeTiling& t = *reinterpret_cast<const TCubeTiling*>(tilingPtr);
    const uint64_t at = dataPtr + static_cast<uint64_t>(row * t.baseM) * t.Ka + static_cast<uint64_t>(col * t.baseK);
    Fetch(a1.ReinterpretCast<half>(), At<half>(reinterpret_cast<GM_ADDR>(const_cast<void*>(gm)), at), useM, useK, t.Ka);
}

// B as [N, K].
__aicore__ inline void FetchB(const LocalTensor<int8_t>& b1, const __gm__ void* gm, int row, int col, int useK,
                              int useN, const uint64_t tilingPtr, const uint64_t dataPtr) {
    const TCubeTiling& t = *reinterpret_cast<const TCubeTiling*>(tilingPtr);
    const uint64_t at = dataPtr + static_cast<uint64_t>(col * t.baseN) * t.Kb + static_cast<uint64_t>(row * t.baseK);
    Fetch(b1.ReinterpretCast<half>(), At<half>(reinterpret_cast<GM_ADDR>(const_cast<void*>(gm)), at), useN, useK, t.Kb);
}

__aicore__ inline void FetchNothing(const LocalTensor<int8_t>&, const __gm__ void*, int, int, int, int, const uint64_t,
                                    const uint64_t) {}

// Relu on the way out, as half.
__aicore__ inline void CarryOut(const __gm__ void* gm, const LocalTensor<int8_t>& co1, const void* params,
                                const uint64_t, const uint64_t dataPtr) {
    const DataCopyOutParams& p = *reinterpret_cast<const DataCopyOutParams*>(params);
    FixpipeParamsV220 f;
    f.nSize = p.oriNSize;
    f.mSize = static_cast<uint16_t>(p.burstLen * 32 / 64);
    f.srcStride = Fractals(f.mSize);
    f.dstStride = p.dstStride;
    f.reluEn = dataPtr != 0;
    Fixpipe(At<float>(reinterpret_cast<GM_ADDR>(const_cast<void*>(gm))), co1.ReinterpretCast<float>(), f);
}

template <class Object>
__aicore__ inline void Called(Object& mm, const MoreTiling& t, GM_ADDR a, GM_ADDR b, GM_ADDR z) {
    mm.SetUserDefInfo(reinterpret_cast<uint64_t>(&t.cube));
    mm.SetSelfDefineData(static_cast<uint64_t>(t.choice));
    mm.SetTensorA(At<half>(a));
    mm.SetTensorB(At<half>(b), true);
    mm.IterateAll(At<float>(z));  // <- called
    mm.End();
}

// What lies in GM, in a buffer of the vector unit.
template <typename T>
__aicore__ inline LocalTensor<T> Given(TBuf<TPosition::VECOUT>& buffer, GM_ADDR from, int32_t count) {
    LocalTensor<T> tensor = buffer.Get<T>();
    DataCopy(tensor, At<T>(from), (count * sizeof(T) + 31) / 32 * 32 / sizeof(T));
    const TEventID id = GetTPipePtr()->FetchEventID(HardEvent::MTE2_V);
    SetFlag<HardEvent::MTE2_V>(id);
    WaitFlag<HardEvent::MTE2_V>(id);
    const TEventID out = GetTPipePtr()->FetchEventID(HardEvent::MTE2_MTE3);
    SetFlag<HardEvent::MTE2_MTE3>(out);
    WaitFlag<HardEvent::MTE2_MTE3>(out);
    return tensor;
}

template <typename T, CubeFormat format>
__aicore__ inline void FromUb(const MoreTiling& t, GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR z, TPipe* pipe) {
    constexpr bool anywhere = format == CubeFormat::NZ;  // in the unified buffer
    Matmul<InUb<T, format, false, anywhere ? TPosition::VECCALC : TPosition::VECOUT>,
           InUb<T, format, true, anywhere ? TPosition::VECIN : TPosition::VECOUT>, Gm<float>, InUb<float>>
        mm;
    REGIST_MATMUL_OBJ(pipe, GetSysWorkSpacePtr(), mm, &t.cube);
    if (GetBlockIdx() != 0) {
        return;
    }
    const int32_t m = t.cube.singleCoreM, n = t.cube.singleCoreN, k = t.cube.singleCoreK;
    const bool plain = format == CubeFormat::ND;
    const int32_t ofA = plain ? m * k : Fractals(m) * Fractals(k), ofB = plain ? n * k : Fractals(n) * Fractals(k);
    TBuf<TPosition::VECOUT> inA, inB, inBias;
    pipe->InitBuffer(inA, ofA * sizeof(T) + (t.choice == 1 ? 32 : 0));
    pipe->InitBuffer(inB, t.choice == 2 ? 32 : ofB * sizeof(T));
    pipe->InitBuffer(inBias, n * sizeof(float));
    LocalTensor<T> left = Given<T>(inA, a, t.choice == 3 ? 16 : ofA);
    left.SetSize(t.choice == 1 ? 8 : left.GetSize());
    mm.SetTensorA(left);  // <- left
    mm.SetTensorB(Given<T>(inB, b, t.choice == 2 ? 16 : ofB), true);
    if (t.cube.isBias != 0) {
        mm.SetBias(Given<float>(inBias, bias, n));
    }
    mm.IterateAll(At<float>(z));  // <- from ub
    mm.End();
}

template <bool transposed>
__aicore__ inline void FromL1(const MoreTiling& t, GM_ADDR a, GM_ADDR b, GM_ADDR z, TPipe* pipe) {
    MatmulImpl<InL1<half, transposed>, InL1<half, transposed>, Gm<float>> mm;
    REGIST_MATMUL_OBJ(pipe, GetSysWorkSpacePtr(), mm, &t.cube);
    const int32_t m = t.cube.singleCoreM, n = t.cube.singleCoreN, k = t.cube.singleCoreK;
    TSCM<TPosition::GM, 1> inA, inB;
    pipe->InitBuffer(inA, 1, Fractals(m) * Fractals(k) * sizeof(half));
    pipe->InitBuffer(inB, 1, Fractals(n) * Fractals(k) * sizeof(half));
    LocalTensor<half> left = inA.AllocTensor<half>(), right = inB.AllocTensor<half>();
    Fetch(left, At<half>(a), transposed ? k : m, transposed ? m : k, transposed ? m : k);
    Fetch(right, At<half>(b), transposed ? n : k, transposed ? k : n, transposed ? k : n);
    if (t.choice == 0) {
        inA.EnQue(left);
        inB.EnQue(right);
        left = inA.DeQue<half>();
        right = inB.DeQue<half>();
    }
    mm.SetTensorA(left, transposed);
    mm.SetTensorB(right, transposed);
    mm.IterateAll(At<float>(z));  // <- from l1
    mm.End();
    inA.FreeTensor(left);
    inB.FreeTensor(right);
}

// A by way of global memory, B by way of the unified buffer, into the vector core's part of L1.
__aicore__ inline void ThroughTscm(const MoreTiling& t, GM_ADDR a, GM_ADDR b, GM_ADDR z, TPipe* pipe) {
    using Tscm = MatmulType<TPosition::TSCM, CubeFormat::NZ, half>;
    Matmul<Tscm, MatmulType<TPosition::TSCM, CubeFormat::NZ, half, true>, Gm<float>> mm;
    REGIST_MATMUL_OBJ(pipe, GetSysWorkSpacePtr(), mm, &t.cube);
    const int32_t core = static_cast<int32_t>(GetBlockIdx());
    const int32_t m = t.cube.singleCoreM, n = t.cube.singleCoreN, k = t.cube.singleCoreK;
    const int32_t row = core * m, ofB = Fractals(n) * Fractals(k);
    if (row >= t.cube.M) {
        return;
    }
    TSCM<TPosition::GM, 1> inA;
    TSCM<TPosition::VECIN, 1> inB;
    TQue<TPosition::VECIN, 1> queue;
    pipe->InitBuffer(inA, 1, Fractals(m) * Fractals(k) * sizeof(half));
    pipe->InitBuffer(inB, 1, ofB * sizeof(half));
    pipe->InitBuffer(queue, 1, ofB * sizeof(half));
    LocalTensor<half> left = inA.AllocTensor<half>(), right = inB.AllocTensor<half>(), ub = queue.AllocTensor<half>();
    if (t.choice != 1) {
        Fetch(left, At<half>(a, row * k), m, k, k);
    }
    inA.EnQue(left);
    left = inA.DeQue<half>();
    DataCopy(ub, At<half>(b), ofB);
    const TEventID id = GetTPipePtr()->FetchEventID(HardEvent::MTE2_MTE3);
    SetFlag<HardEvent::MTE2_MTE3>(id);
    WaitFlag<HardEvent::MTE2_MTE3>(id);
    DataCopy(right, ub, ofB);
    inB.EnQue(right);
    right = inB.DeQue<half>();
    if (t.choice == 2) {
        DataCopy(At<half>(z), left, 16);  // <- out of tscm
    }
    mm.SetTensorA(left);
    mm.SetTensorB(right, true);
    mm.IterateAll(At<float>(z, row * n));  // <- tscm
    mm.End();
    inA.FreeTensor(left);
    inB.FreeTensor(right);
    queue.FreeTensor(ub);
}

static_assert(AscendC::Align(33, 16) == 48 && AscendC::Align(33, 0) == 0);

// With one of both shared there is a template for that.
template <bool sharedA>
constexpr MatmulConfig kShared = sharedA ? CFG_NORM : GetIBShareNormConfig();
template <bool shared>
using Shared = MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::NONE, shared>;

// Both vector cores multiply their rows with one B; with A shared as well, one product serves both.
template <bool sharedA>
__aicore__ inline void Share(const MoreTiling& t, GM_ADDR a, GM_ADDR b, GM_ADDR z, TPipe* pipe) {
    Matmul<Shared<sharedA>, Shared<true>, Gm<float>, Gm<float>, kShared<sharedA>> mm;
    REGIST_MATMUL_OBJ(pipe, GetSysWorkSpacePtr(), mm, &t.cube);
    const int32_t core = static_cast<int32_t>(GetBlockIdx()) % 2;
    const int32_t row = sharedA ? 0 : core * t.cube.singleCoreM;
    const bool none = row >= t.cube.M;
    if (t.choice == 2 && core == 1) {
        return;
    }
    mm.SetTail(none || row + t.cube.singleCoreM <= t.cube.M ? t.cube.singleCoreM : t.cube.M - row);
    mm.SetTensorA(At<half>(a, none ? 0 : static_cast<uint64_t>(row) * t.cube.Ka));
    mm.SetTensorB(At<half>(b, t.choice == 1 ? core * 16 : 0));
    const uint64_t to = none ? 0 : static_cast<uint64_t>(row) * t.cube.N;
    mm.IterateAll(At<float>(z, to), sharedA ? 1 : 0, false, false, none);  // <- shared
    mm.End();
}

constexpr MatmulConfig Outer() {
    MatmulConfig config = CFG_MDL;
    config.scheduleType = ScheduleType::OUTER_PRODUCT;
    return config;
}
constexpr MatmulConfig kOuter = Outer();
using NoCallBacks = MatmulCallBackFunc<>;

template <class Object>
__aicore__ inline void Whole(Object& mm, const MoreTiling& t, GM_ADDR a, GM_ADDR b, GM_ADDR z, TPipe* pipe) {
    REGIST_MATMUL_OBJ(pipe, GetSysWorkSpacePtr(), mm, &t.cube);  // <- whole
    mm.SetTensorA(At<half>(a));
    mm.SetTensorB(At<half>(b), true);
    if (t.choice == 0) {
        mm.IterateAll(At<float>(z));
    } else {
        while (mm.Iterate()) {
            mm.GetTensorC(At<float>(z));
        }
    }
    mm.End();
}

// Every block into L0C, one behind the other, twice where choice says so; Fixpipe carries them out.
__aicore__ inline void IntoL0c(const MoreTiling& t, GM_ADDR a, GM_ADDR b, GM_ADDR z, TPipe* pipe) {
    using Sum = GetMmDstType<half>::Type;
    MatmulImpl<Gm<half>, Gm<half, true>, MatmulType<TPosition::CO1, CubeFormat::NZ, Sum>> mm;
    mm.Init(&t.cube, pipe);  // without REGIST_MATMUL_OBJ, as kernels for cube cores alone may
    const int32_t m = t.cube.singleCoreM, n = t.cube.singleCoreN;
    const int32_t blocks = (n + t.cube.baseN - 1) / t.cube.baseN;
    TQue<TPosition::CO1, 1> queue;
    pipe->InitBuffer(queue, 1, blocks * Fractals(m) * t.cube.baseN * sizeof(Sum));
    LocalTensor<Sum> c = queue.AllocTensor<Sum>();
    mm.SetTensorA(At<half>(a));
    mm.SetTensorB(At<half>(b), true);
    for (int32_t i = 0; i < blocks; ++i) {
        mm.Iterate(t.choice == 2, c[i * Fractals(m) * t.cube.baseN]);  // <- into l0c
    }
    if (t.choice == 1) {
        mm.SetTensorA(At<half>(a));
        mm.SetTensorB(At<half>(b), true);
        mm.Iterate(true, c);
    }
    queue.EnQue(c);
    c = queue.DeQue<Sum>();
    FixpipeParamsV220 f;
    f.nSize = static_cast<uint16_t>(n);
    f.mSize = static_cast<uint16_t>(m);
    f.srcStride = Fractals(m);
    f.dstStride = static_cast<uint32_t>(n);
    Fixpipe(At<float>(z), c, f);
    queue.FreeTensor(c);
    mm.End();
}

extern "C" __global__ __aicore__ void matmul_more(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR z, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    KERNEL_TASK_TYPE(2, KERNEL_TYPE_AIC_ONLY);
    KERNEL_TASK_TYPE(6, KERNEL_TYPE_AIC_ONLY);
    KERNEL_TASK_TYPE(7, KERNEL_TYPE_AIC_ONLY);
    KERNEL_TASK_TYPE(9, KERNEL_TYPE_AIC_ONLY);
    KERNEL_TASK_TYPE(14, KERNEL_TYPE_AIC_ONLY);
    KERNEL_TASK_TYPE(15, KERNEL_TYPE_AIC_ONLY);
    KERNEL_TASK_TYPE(16, KERNEL_TYPE_AIC_ONLY);
    KERNEL_TASK_TYPE(17, KERNEL_TYPE_AIC_ONLY);
    KERNEL_TASK_TYPE(18, KERNEL_TYPE_AIC_ONLY);
    REGISTER_TILING_DEFAULT(MoreTiling);
    GET_TILING_DATA(t, tiling);
    TPipe pipe;
    if (TILING_KEY_IS(1)) {
        Matmul<Gm<half>, Gm<half, true>, Gm<float>, Gm<float>, CFG_NORM, MatmulCallBackFunc<nullptr, FetchA, FetchB>>
            mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t.cube);
        if (GetBlockIdx() == 0) {
            Called(mm, t, a, b, z);
        }
    } else if (TILING_KEY_IS(2)) {
        MatmulImpl<Gm<half>, Gm<half, true>, Gm<float>, Gm<float>, CFG_MDL, MatmulCallBackFunc<nullptr, FetchA, FetchB>>
            mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t.cube);
        Called(mm, t, a, b, z);
    } else if (TILING_KEY_IS(3)) {
        Matmul<Gm<half>, Gm<half, true>, Gm<float>, Gm<float>, CFG_NORM, MatmulCallBackFunc<CarryOut>> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t.cube);
        if (GetBlockIdx() == 0) {
            Called(mm, t, a, b, z);
        }
    } else if (TILING_KEY_IS(4)) {
        FromUb<half, CubeFormat::ND>(t, a, b, bias, z, &pipe);
    } else if (TILING_KEY_IS(5)) {
        FromUb<half, CubeFormat::NZ>(t, a, b, bias, z, &pipe);
    } else if (TILING_KEY_IS(6)) {
        FromL1<false>(t, a, b, z, &pipe);
    } else if (TILING_KEY_IS(7)) {
        FromL1<true>(t, a, b, z, &pipe);
    } else if (TILING_KEY_IS(8)) {
        Matmul<Gm<half>, Gm<half, true>, Gm<float>> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t.cube);
        if (GetBlockIdx() == 0) {
            mm.SetTensorA(static_cast<half>(t.choice * 0.5f));
            mm.SetTensorB(At<half>(b), true);
            mm.IterateAll(At<float>(z));
            mm.End();
        }
    } else if (TILING_KEY_IS(9)) {
        MatmulImpl<Gm<float>, Gm<float, true>, Gm<float>> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t.cube);
        mm.SetHF32(t.choice >= 0, t.choice < 0 ? 0 : t.choice);  // <- hf32
        mm.SetTensorA(At<float>(a));
        mm.SetTensorB(At<float>(b), true);
        mm.IterateAll(At<float>(z));
        mm.End();
    } else if (TILING_KEY_IS(10)) {
        Share<false>(t, a, b, z, &pipe);
    } else if (TILING_KEY_IS(11)) {
        Share<true>(t, a, b, z, &pipe);
    } else if (TILING_KEY_IS(12)) {
        // rows of C filled up to blocks of 32 bytes, in global memory and in the unified buffer
        Matmul<Gm<half, false, CubeFormat::VECTOR>, Gm<half, true>, Gm<half, false, CubeFormat::ND_ALIGN>> mm;
        Matmul<Gm<half>, Gm<half, true>, MatmulType<TPosition::VECIN, CubeFormat::ND_ALIGN, half>> inUb;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t.cube, inUb, &t.cube);
        if (GetBlockIdx() == 0 && t.choice == 0) {
            mm.SetTensorA(At<half>(a));
            mm.SetTensorB(At<half>(b), true);
            mm.IterateAll(At<half>(z));  // <- vector
            mm.End();
        } else if (GetBlockIdx() == 0) {
            TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
            const int32_t wide = Fractals(t.cube.singleCoreN), count = t.cube.singleCoreM * wide;
            pipe.InitBuffer(queue, 1, count * sizeof(half));
            LocalTensor<half> c = queue.AllocTensor<half>();
            inUb.SetTensorA(At<half>(a));
            inUb.SetTensorB(At<half>(b), true);
            while (inUb.Iterate()) {
                inUb.GetTensorC(c, 0, true);
            }
            inUb.End();
            queue.EnQue(c);
            c = queue.DeQue<half>();
            DataCopyPad(At<half>(z), c,
                        DataCopyExtParams(static_cast<uint16_t>(t.cube.singleCoreM), t.cube.singleCoreN * sizeof(half),
                                          0, (wide - t.cube.singleCoreN) * sizeof(half), 0));
            queue.FreeTensor(c);
        }
    } else if (TILING_KEY_IS(13)) {
        Matmul<Gm<half>, Gm<half, true>, Gm<float>, Gm<float>, CFG_NORM,
               MatmulCallBackFunc<nullptr, FetchA, FetchNothing>>
            mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t.cube);
        if (GetBlockIdx() == 0) {
            Called(mm, t, a, b, z);
        }
    } else if (TILING_KEY_IS(14)) {
        IntoL0c(t, a, b, z, &pipe);
    } else if (TILING_KEY_IS(15)) {
        MatmulImpl<Gm<half>, Gm<half, true>, Gm<float>, Gm<float>, CFG_NORM, NoCallBacks,
                   Impl::Detail::TrianUpperMatmulPolicy>
            mm;
        Whole(mm, t, a, b, z, &pipe);
    } else if (TILING_KEY_IS(16)) {
        MatmulImpl<Gm<half>, Gm<half, true>, Gm<float>, Gm<float>, CFG_MDL, NoCallBacks,
                   Impl::Detail::TrianLowerMatmulPolicy>
            mm;
        Whole(mm, t, a, b, z, &pipe);
    } else if (TILING_KEY_IS(17)) {
        MatmulImpl<Gm<half>, Gm<half, true>, Gm<float>, Gm<float>, CFG_MDL, NoCallBacks,
                   Impl::Detail::NBuffer33MatmulPolicy>
            mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t.cube);  // <- nbuffer
        mm.SetTensorA(At<half>(a));
        mm.SetTensorB(At<half>(b), true);
        mm.IterateAll(At<float>(z));
        mm.End();
    } else if (TILING_KEY_IS(19)) {
        ThroughTscm(t, a, b, z, &pipe);
    } else if (TILING_KEY_IS(18)) {
        MatmulImpl<Gm<half>, Gm<half, true>, Gm<float>, Gm<float>, kOuter> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t.cube);
        mm.SetTensorA(At<half>(a));
        mm.SetTensorB(At<half>(b), true);
        mm.IterateAll(At<float>(z));
        mm.End();
    }
}
