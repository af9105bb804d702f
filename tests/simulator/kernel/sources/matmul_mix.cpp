// Products on the cube cores with an epilogue on the vector cores, by the patterns of public kernels. The tiling key
// chooses. A line whose number a message says is marked.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

struct MixTiling {
    TCubeTiling cube;
    int32_t m, n, k;     // of the problem
    int32_t tailK;       // SetSingleShape's K
    int32_t transposed;  // 1: A, 2: B
};

#ifndef PRODUCT_TYPE
#define PRODUCT_TYPE half
#endif
#ifndef TRANSPOSABLE
#define TRANSPOSABLE true
#endif
#ifndef BLOCK_TYPE
#define BLOCK_TYPE KERNEL_TYPE_MIX_AIC_1_2
#endif
using T = PRODUCT_TYPE;
constexpr MatmulConfig kLongAxes = GetNormalConfig(true);
using AType = MatmulType<TPosition::GM, CubeFormat::ND, T, TRANSPOSABLE>;
using Product = Matmul<AType, AType, MatmulType<TPosition::GM, CubeFormat::ND, float>>;
using InUb =
    Matmul<MatmulType<TPosition::GM, CubeFormat::ND, T>, MatmulType<TPosition::GM, CubeFormat::ND, T>,
           MatmulType<TPosition::VECIN, CubeFormat::ND, float>, MatmulType<TPosition::GM, CubeFormat::ND, float>>;
using LongAxes = matmul::Matmul<AType, AType, MatmulType<TPosition::GM, CubeFormat::ND, float>,
                                MatmulType<TPosition::GM, CubeFormat::ND, float>, kLongAxes>;

__aicore__ inline int32_t CeilDiv(int32_t a, int32_t b) { return (a + b - 1) / b; }
__aicore__ inline int32_t Least(int32_t a, int32_t b) { return a < b ? a : b; }

struct Data {
    const MixTiling& tiling;
    GlobalTensor<T> a, b, c;
    GlobalTensor<float> bias, z, workspace;
    TPipe* pipe;

    __aicore__ inline bool TransposeA() const { return (tiling.transposed & 1) != 0; }
    __aicore__ inline bool TransposeB() const { return (tiling.transposed & 2) != 0; }
    __aicore__ inline GlobalTensor<T> RowsOfA(int32_t row) {
        return a[TransposeA() ? row : static_cast<uint64_t>(row) * tiling.k];
    }
    __aicore__ inline GlobalTensor<T> ColumnsOf(GlobalTensor<T>& matrix, int32_t column) {
        return matrix[TransposeB() ? static_cast<uint64_t>(column) * tiling.k : column];
    }
};

// z = (a @ b) * (a @ c), two slots of two tiles for each vector core: the tile in one slot is computed while the one in
// the other is multiplied.
template <class Object>
__aicore__ inline void Gated(Data& d, Object& mm, int broken = 0) {
    const MixTiling& t = d.tiling;
    const int32_t baseM = t.cube.baseM, baseN = t.cube.baseN, size = baseM * baseN;
    const int32_t ofN = CeilDiv(t.n, baseN), tiles = CeilDiv(t.m, baseM) * ofN;
    const int32_t cores = t.cube.usedCoreNum, each = CeilDiv(tiles, cores);
    const int32_t core = static_cast<int32_t>(GetBlockIdx());
    const int32_t first = core * each, last = Least(first + each, tiles);
    if (core >= cores || first >= last) {
        mm.End();
        return;
    }
    GlobalTensor<float> slots = d.workspace[static_cast<uint64_t>(core) * 4 * size];
    TQue<TPosition::VECIN, 2> in;
    TQue<TPosition::VECOUT, 1> out;
    d.pipe->InitBuffer(in, 2, 4 * 2048);
    d.pipe->InitBuffer(out, 1, 4 * 2048);

    const auto post = [&](int32_t tile) {
        const int32_t row = tile / ofN * baseM, column = tile % ofN * baseN;
        GlobalTensor<float> gate = slots[static_cast<uint64_t>(tile % 2) * 2 * size], up = gate[size];
        mm.SetSingleShape(Least(baseM, t.m - row), Least(baseN, t.n - column), t.tailK);
        mm.SetTensorA(d.RowsOfA(row), d.TransposeA());
        mm.SetTensorB(d.ColumnsOf(d.b, column), d.TransposeB());
        mm.template IterateAll<false>(gate, 0, true, false);
        mm.SetTensorB(d.ColumnsOf(d.c, column), d.TransposeB());
        mm.template IterateAll<false>(up, 0, true, broken != 2);
    };
    post(first);
    for (int32_t tile = first; tile < last; ++tile) {
        if (broken != 1) {
            mm.WaitIterateAll();  // <- wait
        }
        if (tile + 1 < last) {
            post(tile + 1);
        }
        const int32_t row = tile / ofN * baseM, column = tile % ofN * baseN;
        const int32_t rows = Least(baseM, t.m - row), columns = Least(baseN, t.n - column);
        GlobalTensor<float> gate = slots[static_cast<uint64_t>(tile % 2) * 2 * size], up = gate[size];
        for (int32_t i = 0; i < rows; ++i) {
            const DataCopyExtParams line(1, columns * sizeof(float), 0, 0, 0);
            const DataCopyPadExtParams<float> pad(false, 0, 0, 0);
            LocalTensor<float> x = in.AllocTensor<float>();
            DataCopyPad(x, gate[i * columns], line, pad);
            in.EnQue(x);
            LocalTensor<float> y = in.AllocTensor<float>();
            DataCopyPad(y, up[i * columns], line, pad);
            in.EnQue(y);
            x = in.DeQue<float>();
            y = in.DeQue<float>();
            LocalTensor<float> z = out.AllocTensor<float>();
            Mul(z, x, y, columns);
            in.FreeTensor(x);
            in.FreeTensor(y);
            out.EnQue(z);
            z = out.DeQue<float>();
            DataCopyPad(d.z[static_cast<uint64_t>(row + i) * t.n + column], z, line);
            out.FreeTensor(z);
        }
    }
    mm.End();
}

