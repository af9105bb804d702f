// z = leaky_relu(x @ y). The cube core of a block multiplies tiles of 32 x 64 and leaves each in the workspace; its two
// vector cores take 16 rows each from there. Flags between the cores keep the one tile of workspace from being
// overwritten before it is read.
#include "kernel_operator.h"
#include "matmul_leaky_mix_tiling.h"

using namespace AscendC;

constexpr uint32_t kRows = 32;
constexpr uint32_t kColumns = 64;
constexpr uint32_t kDepth = 128;
constexpr uint16_t kComputed = 0;  // AIC to AIVs: a tile lies in the workspace
constexpr uint16_t kTaken = 1;     // AIVs to AIC: it has been read

__aicore__ inline uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }
__aicore__ inline uint32_t Fractals(uint32_t length) { return (length + 15) / 16; }

class MatmulLeakyMix {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                                const MatmulLeakyMixTilingData& tiling) {
        tiling_ = tiling;
        // the vector cores of a block number themselves 2 b and 2 b + 1
        const uint32_t block = static_cast<uint32_t>(GetBlockIdx()) / (g_coreType == AIV ? 2 : 1);
        row_ = block * kRows;
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x));
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y));
        z_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z));
        tile_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace) + block * kRows * kColumns);
    }

    __aicore__ inline void Process() {
        if (row_ >= tiling_.m) {
            return;
        }
        rows_ = Least(kRows, tiling_.m - row_);
        for (uint32_t column = 0; column < tiling_.n; column += kColumns) {
            const uint32_t columns = Least(kColumns, tiling_.n - column);
            if ASCEND_IS_AIC {
                if (column != 0) {
                    CrossCoreWaitFlag(kTaken);
                }
                Multiply(column, columns);
                CrossCoreSetFlag<2, PIPE_FIX>(kComputed);
            } else {
                CrossCoreWaitFlag(kComputed);
                Activate(column, columns);
            }
        }
        if ASCEND_IS_AIC {
            CrossCoreWaitFlag(kTaken);
        }
    }

private:
    // Rows [row_, +rows_) times columns [column, +columns) into the workspace.
    __aicore__ inline void Multiply(uint32_t column, uint32_t columns) {
        LocalTensor<half> x1(TPosition::A1, 0, kRows * kDepth), y1(TPosition::B1, 32768, kColumns * kDepth);
        LocalTensor<half> x2(TPosition::A2, 0, kRows * kDepth), y2(TPosition::B2, 0, kColumns * kDepth);
        LocalTensor<float> sums(TPosition::CO1, 0, kRows * kColumns);
        for (uint32_t first = 0; first < tiling_.k; first += kDepth) {
            const uint32_t depth = Least(kDepth, tiling_.k - first);
            DataCopy(x1, x_[static_cast<uint64_t>(row_) * tiling_.k + first],
                     Nd2NzParams(1, rows_, depth, 0, tiling_.k, Fractals(rows_) * 16, 1, 0));
            DataCopy(y1, y_[static_cast<uint64_t>(first) * tiling_.n + column],
                     Nd2NzParams(1, depth, columns, 0, tiling_.n, Fractals(depth) * 16, 1, 0));
            SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
            WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
            // fractals of x follow each other by rows in L0A, those of y by depth in L0B, each transposed
            for (uint32_t i = 0; i < Fractals(rows_); ++i) {
                LoadData(x2[i * Fractals(depth) * 256], x1[i * 256],
                         LoadData2DParams(0, Fractals(depth), Fractals(rows_), 0, 0, false, 0));
            }
            for (uint32_t i = 0; i < Fractals(depth); ++i) {
                LoadData(y2[i * Fractals(columns) * 256], y1[i * 256],
                         LoadData2DParams(0, Fractals(columns), Fractals(depth), 0, 0, true, 0));
            }
            SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
            WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
            // a single row would be taken as a vector and not as fractals (GEMV)
            Mmad(sums, x2, y2, MmadParams(rows_ == 1 ? 2 : rows_, columns, depth, 0, false, first == 0));
            PipeBarrier<PIPE_M>();  // tiles this small do not order themselves
            SetFlag<HardEvent::M_MTE1>(EVENT_ID0);
            WaitFlag<HardEvent::M_MTE1>(EVENT_ID0);
            SetFlag<HardEvent::MTE1_MTE2>(EVENT_ID0);
            WaitFlag<HardEvent::MTE1_MTE2>(EVENT_ID0);
        }
        SetFlag<HardEvent::M_FIX>(EVENT_ID0);
        WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
        Fixpipe(tile_, sums, FixpipeParamsV220(columns, rows_, Fractals(rows_) * 16, kColumns, false));
        SetFlag<HardEvent::FIX_M>(EVENT_ID0);
        WaitFlag<HardEvent::FIX_M>(EVENT_ID0);
    }

    // This vector core's rows of the tile.
    __aicore__ inline void Activate(uint32_t column, uint32_t columns) {
        const uint32_t first = static_cast<uint32_t>(GetSubBlockIdx()) * kRows / 2;
        const uint32_t rows = rows_ > first ? Least(kRows / 2, rows_ - first) : 0;
        LocalTensor<float> values(TPosition::VECCALC, 0, kRows / 2 * kColumns);
        if (rows != 0) {
            const DataCopyExtParams in(rows, columns * sizeof(float), (kColumns - columns) * sizeof(float),
                                       (kColumns - columns) / 8, 0);
            DataCopyPad(values, tile_[first * kColumns], in, DataCopyPadExtParams<float>(false, 0, 0, 0));
        }
        CrossCoreSetFlag<2, PIPE_MTE2>(kTaken);
        if (rows == 0) {
            return;
        }
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        for (uint32_t i = 0; i < rows; ++i) {
            LeakyRelu(values[i * kColumns], values[i * kColumns], tiling_.slope, columns);
        }
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        const DataCopyExtParams out(rows, columns * sizeof(float), (kColumns - columns) / 8,
                                    (tiling_.n - columns) * sizeof(float), 0);
        DataCopyPad(z_[static_cast<uint64_t>(row_ + first) * tiling_.n + column], values, out);
        SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    }

    GlobalTensor<half> x_, y_;
    GlobalTensor<float> z_, tile_;
    MatmulLeakyMixTilingData tiling_;
    uint32_t row_ = 0, rows_ = 0;
};

extern "C" __global__ __aicore__ void matmul_leaky_mix(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                                                       GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    REGISTER_TILING_DEFAULT(MatmulLeakyMixTilingData);
    GET_TILING_DATA(data, tiling);
    MatmulLeakyMix op;
    op.Init(x, y, z, GetUserWorkspace(workspace), data);
    op.Process();
}
