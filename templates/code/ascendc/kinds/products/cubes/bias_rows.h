// Vector cores widen a bias for the cube cores that add it, and write it where there is nothing to multiply.
#ifndef BIAS_ROWS_H
#define BIAS_ROWS_H

#include <cstdint>
#include <type_traits>
#include "kernel_operator.h"

namespace bias_rows {

constexpr int64_t kChunk = 2048;  // elements that the buffers hold
constexpr uint16_t kWidened = 0;  // the flag by which vector cores tell their cube core that the bias is there

// The cube cores of the A2 and A3 products add no bias in bfloat16.
template <typename Bias>
constexpr bool kWidens = std::is_same<Bias, bfloat16_t>::value;

template <typename Bias>
using InCube = typename std::conditional<kWidens<Bias>, float, Bias>::type;

// Where the cube core of this block finds a bias: as it is given, or widened in the block's slot of the workspace.
// `pitch`: the elements of a slot. The block has `count` slots.
template <typename Bias>
__aicore__ inline AscendC::GlobalTensor<InCube<Bias>> PlaceInCube(GM_ADDR bias, GM_ADDR userWorkspace, int64_t number,
                                                                  int64_t count, int64_t pitch) {
    GM_ADDR place = bias;
    if constexpr (kWidens<Bias>) {
        int64_t block = AscendC::GetBlockIdx();
        if ASCEND_IS_AIV {
            block /= AscendC::GetTaskRation();
        }
        place = userWorkspace + (block * count + number) * pitch * sizeof(float);
    }
    AscendC::GlobalTensor<InCube<Bias>> found;
    found.SetGlobalBuffer(reinterpret_cast<__gm__ InCube<Bias>*>(place));
    return found;
}

// On a vector core: copies elements of a bias, as another type, to one or more rows.
template <typename Bias, typename Row>
class Writer {
public:
    __aicore__ inline Writer() {
        GetTPipePtr()->InitBuffer(biasQueue, 1, kChunk * sizeof(Bias));
        GetTPipePtr()->InitBuffer(rowQueue, 1, kChunk * sizeof(Row));
    }

    // Loads at most kChunk elements. A bias that is not given counts as zero.
    __aicore__ inline void Load(const AscendC::GlobalTensor<Bias>& bias, bool given, int64_t left) {
        count = static_cast<uint32_t>(left < kChunk ? left : kChunk);
        row = rowQueue.template AllocTensor<Row>();
        if (given) {
            AscendC::LocalTensor<Bias> loaded = biasQueue.template AllocTensor<Bias>();
            const uint32_t bytes = count * sizeof(Bias);
            AscendC::DataCopyPad(loaded, bias, AscendC::DataCopyExtParams{1, bytes, 0, 0, 0},
                                 AscendC::DataCopyPadExtParams<Bias>{false, 0, 0, Bias()});
            biasQueue.EnQue(loaded);
            loaded = biasQueue.template DeQue<Bias>();
            Convert(loaded);
            biasQueue.FreeTensor(loaded);
        } else {
            AscendC::Duplicate(row, Row(), count);
        }
        rowQueue.EnQue(row);
        row = rowQueue.template DeQue<Row>();
    }

    __aicore__ inline void Write(const AscendC::GlobalTensor<Row>& place) {
        const uint32_t bytes = count * sizeof(Row);
        AscendC::DataCopyPad(place, row, AscendC::DataCopyExtParams{1, bytes, 0, 0, 0});
    }

    __aicore__ inline void Finish() { rowQueue.FreeTensor(row); }

private:
    __aicore__ inline void Convert(const AscendC::LocalTensor<Bias>& loaded) {
        if constexpr (std::is_same<Bias, Row>::value) {
            using Bits = typename std::conditional<sizeof(Row) == sizeof(int32_t), int32_t, int16_t>::type;
            AscendC::Adds(row.template ReinterpretCast<Bits>(), loaded.template ReinterpretCast<Bits>(), Bits(), count);
        } else {
            constexpr bool kRounds = sizeof(Row) < sizeof(Bias);
            AscendC::Cast(row, loaded, kRounds ? AscendC::RoundMode::CAST_RINT : AscendC::RoundMode::CAST_NONE, count);
        }
    }

    AscendC::TQue<AscendC::TPosition::VECIN, 1> biasQueue;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> rowQueue;
    AscendC::LocalTensor<Row> row;
    uint32_t count;
};

// On a vector core: fills its share of a result's rows with the bias.
template <typename Result, typename Bias>
__aicore__ inline void Fill(const AscendC::GlobalTensor<Result>& result, const AscendC::GlobalTensor<Bias>& bias,
                            bool given, int64_t rowCount, int64_t columnCount) {
    Writer<Bias, Result> writer;
    for (int64_t column = 0; column < columnCount; column += kChunk) {
        writer.Load(bias[column], given, columnCount - column);
        for (int64_t row = AscendC::GetBlockIdx(); row < rowCount;
             row += AscendC::GetBlockNum() * AscendC::GetTaskRation()) {
            writer.Write(result[row * columnCount + column]);
        }
        writer.Finish();
    }
}

// On a vector core: widens its share of the bias for the cube core of its block.
template <typename Bias>
__aicore__ inline void Widen(const AscendC::GlobalTensor<float>& widened, const AscendC::GlobalTensor<Bias>& bias,
                             int64_t columnCount) {
    Writer<Bias, float> writer;
    for (int64_t column = AscendC::GetSubBlockIdx() * kChunk; column < columnCount;
         column += AscendC::GetTaskRation() * kChunk) {
        writer.Load(bias[column], true, columnCount - column);
        writer.Write(widened[column]);
        writer.Finish();
    }
}

}  // namespace bias_rows

#endif  // BIAS_ROWS_H