// Where this vector core's part of the whole matrices starts, by singleCoreM and singleCoreN.
struct Part {
    int32_t row, column, rows, columns;
    bool none;

    __aicore__ inline explicit Part(const MixTiling& t) {
        const int32_t ofM = CeilDiv(t.m, t.cube.singleCoreM);
        const int32_t core = static_cast<int32_t>(GetBlockIdx());
        none = core >= t.cube.usedCoreNum;
        row = core % ofM * t.cube.singleCoreM;
        column = core / ofM * t.cube.singleCoreN;
        rows = Least(t.cube.singleCoreM, t.m - row);
        columns = Least(t.cube.singleCoreN, t.n - column);
        none = none || rows <= 0 || columns <= 0;
    }
};

// z = leaky_relu(a @ b + bias), a base block at a time.
__aicore__ inline void Leaky(Data& d, InUb& mm, bool tail, bool align = true) {
    const MixTiling& t = d.tiling;
    const Part part(t);
    if (part.none) {
        mm.End();
        return;
    }
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    const int32_t size = t.cube.baseM * t.cube.baseN;
    d.pipe->InitBuffer(in, 1, size * sizeof(float));
    d.pipe->InitBuffer(out, 1, size * sizeof(float));
    mm.SetOrgShape(t.m, t.n, t.k);
    if (tail) {
        mm.SetTail(part.rows, part.columns, t.tailK);
    }
    mm.SetTensorA(d.a[static_cast<uint64_t>(part.row) * t.k]);
    mm.SetTensorB(d.b[part.column]);
    if (t.cube.isBias != 0) {
        mm.SetBias(d.bias[part.column]);
    }
    const int32_t ofM = CeilDiv(part.rows, t.cube.baseM), ofN = CeilDiv(part.columns, t.cube.baseN);
    int32_t step = 0;
    while (mm.template Iterate<true>()) {
        LocalTensor<float> x = in.AllocTensor<float>();
        mm.template GetTensorC<true>(x, 0, align);  // <- taken
        in.EnQue(x);
        x = in.DeQue<float>();
        LocalTensor<float> y = out.AllocTensor<float>();
        const int32_t i = t.cube.iterateOrder == 0 ? step % ofM : step / ofN;
        const int32_t j = t.cube.iterateOrder == 0 ? step / ofM : step % ofN;
        const int32_t rows = Least(t.cube.baseM, part.rows - i * t.cube.baseM);
        const int32_t columns = Least(t.cube.baseN, part.columns - j * t.cube.baseN);
        LeakyRelu(y, x, 0.5f, rows * columns);
        in.FreeTensor(x);
        out.EnQue(y);
        y = out.DeQue<float>();
        const DataCopyExtParams block(rows, columns * sizeof(float), 0, (t.n - columns) * sizeof(float), 0);
        DataCopyPad(d.z[static_cast<uint64_t>(part.row + i * t.cube.baseM) * t.n + part.column + j * t.cube.baseN], y,
                    block);
        out.FreeTensor(y);
        ++step;
    }
    mm.End();
}

