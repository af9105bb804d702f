// What the kernel API asks of libascendc_sim: the headers translate types and call sites, the library checks and
// computes. Everything here runs on the simulated core of the calling thread and throws (to the engine, through the
// kernel) when the hardware would refuse.
#include "private.h"
#ifndef ASCENDC_SIM_ENGINE_H
#define ASCENDC_SIM_ENGINE_H

#include "dtype.h"

#define ASCENDC_SIM_API __attribute__((visibility("default")))

namespace sim {

// Where in the kernel's source a call stands.
struct Site {
    const char* file;
    int line;

    static constexpr Site Here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
        return Site{file, line};
    }
};

// A vector function's call: its name and documentation page (below SIMD-API/基础API/Memory矢量计算/), and where it
// stands.
struct VectorCall {
    const char* api;
    const char* page;
    Site site;
};

// Hardware pipes. Documentation: SIMD-API/基础API/同步控制/核内同步/核内同步能力概述
enum class Pipe : uint8_t { kScalar, kVector, kMte1, kMte2, kMte3, kMatrix, kFix, kCount };
inline constexpr int kPipes = static_cast<int>(Pipe::kCount);

// The memories inside a core. Documentation: SIMD-API/通用说明和约束, 表1
enum class Memory : uint8_t { kUb, kL1, kL0A, kL0B, kL0C, kBiasTable, kFixpipe, kCount };

// A stretch of the unified buffer as a LocalTensor sees it, in bytes from the buffer's start. Tensors of an AIC's
// memories have the same form, but no function of the vector unit takes them.
struct Ub {
    uint32_t addr = 0;
    uint32_t end = 0;         // one past the tensor's last byte
    int32_t buffer = -1;      // the queue buffer it came from, or -1
    uint32_t generation = 0;  // how often that buffer had been allocated
    Memory memory = Memory::kUb;
};

// Repeats with strides, the "tensor高维切分" form. Documentation: SIMD-API/基础API/Memory矢量计算/SIMD计算说明/高维切分
struct Repeats {
    uint64_t mask[2];  // bit i: lane i takes part
    uint32_t times;
    // in 32-byte blocks
    uint32_t dstBlock, srcBlock[2];
    uint32_t dstRepeat, srcRepeat[2];
    uint64_t lanes = 0;  // as asked for in the continuous mask mode; 0 in the bit mode
};

enum class UnaryOp : uint8_t { kAbs, kExp, kLn, kSqrt, kRsqrt, kReciprocal, kRelu, kNot, kCount };
enum class BinaryOp : uint8_t {
    kAdd,
    kSub,
    kMul,
    kDiv,
    kMax,
    kMin,
    kAnd,
    kOr,
    kAddRelu,
    kSubRelu,
    kMulAddDst,
    kFusedMulAdd,
    kMulAddRelu,
    kCount
};
enum class ScalarOp : uint8_t { kAdds, kMuls, kMaxs, kMins, kLeakyRelu, kShiftLeft, kShiftRight, kAxpy, kCount };

ASCENDC_SIM_API void Unary(const VectorCall& call, UnaryOp op, Dtype type, const Ub& dst, const Ub& src, int64_t count,
                           const Repeats* repeats);
// `from` is the sources' type where it differs from the destination's (MulAddDst), else the same.
ASCENDC_SIM_API void Binary(const VectorCall& call, BinaryOp op, Dtype type, Dtype from, const Ub& dst, const Ub& src0,
                            const Ub& src1, int64_t count, const Repeats* repeats);
ASCENDC_SIM_API void BinaryScalar(const VectorCall& call, ScalarOp op, Dtype type, Dtype from, const Ub& dst,
                                  const Ub& src, uint64_t scalar, int64_t count, const Repeats* repeats);
ASCENDC_SIM_API void Cast(const VectorCall& call, Dtype type, Dtype from, uint32_t roundMode, const Ub& dst,
                          const Ub& src, int64_t count, const Repeats* repeats);
ASCENDC_SIM_API void Compare(const VectorCall& call, uint32_t mode, Dtype type, const Ub& dst, const Ub& src0,
                             const Ub& src1, int64_t count);
