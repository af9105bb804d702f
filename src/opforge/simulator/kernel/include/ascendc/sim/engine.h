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

[[noreturn]] ASCENDC_SIM_API void TooManyRepeats(int64_t times, Site site);

// The parameter repeatTime, of 8 bits: a number that does not fit would become another one without a word.
// Documentation: SIMD-API/基础API/Memory矢量计算/SIMD计算说明/高维切分
class RepeatTime {
public:
    template <typename T, typename = std::enable_if_t<std::is_convertible_v<T, int64_t>>>
    constexpr RepeatTime(T times, Site site = Site::Here()) : times_(static_cast<uint8_t>(times)) {
        if (static_cast<int64_t>(times) < 0 || static_cast<int64_t>(times) > 255) {
            TooManyRepeats(static_cast<int64_t>(times), site);
        }
    }
    constexpr operator uint8_t() const { return times_; }

private:
    uint8_t times_;
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
    bool bypassesL2 = false;
};
ASCENDC_SIM_API void CopyGmToUb(const Bursts& bursts, const Ub& dst, uint64_t src, Site site);
ASCENDC_SIM_API void CopyUbToGm(const Bursts& bursts, uint64_t dst, const Ub& src, Site site);
// Fractals of 16 elements a row, in the units of Nz2NdParamsFull.
struct Nz2Nd {
    uint16_t matrices, rows, columns;
    uint16_t srcMatrix, srcColumn, dstRow, dstMatrix;
    uint32_t element;
};
ASCENDC_SIM_API void CopyNz2Nd(const Nz2Nd& params, uint64_t dst, const Ub& src, Site site);
// AscendC::SliceInfo of both sides.
struct Slices {
    static constexpr uint32_t kMostDims = 8;
    struct Dim {
        uint32_t start, end, stride, burst, shape;
    };
    uint32_t dims;
    Dim local[kMostDims];
    Dim global[kMostDims];
};
ASCENDC_SIM_API void CopySlices(const Slices& slices, uint32_t element, bool in, const Ub& local, uint64_t global,
                                Site site);
// Refuses what the older products do on the way.
ASCENDC_SIM_API void CheckEnhanced(bool enhanced, Site site);
ASCENDC_SIM_API void SetPadValue(uint64_t value);
// What transfers from a local memory to global memory do with what they find there, until it is set again.
enum class Atomic : uint8_t { kNone, kAdd, kMax, kMin, kKeep };
// kKeep: only the type changes, of an addition where there was no operation.
ASCENDC_SIM_API void SetAtomic(Atomic op, Dtype type);
ASCENDC_SIM_API bool AtomicNow();
ASCENDC_SIM_API Dtype AtomicTypeNow();
ASCENDC_SIM_API void CopyUbToUb(const Bursts& bursts, const Ub& dst, const Ub& src, Site site);

// Scalar unit. `bytes` is 1, 2, 4 or 8; the value travels in the low bytes.
ASCENDC_SIM_API uint64_t ReadUb(const Ub& tensor, uint64_t index, uint32_t bytes, Site site);
ASCENDC_SIM_API void WriteUb(const Ub& tensor, uint64_t index, uint32_t bytes, uint64_t value, Site site);
ASCENDC_SIM_API uint64_t ReadGm(uint64_t base, uint64_t index, uint32_t bytes, Site site);
ASCENDC_SIM_API void WriteGm(uint64_t base, uint64_t index, uint32_t bytes, uint64_t value, Site site);
// The same past the data cache.
ASCENDC_SIM_API uint64_t ReadGmPast(uint64_t addr, uint32_t bytes, Site site);
ASCENDC_SIM_API void WriteGmPast(uint64_t addr, uint32_t bytes, uint64_t value, Site site);
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
ASCENDC_SIM_API void PipeOpen(void* pipe, Site site);
ASCENDC_SIM_API void PipeUse(void* pipe, Site site);
ASCENDC_SIM_API void PipeReset();
ASCENDC_SIM_API void PipeClose(void* pipe);
ASCENDC_SIM_API void* PipeCurrent();
ASCENDC_SIM_API int32_t QueueInit(const QueueSpec& spec, uint32_t buffers, uint32_t bytes, Site site);
ASCENDC_SIM_API Ub BufferInit(uint8_t position, uint32_t bytes, Site site);
ASCENDC_SIM_API Ub QueueAlloc(int32_t queue, Site site);
ASCENDC_SIM_API void QueueEnQue(int32_t queue, const Ub& tensor, Site site);
ASCENDC_SIM_API Ub QueueDeQue(int32_t queue, Site site);
ASCENDC_SIM_API void QueueFree(int32_t queue, const Ub& tensor, Site site);
// EnQue and DeQue between positions that the call names.
ASCENDC_SIM_API void QueueEnQueBetween(int32_t queue, uint8_t source, uint8_t destination, const Ub& tensor, Site site);
ASCENDC_SIM_API Ub QueueDeQueBetween(int32_t queue, uint8_t source, uint8_t destination, Site site);
ASCENDC_SIM_API void QueueFreeAllEvent(int32_t queue, Site site);
// An AscendC::TBufState.
ASCENDC_SIM_API uint8_t QueueState(int32_t queue, const Ub& tensor, Site site);
// A queue of `count` buffers; places are pairs of address and bytes, the first pair first, then all other addresses,
// then all other lengths.
ASCENDC_SIM_API int32_t QueueAt(const QueueSpec& spec, const uint64_t* places, uint32_t count, Site site);
ASCENDC_SIM_API void PipeCloseUnordered(void* pipe);
// A TBufPool: its place, and what of it has been given out.
struct PoolUse {
    uint32_t bytes = 0;
    uint32_t buffers = 0;
};
ASCENDC_SIM_API Ub PoolInit(uint8_t position, uint32_t bytes, Site site);
ASCENDC_SIM_API Ub PoolShare(const Ub& pool, uint32_t bytes, Site site);
ASCENDC_SIM_API Ub PoolTake(const Ub& pool, PoolUse& used, uint32_t most, uint32_t bytes, Site site);
ASCENDC_SIM_API int32_t PoolQueue(const Ub& pool, PoolUse& used, uint32_t most, const QueueSpec& spec, uint32_t buffers,
                                  uint32_t bytes, Site site);