// z = a @ b straight into z: all at once, or by asynchronous blocks in the workspace.
template <class Object>
__aicore__ inline void Plain(Data& d, Object& mm, bool tail, uint8_t atomic = 0) {
    const MixTiling& t = d.tiling;
    const Part part(t);
    if (part.none) {
        mm.End();
        return;
    }
    if (tail) {
        mm.SetTail(part.rows, part.columns, t.tailK);
    }
    mm.SetTensorA(d.RowsOfA(part.row), d.TransposeA());
    mm.SetTensorB(d.ColumnsOf(d.b, part.column), d.TransposeB());
    mm.IterateAll(d.z[static_cast<uint64_t>(part.row) * t.n + part.column], atomic);
    mm.End();
}

__aicore__ inline void Cached(Data& d, InUb& mm) {
    const MixTiling& t = d.tiling;
    const Part part(t);
    if (part.none) {
        mm.End();
        return;
    }
    const int32_t size = t.cube.baseM * t.cube.baseN;
    GlobalTensor<float> cache =
        d.workspace[static_cast<uint64_t>(GetBlockIdx()) * t.cube.singleCoreM * t.cube.singleCoreN];
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    d.pipe->InitBuffer(in, 1, size * sizeof(float));
    d.pipe->InitBuffer(out, 1, size * sizeof(float));
    mm.SetWorkspace(cache);
    mm.SetTensorA(d.a[static_cast<uint64_t>(part.row) * t.k]);
    mm.SetTensorB(d.b[part.column]);
    mm.template Iterate<false>();
    const int32_t ofM = CeilDiv(part.rows, t.cube.baseM);
    for (int32_t step = 0; step < ofM * CeilDiv(part.columns, t.cube.baseN); ++step) {
        LocalTensor<float> x = in.AllocTensor<float>();
        mm.template GetTensorC<false>(x);
        in.EnQue(x);
        x = in.DeQue<float>();
        LocalTensor<float> y = out.AllocTensor<float>();
        Muls(y, x, 2.0f, size);
        in.FreeTensor(x);
        out.EnQue(y);
        y = out.DeQue<float>();
        const DataCopyExtParams block(t.cube.baseM, t.cube.baseN * sizeof(float), 0,
                                      (t.n - t.cube.baseN) * sizeof(float), 0);
        DataCopyPad(d.z[static_cast<uint64_t>(part.row + step % ofM * t.cube.baseM) * t.n + part.column +
                        step / ofM * t.cube.baseN],
                    y, block);
        out.FreeTensor(y);
    }
    mm.End();
}

// a @ b as two sums over halves of K in L0C.
__aicore__ inline void Partial(Data& d, Product& mm) {
    const MixTiling& t = d.tiling;
    if (GetBlockIdx() != 0) {
        return;
    }
    const int32_t half = t.k / 2;
    mm.SetOrgShape(t.m, t.n, t.k);
    mm.SetTail(t.m, t.n, half);
    mm.SetTensorA(d.a);
    mm.SetTensorB(d.b);
    mm.Iterate();
    mm.SetTail(t.m, t.n, t.k - half);
    mm.SetTensorA(d.a[half]);
    mm.SetTensorB(d.b[static_cast<uint64_t>(half) * t.n]);
    mm.Iterate(true);
    mm.GetTensorC(d.z);
    mm.End();
}

// ---- wrong ---------------------------------------------------------------------------------------------------------

__aicore__ inline void NoTensors(Data& d, Product& mm) { mm.IterateAll(d.z); }  // <- no_tensors
__aicore__ inline void NoIterate(Data& d, Product& mm) {
    mm.SetTensorA(d.a);
    mm.SetTensorB(d.b);
    mm.GetTensorC(d.z);  // <- no_iterate
}
__aicore__ inline void NoWait(Data& d, Product& mm) {
    mm.SetTensorA(d.a);
    mm.SetTensorB(d.b);
    mm.IterateAll<false>(d.z);
    mm.WaitIterateAll();  // <- no_wait
}
__aicore__ inline void Untaken(Data& d, Product& mm) {
    mm.SetTail(d.tiling.cube.baseM + 1, d.tiling.cube.baseN, d.tiling.k);
    mm.SetTensorA(d.a);
    mm.SetTensorB(d.b);
    mm.Iterate();
    mm.Iterate();  // <- untaken
}
__aicore__ inline void BiasOff(Data& d, InUb& mm) { mm.SetBias(d.bias); }       // <- bias_off
__aicore__ inline void Turned(Data& d, InUb& mm) { mm.SetTensorA(d.a, true); }  // <- turned
__aicore__ inline void ZeroTail(Product& mm) { mm.SetTail(0, 16, 16); }         // <- zero_tail
__aicore__ inline void BadAtomic(Data& d, Product& mm) {
    mm.SetTensorA(d.a);
    mm.SetTensorB(d.b);
    mm.IterateAll(d.z, 4);  // <- bad_atomic
}
// Two objects: the first holds the cube core.
__aicore__ inline void NoEnd(Data& d, Product& one, Product& other) {
    one.SetTensorA(d.a);
    one.SetTensorB(d.b);
    one.Iterate();
    one.GetTensorC(d.z);
    other.SetTensorA(d.a);
    other.SetTensorB(d.b);
    other.IterateAll(d.z);  // <- no_end
}

