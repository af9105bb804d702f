// Products by the cube unit's own instructions, and what else fills L0A and L0B. The tiling data says which types and
// ways; buffers lie at fixed addresses.
#include "kernel_operator.h"

using namespace AscendC;

struct CubeCase {
    uint32_t types;  // of Types below
    uint32_t m, n, k;
    uint32_t wayA, wayB;  // of Way below
    uint32_t out;         // of Out below
    uint32_t quant;       // QuantMode_t
    uint32_t relu, bias, unitFlag, parts;
    uint64_t scale;
};

enum Way : uint32_t {
    kPlain,       // LoadData_2D of rows along k
    kTransposed,  // LoadDataWithTranspose of rows across k
    kFractals,    // LoadData_2D with ifTranspose of rows across k
    kImage,       // LoadData_3D of rows along k
    kImageAcross  // LoadData_3D of rows across k
};
enum Out : uint32_t { kRows, kNz, kSplit };

template <typename T>
constexpr uint32_t kC0 = IsSameType<T, int4b_t>::value ? 64 : 32 / sizeof(T);

__aicore__ inline uint32_t Align(uint32_t value, uint32_t to) { return Ceil(value, to) * to; }

// rows x columns of global memory into fractal columns of `high` rows each.
template <typename T>
__aicore__ inline void Fractals(const LocalTensor<T>& to, const GlobalTensor<T>& from, uint32_t rows, uint32_t columns,
                                uint32_t high) {
    const uint32_t pair = IsSameType<T, int4b_t>::value ? 2 : 1;  // two elements of 4 bits are copied as one byte
    Nd2NzParams p(1, static_cast<uint16_t>(rows), static_cast<uint16_t>(columns / pair), 0,
                  static_cast<uint16_t>(columns / pair), static_cast<uint16_t>(high), 1, 0);
    DataCopy(to, from, p);
}

// Into rows of fractals, as LoadDataWithTranspose takes 32-bit types: each 16 rows are a matrix of their own.
template <typename T>
__aicore__ inline void RowsOfFractals(const LocalTensor<T>& to, const GlobalTensor<T>& from, uint32_t rows,
                                      uint32_t columns) {
    const uint32_t whole = rows / 16, wide = Align(columns, 16);
    if (whole != 0) {
        DataCopy(to, from,
                 Nd2NzParams(static_cast<uint16_t>(whole), 16, static_cast<uint16_t>(columns),
                             static_cast<uint16_t>(16 * columns), static_cast<uint16_t>(columns), 16, 1,
                             static_cast<uint16_t>(16 * wide)));
    }
    if (rows % 16 != 0) {
        DataCopy(to[whole * 16 * wide], from[whole * 16 * columns],
                 Nd2NzParams(1, static_cast<uint16_t>(rows % 16), static_cast<uint16_t>(columns), 0,
                             static_cast<uint16_t>(columns), 16, 1, 0));
    }
}

template <typename T>
__aicore__ inline LoadData3DParamsV2<T> Image(uint32_t rows, uint32_t columns) {
    LoadData3DParamsV2<T> p;
    p.l1H = 1;
    p.l1W = static_cast<uint16_t>(rows);
    p.channelSize = static_cast<uint16_t>(columns);
    p.kExtension = static_cast<uint16_t>(columns);
    p.mExtension = static_cast<uint16_t>(rows);
    return p;
}

// The other types of the same bits.
template <typename T>
struct Alike {
    using U = T;
    using S = T;
};
template <>
struct Alike<int8_t> {
    using U = uint8_t;
    using S = uint8_t;
};
template <>
struct Alike<half> {
    using U = uint16_t;
    using S = int16_t;
};
template <>
struct Alike<float> {
    using U = uint32_t;
    using S = int32_t;
};

template <typename U, typename T>
__aicore__ inline void LoadAs(const LocalTensor<T>& to, const LocalTensor<T>& from, const LoadData2DParams& p) {
    LoadData(to.template ReinterpretCast<U>(), from.template ReinterpretCast<U>(), p);
}