ASCENDC_SIM_API void CompareScalar(const VectorCall& call, uint32_t mode, Dtype type, const Ub& dst, const Ub& src,
                                   uint64_t scalar, int64_t count);
ASCENDC_SIM_API void SelectTensor(const VectorCall& call, uint32_t mode, Dtype type, const Ub& dst, const Ub& mask,
                                  const Ub& src0, const Ub& src1, int64_t count);
ASCENDC_SIM_API void SelectScalar(const VectorCall& call, uint32_t mode, Dtype type, const Ub& dst, const Ub& mask,
                                  const Ub& src0, uint64_t scalar, int64_t count);
ASCENDC_SIM_API void Duplicate(const VectorCall& call, Dtype type, const Ub& dst, uint64_t scalar, int64_t count,
                               const Repeats* repeats);

// One DataCopy or DataCopyPad, all lengths in bytes. Which rule set applies is the caller's to say.
struct Bursts {
    const char* api;   // "DataCopy" or "DataCopyPad"
    const char* page;  // its documentation page
    uint32_t count;
    uint64_t bytes;   // per block
    uint64_t srcGap;  // between the end of a block and the start of the next
    uint64_t dstGap;
    uint32_t element;  // sizeof(T)
    bool padded;       // blocks on the UB side are completed to 32 bytes
    bool fill;         // DataCopyPadExtParams::isPad
    uint32_t left;     // elements
    uint32_t right;
    uint64_t value;  // bits of paddingValue
};
ASCENDC_SIM_API void CopyGmToUb(const Bursts& bursts, const Ub& dst, uint64_t src, Site site);
ASCENDC_SIM_API void CopyUbToGm(const Bursts& bursts, uint64_t dst, const Ub& src, Site site);
// What transfers from a local memory to global memory do with what they find there, until it is set again.
enum class Atomic : uint8_t { kNone, kAdd, kMax, kMin };
ASCENDC_SIM_API void SetAtomic(Atomic op, Dtype type);
ASCENDC_SIM_API void CopyUbToUb(const Bursts& bursts, const Ub& dst, const Ub& src, Site site);

// Scalar unit. `bytes` is 1, 2, 4 or 8; the value travels in the low bytes.
ASCENDC_SIM_API uint64_t ReadUb(const Ub& tensor, uint64_t index, uint32_t bytes, Site site);
ASCENDC_SIM_API void WriteUb(const Ub& tensor, uint64_t index, uint32_t bytes, uint64_t value, Site site);
ASCENDC_SIM_API uint64_t ReadGm(uint64_t base, uint64_t index, uint32_t bytes, Site site);
ASCENDC_SIM_API void WriteGm(uint64_t base, uint64_t index, uint32_t bytes, uint64_t value, Site site);
// Writes the data cache's line at `addr`, or all lines, back to global memory.
ASCENDC_SIM_API void CleanCache(uint64_t addr, bool all);
// A view of `tensor` that starts `bytes` later; refuses one that starts behind its end.
ASCENDC_SIM_API Ub Slice(const Ub& tensor, uint64_t bytes);
ASCENDC_SIM_API Ub UbAt(Memory memory, uint64_t addr, uint64_t bytes, Site site);
// `bytes` of `buffer`, starting `offset` bytes into it.
ASCENDC_SIM_API Ub BufferView(const Ub& buffer, uint64_t offset, uint64_t bytes, Site site);

// Buffers and queues. Positions are AscendC::TPosition values.
struct QueueSpec {
    uint8_t source;
    uint8_t destination;
    uint8_t position;  // whose buffers they are
    int32_t depth;
};
ASCENDC_SIM_API void PipeOpen(void* pipe);
ASCENDC_SIM_API void PipeReset();
ASCENDC_SIM_API void PipeClose(void* pipe);
ASCENDC_SIM_API void* PipeCurrent();
ASCENDC_SIM_API int32_t QueueInit(const QueueSpec& spec, uint32_t buffers, uint32_t bytes, Site site);
ASCENDC_SIM_API Ub BufferInit(uint8_t position, uint32_t bytes, Site site);
ASCENDC_SIM_API Ub QueueAlloc(int32_t queue, Site site);
ASCENDC_SIM_API void QueueEnQue(int32_t queue, const Ub& tensor, Site site);
ASCENDC_SIM_API Ub QueueDeQue(int32_t queue, Site site);
ASCENDC_SIM_API void QueueFree(int32_t queue, const Ub& tensor, Site site);
enum class QueueQuestion : uint8_t { kVacant, kHasTensor, kTensorCount, kHasIdle };
ASCENDC_SIM_API int32_t QueueAsk(int32_t queue, QueueQuestion question, Site site);