// One AIV's Iterate holds the cube core; the other waits for it, and both for each other.
__aicore__ inline void Held(Data& d, Product& mm) {
    mm.SetTensorA(d.a);
    mm.SetTensorB(d.b);
    if (GetSubBlockIdx() == 0) {
        mm.Iterate();
        mm.GetTensorC(d.z);
    } else {
        mm.IterateAll(d.z[d.tiling.n]);  // <- held
    }
    SyncAll();  // <- sync
    mm.End();
}
// Ends without waiting for what it has asked to be told of.
__aicore__ inline void Unwaited(Data& d, Product& mm) {
    mm.SetTensorA(d.a);
    mm.SetTensorB(d.b);
    mm.IterateAll<false>(d.z, 0, false, true);  // <- unwaited
}

extern "C" __global__ __aicore__ void matmul_mix(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR bias, GM_ADDR z,
                                                 GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(BLOCK_TYPE);
    REGISTER_TILING_DEFAULT(MixTiling);
    GET_TILING_DATA(t, tiling);
    TPipe pipe;
    Data d{t, {}, {}, {}, {}, {}, {}, &pipe};
    d.a.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(a));
    d.b.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(b));
    d.c.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(c));
    d.bias.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(bias));
    d.z.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z));
    d.workspace.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(GetUserWorkspace(workspace)));
    if (TILING_KEY_IS(1) || TILING_KEY_IS(2) || TILING_KEY_IS(3)) {
        Product mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t.cube);
        Gated(d, mm, TILING_KEY_IS(1) ? 0 : TILING_KEY_IS(2) ? 1 : 2);
    } else if (TILING_KEY_IS(4) || TILING_KEY_IS(5) || TILING_KEY_IS(6)) {
        InUb mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t.cube);
        Leaky(d, mm, !TILING_KEY_IS(5), !TILING_KEY_IS(6));
    } else if (TILING_KEY_IS(7) || TILING_KEY_IS(8) || TILING_KEY_IS(9)) {
        Product mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t.cube);
        Plain(d, mm, !TILING_KEY_IS(8), TILING_KEY_IS(9) ? 1 : 0);
    } else if (TILING_KEY_IS(10)) {
        LongAxes mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm);
        mm.Init(&t.cube, &pipe);
        mm.SetLocalWorkspace(LocalTensor<uint8_t>());
        Plain(d, mm, true);
    } else if (TILING_KEY_IS(11)) {
        InUb mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t.cube);
        Cached(d, mm);
    } else if (TILING_KEY_IS(12)) {
        Product mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t.cube);
        Partial(d, mm);
    } else if (TILING_KEY_IS(20)) {
        Product mm;
        if ASCEND_IS_AIV {
            TBuf<TPosition::VECCALC> early;
            pipe.InitBuffer(early, 32);
        }
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t.cube);  // <- after_buffers
        Plain(d, mm, true);
    } else if (TILING_KEY_IS(21)) {
        Product m1, m2, m3, m4, m5;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), m1, &t.cube, m2, &t.cube, m3, &t.cube, m4,  // <- five
                          &t.cube, m5, &t.cube);
    } else if (TILING_KEY_IS(22)) {
        Product mm;
        mm.SetTail(1, 1, 1);  // <- unregistered
    } else if (TILING_KEY_IS(23)) {
        Product mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm);
        mm.SetTail(1, 1, 1);  // <- untiled
    } else if (TILING_KEY_IS(24)) {
        Product mm;
        InUb other;
        Product third;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t.cube, other, &t.cube, third, &t.cube);
        if (t.transposed == 9) {
            return Held(d, mm);
        }
        if (GetBlockIdx() != 0) {
            return;
        }
        switch (t.transposed) {
            case 0:
                return NoTensors(d, mm);
            case 1:
                return NoIterate(d, mm);
            case 2:
                return NoWait(d, mm);
            case 3:
                return Untaken(d, mm);
            case 4:
                return BiasOff(d, other);
            case 5:
                return Turned(d, other);
            case 6:
                return ZeroTail(mm);
            case 7:
                return BadAtomic(d, mm);
            case 8:
                return NoEnd(d, mm, third);
            default:
                return Unwaited(d, mm);
        }
    }
}
