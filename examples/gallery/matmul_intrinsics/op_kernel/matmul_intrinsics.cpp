// z = x @ y by the instructions of the cube unit, tiles of 64 x 64 dealt to the cores in turn. Queues order the pipes:
// global memory to L1 as fractals, L1 to L0A and L0B, products summed in L0C, and out by Fixpipe as rows.
#include "kernel_operator.h"
#include "matmul_intrinsics_tiling.h"

using namespace AscendC;

constexpr uint32_t kRows = 64, kColumns = 64, kDepth = 128;
constexpr uint32_t kFractal = 16 * 16;

__aicore__ inline uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }
__aicore__ inline uint16_t Fractals(uint32_t length) { return static_cast<uint16_t>((length + 15) / 16); }

class MatmulIntrinsics {
public:
    __aicore__ inline MatmulIntrinsics(TPipe* pipe, const MatmulIntrinsicsTilingData& tiling) : tiling_(tiling) {
        pipe->InitBuffer(a1_, 2, kRows * kDepth * sizeof(half));
        pipe->InitBuffer(b1_, 2, kDepth * kColumns * sizeof(half));
        pipe->InitBuffer(a2_, 2, kRows * kDepth * sizeof(half));
        pipe->InitBuffer(b2_, 2, kDepth * kColumns * sizeof(half));
        pipe->InitBuffer(c_, 1, kRows * kColumns * sizeof(float));
    }

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x));
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y));
        z_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z));
    }

    __aicore__ inline void Process() {
        const uint32_t across = (tiling_.n + kColumns - 1) / kColumns;
        const uint32_t tiles = (tiling_.m + kRows - 1) / kRows * across;
        for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum()) {
            Tile(tile / across * kRows, tile % across * kColumns);
        }
    }

private:
    __aicore__ inline void Tile(uint32_t row, uint32_t column) {
        const uint32_t rows = Least(kRows, tiling_.m - row), columns = Least(kColumns, tiling_.n - column);
        LocalTensor<float> sums = c_.AllocTensor<float>();
        for (uint32_t first = 0; first < tiling_.k; first += kDepth) {
            const uint32_t depth = Least(kDepth, tiling_.k - first);
            Load(row, column, first, rows, columns, depth);
            Split(rows, columns, depth);
            LocalTensor<half> a = a2_.DeQue<half>(), b = b2_.DeQue<half>();
            // a single row would be taken as a vector and not as fractals (GEMV)
            Mmad(sums, a, b, MmadParams(rows == 1 ? 2 : rows, columns, depth, 0, false, first == 0));
            PipeBarrier<PIPE_M>();  // small products do not order themselves
            a2_.FreeTensor(a);
            b2_.FreeTensor(b);
        }
        c_.EnQue(sums);
        sums = c_.DeQue<float>();
        Fixpipe(z_[static_cast<uint64_t>(row) * tiling_.n + column], sums,
                FixpipeParamsV220(columns, rows, Fractals(rows) * 16, tiling_.n, false));
        c_.FreeTensor(sums);
    }

    __aicore__ inline void Load(uint32_t row, uint32_t column, uint32_t first, uint32_t rows, uint32_t columns,
                                uint32_t depth) {
        LocalTensor<half> a = a1_.AllocTensor<half>(), b = b1_.AllocTensor<half>();
        DataCopy(a, x_[static_cast<uint64_t>(row) * tiling_.k + first],
                 Nd2NzParams(1, rows, depth, 0, tiling_.k, Fractals(rows) * 16, 1, 0));
        DataCopy(b, y_[static_cast<uint64_t>(first) * tiling_.n + column],
                 Nd2NzParams(1, depth, columns, 0, tiling_.n, Fractals(depth) * 16, 1, 0));
        a1_.EnQue(a);
        b1_.EnQue(b);
    }

    // Rows of fractals follow each other in L0A; in L0B each fractal is turned.
    __aicore__ inline void Split(uint32_t rows, uint32_t columns, uint32_t depth) {
        LocalTensor<half> a1 = a1_.DeQue<half>(), b1 = b1_.DeQue<half>();
        LocalTensor<half> a2 = a2_.AllocTensor<half>(), b2 = b2_.AllocTensor<half>();
        for (uint32_t i = 0; i < Fractals(rows); ++i) {
            LoadData(a2[i * Fractals(depth) * kFractal], a1[i * kFractal],
                     LoadData2DParams(0, Fractals(depth), Fractals(rows), 0, 0, false, 0));
        }
        for (uint32_t i = 0; i < Fractals(depth); ++i) {
            LoadData(b2[i * Fractals(columns) * kFractal], b1[i * kFractal],
                     LoadData2DParams(0, Fractals(columns), Fractals(depth), 0, 0, true, 0));
        }
        a1_.FreeTensor(a1);
        b1_.FreeTensor(b1);
        a2_.EnQue(a2);
        b2_.EnQue(b2);
    }

    const MatmulIntrinsicsTilingData& tiling_;
    TQue<TPosition::A1, 1> a1_;
    TQue<TPosition::B1, 1> b1_;
    TQue<TPosition::A2, 1> a2_;
    TQue<TPosition::B2, 1> b2_;
    TQue<TPosition::CO1, 1> c_;
    GlobalTensor<half> x_, y_;
    GlobalTensor<float> z_;
};

extern "C" __global__ __aicore__ void matmul_intrinsics(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                                                        GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    REGISTER_TILING_DEFAULT(MatmulIntrinsicsTilingData);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    MatmulIntrinsics op(&pipe, data);
    op.Init(x, y, z);
    op.Process();
}
