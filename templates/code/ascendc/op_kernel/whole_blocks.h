// Moves rows between global memory (GM) and the unified buffer (UB) on AI Cores without DataCopyPad: those of the Atlas
// inference products, __NPU_ARCH__ 2002. DataCopy moves whole blocks of 32 bytes. The scalar unit moves the rest of a
// row, element by element. Rows of whole blocks cost nothing extra.
#ifndef WHOLE_BLOCKS_H
#define WHOLE_BLOCKS_H

#include <cstdint>
#include "kernel_operator.h"

namespace whole_blocks {

constexpr uint32_t kBlockBytes = 32;

// Rows of `length` elements. `gmStep` and `ubStep` are the distances between rows in GM and in UB, where each row
// starts a block.
struct Rows {
    uint32_t count;
    uint32_t length;
    int64_t gmStep;
    uint32_t ubStep;
};

template <typename T>
constexpr uint32_t kPerBlock = kBlockBytes / sizeof(T);

// The number of elements at the start of a row that fill whole blocks.
template <typename T>
__aicore__ inline uint32_t WholeOf(const Rows& rows) {
    return rows.length / kPerBlock<T> * kPerBlock<T>;
}

template <AscendC::HardEvent event>
__aicore__ inline void WaitFor() {
    const event_t done = static_cast<event_t>(GetTPipePtr()->FetchEventID(event));
    AscendC::SetFlag<event>(done);
    AscendC::WaitFlag<event>(done);
}

template <typename T>
__aicore__ inline void Load(const AscendC::LocalTensor<T>& dst, const AscendC::GlobalTensor<T>& src, const Rows& rows) {
    const uint32_t whole = WholeOf<T>(rows);
    for (uint32_t row = 0; whole > 0 && row < rows.count; row++) {
        AscendC::DataCopy(dst[row * rows.ubStep], src[row * rows.gmStep], whole);
    }
    if (whole == rows.length) {
        return;
    }
    WaitFor<AscendC::HardEvent::V_S>();  // earlier contents of this buffer may still be in use
    for (uint32_t row = 0; row < rows.count; row++) {
        for (uint32_t i = whole; i < rows.length; i++) {
            dst.SetValue(row * rows.ubStep + i, src.GetValue(row * rows.gmStep + i));
        }
    }
    WaitFor<AscendC::HardEvent::S_V>();
}

// The scalar unit writes through 64-byte lines of its data cache. A line also holds neighbouring elements. Therefore
// the rest of each row is written, and its lines are flushed, after all earlier copies and before any block of these
// rows is copied. No other core may write to the first or the last of these lines; op_host ensures that.
template <typename T>
__aicore__ inline void StoreRests(AscendC::GlobalTensor<T> dst, const AscendC::LocalTensor<T>& src, const Rows& rows) {
    const uint32_t whole = WholeOf<T>(rows);
    WaitFor<AscendC::HardEvent::MTE3_S>();
    WaitFor<AscendC::HardEvent::V_S>();
    for (uint32_t row = 0; row < rows.count; row++) {
        const int64_t rest = row * rows.gmStep + whole;
        const int64_t last = row * rows.gmStep + rows.length - 1;
        for (int64_t i = rest; i <= last; i++) {
            dst.SetValue(i, src.GetValue(row * rows.ubStep + whole + static_cast<uint32_t>(i - rest)));
        }
        // from the first element to the end of its line, and the next line if the rest continues there
        AscendC::DataCacheCleanAndInvalid<T, AscendC::CacheLine::SINGLE_CACHE_LINE>(dst[rest]);
        AscendC::DataCacheCleanAndInvalid<T, AscendC::CacheLine::SINGLE_CACHE_LINE>(dst[last]);
    }
    WaitFor<AscendC::HardEvent::S_MTE3>();
}

template <typename T>
__aicore__ inline void Store(const AscendC::GlobalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                             const Rows& rows) {
    const uint32_t whole = WholeOf<T>(rows);
    if (whole < rows.length) {
        StoreRests(dst, src, rows);
    }
    for (uint32_t row = 0; whole > 0 && row < rows.count; row++) {
        AscendC::DataCopy(dst[row * rows.gmStep], src[row * rows.ubStep], whole);
    }
}

}  // namespace whole_blocks

#endif  // WHOLE_BLOCKS_H