ASCENDC_SIM_API void PoolReset(const Ub& pool);
// What no InitBuffer has taken of a position's memory.
ASCENDC_SIM_API Ub StackBuffer(uint8_t position, Site site);
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

// Turns of the AIVs, in the order of their indices.
ASCENDC_SIM_API void TurnInit(uint64_t gm, const Ub& ub, Site site);
ASCENDC_SIM_API void TurnWait(uint64_t gm, const Ub& ub, Site site);
ASCENDC_SIM_API void TurnPass(uint64_t gm, const Ub& ub, Site site);

// Caches, special registers, and what prepares a core.
ASCENDC_SIM_API void PreloadData(uint64_t addr, int64_t offset, Site site);
ASCENDC_SIM_API void PreloadInstructions(int64_t units, Site site);
ASCENDC_SIM_API void InitSocState();
// Of the control register: bits [first, last].
ASCENDC_SIM_API int64_t ControlBits(uint32_t first, uint32_t last);
ASCENDC_SIM_API void SetControlBits(uint32_t first, uint32_t last, int64_t value, Site site);
// `count` elements of global memory become the value, through what is left of the unified buffer.
ASCENDC_SIM_API void FillGm(const char* api, uint64_t gm, uint64_t count, uint32_t element, uint64_t value, Site site);
ASCENDC_SIM_API int64_t SystemCycle();
[[noreturn]] ASCENDC_SIM_API void TrapHere(Site site);

// System variables and tiling.
// Neither on an AI Core that has both units.
ASCENDC_SIM_API bool OnCubeCore();
ASCENDC_SIM_API bool OnVectorCore();
ASCENDC_SIM_API int64_t BlockIndex();
ASCENDC_SIM_API int64_t BlockCount();
ASCENDC_SIM_API int64_t SubBlockIndex();
ASCENDC_SIM_API int64_t SubBlockCount();  // cores of this core's kind in a block
// Parts of the workspace argument, as addresses.
ASCENDC_SIM_API uint64_t SystemWorkspace(Site site);
ASCENDC_SIM_API void SetSystemWorkspace(uint64_t workspace, Site site);
ASCENDC_SIM_API uint64_t UserWorkspace(uint64_t workspace);
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

// Debugging. What a call of printf prints: its text is checked against the arguments' types.
struct Printed {
    enum Kind : uint8_t { kSigned, kUnsigned, kFloat, kText, kPointer } kind;
    union {
        int64_t number;
        uint64_t bits;
        double real;
        const char* text;
    };
};
ASCENDC_SIM_API void Print(const char* format, const Printed* values, uint32_t count, Site site);
[[noreturn]] ASCENDC_SIM_API void AssertFailed(const char* api, const char* condition, const char* text, Site site);
[[noreturn]] ASCENDC_SIM_API void AssertSaid(const char* api, const char* condition, const char* format,
                                             const Printed* values, uint32_t count, Site site);
// What DumpTensor prints. `shape`: `dims` sizes, or null.
struct Dump {
    uint32_t desc;
    uint32_t count;
    const uint32_t* shape;
    uint32_t dims;
};
ASCENDC_SIM_API void DumpLocal(const char* api, const Dump& dump, Dtype type, bool boolean, const Ub& tensor,
                               Site site);
ASCENDC_SIM_API void DumpGlobal(const char* api, const Dump& dump, Dtype type, bool boolean, uint64_t addr, Site site);

}  // namespace sim

#endif