template <typename U, typename T>
__aicore__ inline void LoadAs(const LocalTensor<T>& to, const LocalTensor<T>& from,
                              const LoadData2dTransposeParams& p) {
    using V = typename std::conditional<sizeof(T) == 2, T, U>::type;
    LoadDataWithTranspose(to.template ReinterpretCast<V>(), from.template ReinterpretCast<V>(), p);
}

// The i-th load of several: they take turns with the types.
template <typename T, typename P>
__aicore__ inline void Load(uint32_t i, const LocalTensor<T>& to, const LocalTensor<T>& from, const P& p) {
    if (i % 3 == 1) {
        LoadAs<typename Alike<T>::U>(to, from, p);
    } else if (i % 3 == 2) {
        LoadAs<typename Alike<T>::S>(to, from, p);
    } else {
        LoadAs<T>(to, from, p);
    }
}

// `rows` of L0A or L0B (m or n), by the way from `gm`. Fractals of one row of `k` follow each other in L0A, fractals of
// one column of `rows` in L0B.
template <typename T>
__aicore__ inline void Bring(const LocalTensor<T>& l1, const LocalTensor<T>& l0, const GlobalTensor<T>& gm,
                             uint32_t rows, uint32_t k, uint32_t way, bool toA) {
    constexpr uint32_t c0 = kC0<T>, fractal = 16 * c0, count = sizeof(T) == 2 ? 1 : c0 == 64 ? 4 : 2;
    const bool side = count != 1 && sizeof(T) == 4;
    // the copy into L1
    if (way == kPlain || way == kImage) {
        Fractals(l1, gm, rows, k, Align(rows, 16));
    } else if (way == kTransposed && side) {
        RowsOfFractals(l1, gm, k, rows);
    } else {
        Fractals(l1, gm, k, rows, Align(k, way == kTransposed ? 16 * count : 16));
    }
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    const uint32_t wide = Ceil(k, c0), high = Ceil(rows, 16);
    if (way == kPlain) {
        LoadData2DParams p;
        p.repeatTimes = static_cast<uint8_t>(toA ? wide : wide * high);
        p.srcStride = static_cast<uint16_t>(toA ? high : 1);
        for (uint32_t i = 0; i < (toA ? high : 1); ++i) {
            Load(i, l0[i * wide * fractal], l1[i * fractal], p);
        }
    } else if (way == kFractals) {
        // L1 has columns of `rows`, each of Ceil(k, 16) fractals
        LoadData2dParams p;
        p.repeatTimes = static_cast<uint8_t>(Ceil(k, 16) * high);
        p.srcStride = 1;
        p.ifTranspose = true;
        if (toA) {
            LoadData(l0, l1, p);
        } else {
            p.repeatTimes = static_cast<uint8_t>(high);
            p.srcStride = static_cast<uint16_t>(Ceil(k, 16));
            for (uint32_t i = 0; i < Ceil(k, 16); ++i) {
                LoadData(l0[i * high * fractal], l1[i * fractal], p);
            }
        }
    } else if (way == kTransposed && side) {
        // squares lie in L1 by k, then by rows
        const uint32_t squares = Ceil(rows, 16);
        LoadData2dTransposeParams p;
        if (toA) {
            p.repeatTimes = static_cast<uint8_t>(Ceil(k, 16));
            p.srcStride = static_cast<uint16_t>(squares);
            p.dstGap = 1;
            for (uint32_t i = 0; i < squares; ++i) {
                Load(i, l0[i * Ceil(k, 16) * 2 * fractal], l1[i * 2 * fractal], p);
            }
        } else {
            p.repeatTimes = static_cast<uint8_t>(squares);
            p.srcStride = 1;
            p.dstFracGap = static_cast<uint16_t>(high - 1);
            for (uint32_t i = 0; i < Ceil(k, 16); ++i) {
                Load(i, l0[i * high * 2 * fractal], l1[i * squares * 2 * fractal], p);
            }
        }
    } else if (way == kTransposed) {
        const uint32_t squares = Ceil(k, 16 * count);
        LoadData2dTransposeParams p;
        if (toA) {
            p.repeatTimes = static_cast<uint8_t>(squares);
            p.srcStride = 1;
            p.dstFracGap = static_cast<uint16_t>(wide - 1);
            for (uint32_t i = 0; i < Ceil(rows, c0); ++i) {
                Load(i, l0[i * wide * count * fractal], l1[i * squares * count * fractal], p);
            }
        } else {
            p.repeatTimes = static_cast<uint8_t>(Ceil(rows, c0));
            p.srcStride = static_cast<uint16_t>(squares);
            p.dstGap = static_cast<uint16_t>(count - 1);
            for (uint32_t i = 0; i < squares; ++i) {
                Load(i, l0[i * Ceil(rows, c0) * count * fractal], l1[i * count * fractal], p);
            }
        }
    } else if (way == kImage) {
        LoadData(l0, l1, Image<T>(Align(rows, 16), wide * c0));
    } else {
        LoadData3DParamsV2<T> p = Image<T>(Align(k, 16), Ceil(rows, c0) * c0);
        p.enTranspose = toA;
        p.kExtension = static_cast<uint16_t>(toA ? rows : Align(rows, c0));
        LoadData(l0, l1, p);
    }
}

