// A product by instructions on AI Cores with both units: fractals into L0A and L0B, sums in L0C, and out of there
// through the unified buffer. The tiling key chooses the types. // <- NAME marks the line of a message.
#include "kernel_operator.h"

using namespace AscendC;

struct CubeTiling {
    uint32_t m, n, k;
    uint32_t depth;  // of k that one Mmad sums
    uint32_t mode;   // BlockMode, DeqScale, deqValue and isRelu of the copy out of L0C
    uint32_t scale;
    uint32_t factor;
    uint32_t relu;
    uint32_t unitFlag;  // of Mmad
    uint32_t silent;    // leaves out the event before the copy out of L0C
};

constexpr uint32_t kFractal = 512;  // bytes

__aicore__ inline uint32_t Sixteens(uint32_t length) { return (length + 15) / 16; }

template <typename A, typename C, typename O>
class Product {
public:
    __aicore__ inline Product(TPipe* pipe, const CubeTiling& tiling) : t_(tiling) {
        pipe->InitBuffer(a1_, 1, 16384);
        pipe->InitBuffer(b1_, 1, 16384);
        pipe->InitBuffer(a2_, 1, 16384);
        pipe->InitBuffer(b2_, 1, 16384);
        pipe->InitBuffer(sums_, 1, 65536);
        pipe->InitBuffer(out_, 1, 65536);
    }

    __aicore__ inline void Process(GM_ADDR a, GM_ADDR b, GM_ADDR z) {
        a_.SetGlobalBuffer(reinterpret_cast<__gm__ A*>(a));
        b_.SetGlobalBuffer(reinterpret_cast<__gm__ A*>(b));
        z_.SetGlobalBuffer(reinterpret_cast<__gm__ O*>(z));
        LocalTensor<C> sums = sums_.template AllocTensor<C>();
        for (uint32_t first = 0; first < t_.k; first += t_.depth) {
            const uint32_t depth = t_.k - first < t_.depth ? t_.k - first : t_.depth;
            if constexpr (sizeof(A) == 1) {
                LoadPacked();
            } else {
                LoadRows(first, depth);
            }
            LocalTensor<A> left = a2_.template DeQue<A>(), right = b2_.template DeQue<A>();
            MmadParams params;
            params.m = t_.m == 1 ? 2 : t_.m;  // a single row would be taken as a vector
            params.n = Sixteens(t_.n) * 16;
            params.k = depth;
            params.unitFlag = t_.unitFlag;
            params.cmatrixInitVal = first == 0;
            Mmad(sums, left, right, params);  // <- mmad
            PipeBarrier<PIPE_M>();
            a2_.FreeTensor(left);
            b2_.FreeTensor(right);
        }
        if (t_.silent == 0) {
            sums_.EnQue(sums);
            sums = sums_.template DeQue<C>();
        }
        Out(sums);
        sums_.FreeTensor(sums);
    }

private:
    // Bytes come as L0A and L0B hold them.
    __aicore__ inline void LoadPacked() {
        const uint32_t deep = (t_.k + 31) / 32;
        const uint8_t left = Sixteens(t_.m) * deep, right = Sixteens(t_.n) * deep;
        LocalTensor<A> a1 = a1_.template AllocTensor<A>(), b1 = b1_.template AllocTensor<A>();
        DataCopy(a1, a_, left * kFractal);
        DataCopy(b1, b_, right * kFractal);
        a1_.EnQue(a1);
        b1_.EnQue(b1);
        a1 = a1_.template DeQue<A>();
        b1 = b1_.template DeQue<A>();
        LocalTensor<A> a2 = a2_.template AllocTensor<A>(), b2 = b2_.template AllocTensor<A>();
        LoadData(a2, a1, LoadData2DParams(0, left, 1, 0, 0, false, 0));
        LoadData(b2, b1, LoadData2DParams(0, right, 1, 0, 0, false, 0));
        Loaded(a1, b1, a2, b2);
    }

