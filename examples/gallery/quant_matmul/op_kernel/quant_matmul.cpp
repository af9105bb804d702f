// z = scale (x @ y^T) of int8_t, summed in int32_t; Fixpipe multiplies by the scale and rounds to half on the way out.
// As y comes by columns of the product, its fractals lie in L1 as L0B wants them, and nothing has to be turned.
#include "kernel_operator.h"
#include "quant_matmul_tiling.h"

using namespace AscendC;

constexpr uint32_t kRows = 64, kColumns = 64, kDepth = 256;
constexpr uint32_t kWide = 32;  // int8_t of a fractal's row
constexpr uint32_t kFractal = 16 * kWide;

__aicore__ inline uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }
__aicore__ inline uint32_t CeilDiv(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

class QuantMatmul {
public:
    __aicore__ inline QuantMatmul(TPipe* pipe, const QuantMatmulTilingData& tiling) : tiling_(tiling) {
        pipe->InitBuffer(a1_, kRows * kDepth);
        pipe->InitBuffer(b1_, kColumns * kDepth);
        pipe->InitBuffer(a2_, kRows * kDepth);
        pipe->InitBuffer(b2_, kColumns * kDepth);
        pipe->InitBuffer(c_, kRows * kColumns * sizeof(int32_t));
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(x));
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(y));
        z_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(z));
    }

    __aicore__ inline void Process() {
        const uint32_t across = CeilDiv(tiling_.n, kColumns), tiles = CeilDiv(tiling_.m, kRows) * across;
        for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum()) {
            Tile(tile / across * kRows, tile % across * kColumns);
        }
    }

private:
    __aicore__ inline void Tile(uint32_t row, uint32_t column) {
        const uint32_t rows = Least(kRows, tiling_.m - row), columns = Least(kColumns, tiling_.n - column);
        LocalTensor<int32_t> sums = c_.Get<int32_t>();
        for (uint32_t first = 0; first < tiling_.k; first += kDepth) {
            const uint32_t depth = Least(kDepth, tiling_.k - first);
            Load(row, column, first, rows, columns, depth);
            // a single row would be taken as a vector and not as fractals (GEMV)
            Mmad(sums, a2_.Get<int8_t>(), b2_.Get<int8_t>(),
                 MmadParams(rows == 1 ? 2 : rows, columns, depth, 0, false, first == 0));
            PipeBarrier<PIPE_ALL>();
        }
        FixpipeParamsV220 params(columns, rows, CeilDiv(rows, 16) * 16, tiling_.n, false);
        params.quantPre = QuantMode_t::DEQF16;
        params.deqScalar = *reinterpret_cast<const uint32_t*>(&tiling_.scale);  // the bits of a float
        Fixpipe(z_[static_cast<uint64_t>(row) * tiling_.n + column], sums, params);
        PipeBarrier<PIPE_ALL>();
    }

    __aicore__ inline void Load(uint32_t row, uint32_t column, uint32_t first, uint32_t rows, uint32_t columns,
                                uint32_t depth) {
        LocalTensor<int8_t> a1 = a1_.Get<int8_t>(), b1 = b1_.Get<int8_t>();
        LocalTensor<int8_t> a2 = a2_.Get<int8_t>(), b2 = b2_.Get<int8_t>();
        const uint32_t high = CeilDiv(rows, 16), broad = CeilDiv(columns, 16), deep = CeilDiv(depth, kWide);
        DataCopy(a1, x_[static_cast<uint64_t>(row) * tiling_.k + first],
                 Nd2NzParams(1, rows, depth, 0, tiling_.k, high * 16, 1, 0));
        DataCopy(b1, y_[static_cast<uint64_t>(column) * tiling_.k + first],
                 Nd2NzParams(1, columns, depth, 0, tiling_.k, broad * 16, 1, 0));
        PipeBarrier<PIPE_ALL>();
        for (uint32_t i = 0; i < high; ++i) {
            LoadData(a2[i * deep * kFractal], a1[i * kFractal], LoadData2DParams(0, deep, high, 0, 0, false, 0));
        }
        LoadData(b2, b1, LoadData2DParams(0, broad * deep, 1, 0, 0, false, 0));
        PipeBarrier<PIPE_ALL>();
    }

    const QuantMatmulTilingData& tiling_;
    TBuf<TPosition::A1> a1_;
    TBuf<TPosition::B1> b1_;
    TBuf<TPosition::A2> a2_;
    TBuf<TPosition::B2> b2_;
    TBuf<TPosition::CO1> c_;
    GlobalTensor<int8_t> x_, y_;
    GlobalTensor<half> z_;
};

extern "C" __global__ __aicore__ void quant_matmul(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    REGISTER_TILING_DEFAULT(QuantMatmulTilingData);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    QuantMatmul op(&pipe, data);
    op.Init(x, y, z);
    op.Process();
}