template <typename T, typename C, typename O>
class Product {
public:
    __aicore__ inline void Run(const CubeCase& c, GM_ADDR a, GM_ADDR b, GM_ADDR extra, GM_ADDR z) {
        GlobalTensor<T> ga, gb;
        ga.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(a));
        gb.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(b));
        constexpr uint32_t scale = IsSameType<T, int4b_t>::value ? 2 : 1;
        LocalTensor<T> a1(TPosition::A1, 0, 131072 / sizeof(T) * scale),
            b1(TPosition::B1, 131072, 131072 / sizeof(T) * scale);
        LocalTensor<T> a2(TPosition::A2, 0, 65536 / sizeof(T) * scale), b2(TPosition::B2, 0, 65536 / sizeof(T) * scale);
        LocalTensor<C> l0c(TPosition::CO1, 0, 32768);
        // A and B in parts of k, each a matrix of its own behind the other
        MmadParams p;
        p.m = static_cast<uint16_t>(c.m);
        p.n = static_cast<uint16_t>(c.n);
        p.k = static_cast<uint16_t>(c.k);
        // squares of int8_t and int4b_t are wider than a fractal
        if (sizeof(T) == 1 && c.wayB == kTransposed) {
            p.n = static_cast<uint16_t>(Align(c.n, kC0<T>));
        }
        p.kDirectionAlign = sizeof(T) == 4 && (c.wayA == kTransposed || c.wayA == kImageAcross);
        for (uint32_t part = 0; part < c.parts; ++part) {
            Bring(a1, a2, ga[part * c.m * c.k], c.m, c.k, c.wayA, true);
            Bring(b1, b2, gb[part * c.n * c.k], c.n, c.k, c.wayB, false);
            SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
            WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
            p.cmatrixInitVal = part == 0;
            p.unitFlag = c.unitFlag == 0 ? 0 : part + 1 == c.parts ? 3 : 2;
            if constexpr (!IsSameType<T, int4b_t>::value) {
                if (part == 0 && c.bias != 0) {
                    Bias(c, extra);
                    LocalTensor<C> table(TPosition::C2, 0, 256);
                    if (c.bias == 2) {  // as parameters, not as an operand
                        p.cmatrixInitVal = false;
                        p.cmatrixSource = true;
                        Mmad(l0c, a2, b2, p);
                        p.cmatrixSource = false;
                    } else {
                        Mmad(l0c, a2, b2, table, p);
                    }
                } else {
                    Mmad(l0c, a2, b2, p);
                }
            } else {
                Mmad(l0c, a2, b2, p);
            }
            PipeBarrier<PIPE_M>();
            SetFlag<HardEvent::M_MTE1>(EVENT_ID0);
            WaitFlag<HardEvent::M_MTE1>(EVENT_ID0);
            SetFlag<HardEvent::MTE1_MTE2>(EVENT_ID0);
            WaitFlag<HardEvent::MTE1_MTE2>(EVENT_ID0);
        }
        if (c.unitFlag == 0) {
            SetFlag<HardEvent::M_FIX>(EVENT_ID0);
            WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
        }
        TakeOut(c, l0c, extra, z);
    }