    // Rows become fractals on their way into L1, those of b are turned on their way into L0B.
    __aicore__ inline void LoadRows(uint32_t first, uint32_t depth) {
        const uint32_t high = Sixteens(t_.m), wide = Sixteens(t_.n), deep = Sixteens(depth);
        LocalTensor<A> a1 = a1_.template AllocTensor<A>(), b1 = b1_.template AllocTensor<A>();
        DataCopy(a1, a_[first], Nd2NzParams(1, t_.m, depth, 0, t_.k, high * 16, 1, 0));
        DataCopy(b1, b_[first * t_.n], Nd2NzParams(1, depth, t_.n, 0, t_.n, deep * 16, 1, 0));
        a1_.EnQue(a1);
        b1_.EnQue(b1);
        a1 = a1_.template DeQue<A>();
        b1 = b1_.template DeQue<A>();
        LocalTensor<A> a2 = a2_.template AllocTensor<A>(), b2 = b2_.template AllocTensor<A>();
        for (uint32_t i = 0; i < high; ++i) {
            LoadData(a2[i * deep * 256], a1[i * 256], LoadData2DParams(0, deep, high, 0, 0, false, 0));
        }
        for (uint32_t i = 0; i < deep; ++i) {
            LoadData(b2[i * wide * 256], b1[i * 256], LoadData2DParams(0, wide, deep, 0, 0, true, 0));
        }
        Loaded(a1, b1, a2, b2);
    }

    __aicore__ inline void Loaded(LocalTensor<A>& a1, LocalTensor<A>& b1, const LocalTensor<A>& a2,
                                  const LocalTensor<A>& b2) {
        a1_.FreeTensor(a1);
        b1_.FreeTensor(b1);
        a2_.EnQue(a2);
        b2_.EnQue(b2);
    }

    // Fractal columns with a block of 32 bytes between them in the unified buffer; all rows with the columns filled up.
    __aicore__ inline void Out(const LocalTensor<C>& sums) {
        const uint16_t high = Sixteens(t_.m), wide = Sixteens(t_.n);
        constexpr uint16_t kGap = 1;  // block of 32 bytes
        DataCopyEnhancedParams way;
        way.blockMode = static_cast<BlockMode>(t_.mode);
        way.deqScale = static_cast<DeqScale>(t_.scale);
        way.deqValue = t_.factor;
        way.isRelu = t_.relu != 0;
        LocalTensor<O> out = out_.template AllocTensor<O>();
        DataCopy(out, sums, DataCopyParams(wide, high, 0, kGap), way);  // <- out
        out_.EnQue(out);
        out = out_.template DeQue<O>();
        for (uint32_t column = 0; column < wide; ++column) {
            const uint32_t from = column * (high * 256 + kGap * 32 / sizeof(O));
            for (uint32_t row = 0; row < t_.m; ++row) {
                DataCopy(z_[(row * wide + column) * 16], out[from + row * 16], 16);
            }
        }
        out_.FreeTensor(out);
    }

    const CubeTiling& t_;
    TQue<TPosition::A1, 1> a1_;
    TQue<TPosition::B1, 1> b1_;
    TQue<TPosition::A2, 1> a2_;
    TQue<TPosition::B2, 1> b2_;
    TQue<TPosition::CO1, 1> sums_;
    TQue<TPosition::CO2, 1> out_;
    GlobalTensor<A> a_, b_;
    GlobalTensor<O> z_;
};

extern "C" __global__ __aicore__ void cube_coupled(GM_ADDR a, GM_ADDR b, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AICORE);
    REGISTER_TILING_DEFAULT(CubeTiling);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    if (TILING_KEY_IS(0)) {
        Product<half, float, float>(&pipe, data).Process(a, b, z);
    } else if (TILING_KEY_IS(1)) {
        Product<half, float, half>(&pipe, data).Process(a, b, z);
    } else if (TILING_KEY_IS(2)) {
        Product<half, half, half>(&pipe, data).Process(a, b, z);
    } else if (TILING_KEY_IS(3)) {
        Product<int8_t, int32_t, int32_t>(&pipe, data).Process(a, b, z);
    } else if (TILING_KEY_IS(4)) {
        Product<int8_t, int32_t, half>(&pipe, data).Process(a, b, z);
    }
}