// Synchronisation. An event is a pair of pipes and an id.
ASCENDC_SIM_API void Barrier(Pipe pipe, bool all, Site site);
ASCENDC_SIM_API void SetFlag(Pipe from, Pipe to, int32_t id, Site site);
ASCENDC_SIM_API void WaitFlag(Pipe from, Pipe to, int32_t id, Site site);
ASCENDC_SIM_API int32_t AllocEvent(Pipe from, Pipe to, bool occupy, Site site);
ASCENDC_SIM_API void ReleaseEvent(Pipe from, Pipe to, int32_t id, Site site);

// Between cores. `pipe` is the one whose earlier instructions the signal is behind.
ASCENDC_SIM_API void CrossCoreSet(uint32_t mode, Pipe pipe, uint32_t flag, Site site);
ASCENDC_SIM_API void CrossCoreWait(uint32_t flag, Site site);
ASCENDC_SIM_API void SyncAllHard(bool aivOnly, Site site);
// `used` is 0 for all AIVs. `bytes` are the sizes of the two workspaces, 0 where the kernel has not said it.
ASCENDC_SIM_API void SyncAllSoft(uint64_t gm, uint64_t gmBytes, const Ub& ub, uint32_t used, Site site);
ASCENDC_SIM_API void IbSet(uint64_t gm, const Ub& ub, int32_t block, int32_t event, bool aivOnly, Site site);
ASCENDC_SIM_API void IbWait(uint64_t gm, const Ub& ub, int32_t block, int32_t event, bool aivOnly, Site site);

// System variables and tiling.
ASCENDC_SIM_API bool OnCubeCore();
ASCENDC_SIM_API int64_t BlockIndex();
ASCENDC_SIM_API int64_t BlockCount();
ASCENDC_SIM_API int64_t SubBlockIndex();
ASCENDC_SIM_API int64_t SubBlockCount();  // cores of this core's kind in a block
// Parts of the workspace argument, as addresses.
ASCENDC_SIM_API uint64_t SystemWorkspace(Site site);
ASCENDC_SIM_API void SetSystemWorkspace(uint64_t workspace, Site site);
ASCENDC_SIM_API uint64_t UserWorkspace(uint64_t workspace, Site site);
ASCENDC_SIM_API uint64_t TilingKey();
ASCENDC_SIM_API uint32_t UbBytes();
// Checks that `bytes` can be read at the tiling argument.
ASCENDC_SIM_API const void* TilingData(const void* tiling, uint64_t bytes, Site site);

// A list of tensors in global memory (kernel_operator_list_tensor_intf.h).
struct TensorList {
    uint64_t descriptions;  // address of the first rank
    uint64_t pointers;      // address of the first data pointer
    uint32_t rank;          // of the first tensor
    uint32_t said;          // beside the first rank: a number of tensors, or an index that is 0
    uint32_t last;          // beside the last rank
    uint32_t described;
    uint32_t count;
    bool sameRanks;
};
// `length` in bytes; 0xffffffff where it or `count` is not given.
ASCENDC_SIM_API TensorList ListOpen(uint64_t addr, uint32_t length, uint32_t count, Site site);
ASCENDC_SIM_API uint32_t ListSize(const TensorList& list, Site site);
ASCENDC_SIM_API uint64_t ListPointer(const TensorList& list, uint32_t index, Site site);
ASCENDC_SIM_API void ListDims(const TensorList& list, uint32_t index, uint64_t* dims, Site site);
// Checks that there is a dim `dim`.
ASCENDC_SIM_API void ListDim(uint64_t rank, uint32_t dim, Site site);

// Debugging.
[[noreturn]] ASCENDC_SIM_API void AssertFailed(const char* condition, const char* text, Site site);
ASCENDC_SIM_API void Print(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace sim

#endif