private:
    // The bias is float or int32_t, or half that becomes float in the BiasTable.
    __aicore__ inline void Bias(const CubeCase& c, GM_ADDR extra) {
        const uint16_t blocks = static_cast<uint16_t>(Ceil(c.n, 16));
        LocalTensor<C> table(TPosition::C2, 0, 256);
        if constexpr (IsSameType<T, half>::value) {
            GlobalTensor<half> gm;
            gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(extra));
            LocalTensor<half> c1(TPosition::C1, 262144, 256);
            DataCopy(c1, gm, Align(c.n, 32));
            SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
            WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
            DataCopy(table, c1, DataCopyParams(1, static_cast<uint16_t>(Ceil(c.n, 32)), 0, 0));
        } else {
            GlobalTensor<C> gm;
            gm.SetGlobalBuffer(reinterpret_cast<__gm__ C*>(extra));
            LocalTensor<C> c1(TPosition::C1, 262144, 256);
            DataCopy(c1, gm, blocks * 16);
            SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
            WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
            DataCopy(table, c1, DataCopyParams(1, blocks, 0, 0));
        }
        SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
        WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
    }

    __aicore__ inline void TakeOut(const CubeCase& c, const LocalTensor<C>& l0c, GM_ADDR extra, GM_ADDR z) {
        GlobalTensor<O> gz;
        gz.SetGlobalBuffer(reinterpret_cast<__gm__ O*>(z));
        FixpipeParamsV220 f;
        f.nSize = static_cast<uint16_t>(c.out == kRows ? c.n : Align(c.n, c.out == kSplit ? 8 : 16));
        f.mSize = static_cast<uint16_t>(c.m);
        f.srcStride = static_cast<uint16_t>(Align(c.m, 16));
        f.dstStride = c.out == kRows ? c.n : c.m * (c.out == kSplit ? 32 : sizeof(O) == 4 ? 64 : 32) / 32;
        f.quantPre = static_cast<QuantMode_t>(c.quant);
        f.deqScalar = c.scale;
        f.reluEn = c.relu != 0;
        f.unitFlag = static_cast<uint8_t>(c.unitFlag);
        f.isChannelSplit = c.out == kSplit;
        const bool vector = c.quant == VDEQF16 || c.quant == VQF322B8_PRE || c.quant == VREQ8;
        if (vector) {
            LocalTensor<uint64_t> scales(TPosition::C1, 266240, 256);
            GlobalTensor<uint64_t> gm;
            gm.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t*>(extra));
            DataCopy(scales, gm, Align(c.n, 16));
            SetFlag<HardEvent::MTE2_FIX>(EVENT_ID0);
            WaitFlag<HardEvent::MTE2_FIX>(EVENT_ID0);
            if (c.out == kRows) {
                Fixpipe<O, C, CFG_ROW_MAJOR>(gz, l0c, scales, f);
            } else {
                Fixpipe<O, C, CFG_NZ>(gz, l0c, scales, f);
            }
        } else if (c.out == kRows) {
            Fixpipe<O, C, CFG_ROW_MAJOR>(gz, l0c, f);
        } else {
            Fixpipe<O, C, CFG_NZ>(gz, l0c, f);
        }
    }
};

extern "C" __global__ __aicore__ void cube(GM_ADDR a, GM_ADDR b, GM_ADDR extra, GM_ADDR z, GM_ADDR workspace,
                                           GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    REGISTER_TILING_DEFAULT(CubeCase);
    GET_TILING_DATA(c, tiling);
#define CASE(number, T, C, O)                      \
    case number:                                   \
        Product<T, C, O>().Run(c, a, b, extra, z); \
        break
    switch (c.types) {
        CASE(0, half, float, float);
        CASE(1, bfloat16_t, float, float);
        CASE(2, float, float, float);
        CASE(3, int8_t, int32_t, int32_t);
        CASE(4, int4b_t, int32_t, int32_t);
        CASE(5, half, float, half);
        CASE(6, half, float, bfloat16_t);
        CASE(7, half, float, int8_t);
        CASE(8, int8_t, int32_t, half);
        CASE(9, int8_t, int32_t, uint8_t);
    }
}
