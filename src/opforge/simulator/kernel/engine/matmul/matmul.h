// The Matmul object inside the engine: what a vector core's client sends to its block's cube core, and what the cube
// core keeps for each of its clients. Documentation: 高阶API/矩阵计算/Matmul-Kernel侧接口
#ifndef OPFORGE_SIM_KERNEL_MATMUL_H
#define OPFORGE_SIM_KERNEL_MATMUL_H

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "launch/contexts.h"
#include "cube/gemm.h"
#include "sim/matmul.h"

namespace sim {

// Where the pages of the Matmul object lie.
#define MATMUL_PAGE(name) "高阶API/矩阵计算/Matmul-Kernel侧接口/" name

inline constexpr size_t kMostMatmulObjects = 4;

// An operand that lies in the core: the bytes of the unified buffer as they left it, or a place in L1.
struct MatmulLocal {
    std::vector<uint8_t> bytes;
    std::vector<uint8_t> defined;  // empty: all of them
    Ub place{};
    bool inL1 = false;
};

// What the next computation takes: set by the client, sent along with a message.
struct MatmulRound {
    uint64_t a = 0;
    uint64_t b = 0;
    uint64_t bias = 0;  // 0: none
    bool aTransposed = false;
    bool bTransposed = false;
    int32_t m = 0, n = 0, k = 0;                       // of this computation
    int32_t orgM = 0, orgN = 0, orgKa = 0, orgKb = 0;  // of the whole matrices
    uint64_t quantScalar = 0;                          // for all columns
    uint64_t quantVector = 0;                          // address of one word a column; 0: none
    bool quantised = false;
    Hf32 hf32 = Hf32::kOff;
    int32_t orgKc = 0;                                             // elements from one row of C to the next; 0: orgN
    std::shared_ptr<const MatmulLocal> localA, localB, localBias;  // null: in global memory
    uint64_t info = 0, data = 0;                                   // for callback functions
};

// A finished write into GM that the client may wait for.
struct MatmulDone {
    CoreClock clock;
    Call call;
};

// A block of C on its way into the unified buffer. The real client takes it through the system workspace.
struct MatmulTransit {
    std::vector<uint8_t> bytes;
    std::vector<uint8_t> defined;
    explicit MatmulTransit(size_t size = 0) : bytes(size), defined(size) {}
};

struct MatmulState {
    MatmulSpec spec{};
    bool ready = false;  // has a tiling
    MatmulBlocks blocks{};
    MatmulRound round;

    // of the client
    bool haveA = false, haveB = false;
    bool fresh = false;     // a tensor has been set since the last computation began
    uint32_t step = 0;      // which base block Iterate has computed last
    bool iterated = false;  // there is a block for GetTensorC
    bool cached = false;    // the blocks of this Iterate<false> lie in the workspace
    uint32_t taken = 0;     // how many of those GetTensorC has handed out
    uint64_t cache = 0;     // SetWorkspace
    uint32_t loops = 0;     // of the IterateNBatch whose results lie there
    Ub room;                // SetLocalWorkspace
    bool haveRoom = false;
    bool open = false;     // an Iterate that no End has ended holds the cube core
    uint32_t pending = 0;  // messages that the client has yet to wait for
    size_t waited = 0;     // of `done`

    // of the cube core
    std::vector<float> sums;  // L0C: the block that was computed last
    bool sumsDefined = false;
    int32_t residentA = -1;  // which rows of A and columns of B lie in L1, for the counters
    int32_t residentB = -1;
    Ub tilesA{}, tilesB{}, tileC{};  // where callback functions copy to and from
    std::vector<MatmulDone> done;
    MatmulTransit transit;

    // What lies in the core, as this computation has it; a cube core's L1 is read when it begins.
    std::shared_ptr<const MatmulLocal> insideA, insideB;

    uint32_t BlocksOfM() const { return static_cast<uint32_t>((round.m + blocks.baseM - 1) / blocks.baseM); }
    uint32_t BlocksOfN() const { return static_cast<uint32_t>((round.n + blocks.baseN - 1) / blocks.baseN); }
};

enum class MatmulAction : uint8_t { kIterate, kGetTensorC, kIterateAll, kEnd };

struct MatmulMessage {
    MatmulAction action;
    Call call;
    MatmulState* state;
    MatmulRound round;
    uint32_t step = 0;  // kIterate, kGetTensorC: the base block
    bool partial = false;
    bool hold = false;     // the cube core serves nobody else until End
    bool notify = false;   // the client waits for it, or may
    bool fake = false;     // computes nothing: the other vector core's call has its counterpart
    int32_t shared = -1;   // the number of this call, where matrices are shared
    bool intoCo1 = false;  // kIterate: `co1` takes the block
    Ub co1{};
    bool inTransit = false;
    int64_t transitOffset = 0;  // elements
    uint64_t gm = 0;
    MatmulWrite write{};
    CoreClock clock{};  // of the pipe that has sent it
};

// One vector core's objects, or a cube core's own.
struct MatmulClient {
    std::array<MatmulState, kMostMatmulObjects> objects;
    size_t count = 0;
    std::deque<MatmulMessage> queue;
    bool left = false;
};

// An IterateAll with IBShare.
struct MatmulShared {
    bool fake;
    uint64_t a, b;
};

// What the cores of one block share.
struct MatmulGroup {
    // the calls with IBShare of each object, by vector core, and how many of AIV 0 have been computed
    std::array<std::array<std::vector<MatmulShared>, 2>, kMostMatmulObjects> shared;
    std::array<int32_t, kMostMatmulObjects> sharedDone{};
    std::vector<MatmulClient> clients;  // by sub block; a cube core's own objects are the last
    int32_t held = -1;                  // the client the cube core must go on with
    uint32_t next = 0;
    bool serving = false;
    bool served = false;  // the cube core has left the server
};

MatmulGroup& MatmulOf(Core& core);
MatmulClient& MatmulClientOf(Core& core);
// The object of a call; `tiled`: it must have its tiling.
MatmulState& MatmulFind(Core& core, int32_t object, const Call& call, bool tiled = true);
// On the core itself, with no messages.
inline bool MatmulInPlace(const Core& core) { return core.HasCube(); }
// What writes C into global memory: FIX, and MTE3 where C comes through the unified buffer.
inline Pipe MatmulOut(const Core& core) { return core.Kind() == CoreKind::kCoupled ? Pipe::kMte3 : Pipe::kFix; }

// What the computations have in common: what must have been set, how a message leaves, how the client waits for the
// oldest one that nobody has waited for, and what is over when a computation has begun (a client's bias goes with one
// message; on a cube core it stays).
void CheckAtomic(uint8_t atomic, const Call& call);
void CheckRound(Core& core, MatmulState& state, const Call& call);
void CheckUbForC(Core& core, const MatmulState& state, const Ub& ub, const Call& call);
void MatmulSend(Core& core, MatmulMessage message);
void MatmulWait(Core& core, MatmulState& state, const Call& call);
// Keeps what the two vector cores of a block must pass alike.
void MatmulShare(Core& core, int32_t object, MatmulMessage& message);
void MatmulBegan(const Core& core, MatmulState& state);
// Out of the workspace by MTE2, and the vector unit waits for it.
void MatmulArrive(Core& core, MatmulState& state, const Ub& ub, const Call& call);

// What the object keeps of A and B in L1.
int64_t MatmulBytesOfA(const MatmulSpec& spec, const MatmulBlocks& blocks);
int64_t MatmulBytesOfB(const MatmulSpec& spec, const MatmulBlocks& blocks);
// TCubeTiling结构体, 表2 and 表3.
void CheckMatmulBlocks(const Core& core, const MatmulSpec& spec, const MatmulBlocks& blocks, const Call& call);

// A base block of C at [row, column] into L0C: what is loaded for it and computed.
void CountMatmulBlock(Core& cube, MatmulState& state, const MatmulMessage& message, int32_t row, int32_t column,
                      bool bias);
// What the objects of this core's kernel take of L1 and L0.
void CountMatmulBuffers(Core& core);

// AI Cores with both units. The object changes formats in the unified buffer: what it asks for before a computation,
// and what becomes of its room by one.
void CheckCoupled(Core& core, const MatmulState& state, const Call& call);
void UseMatmulRoom(Core& core, const MatmulState& state, const Call& call);

// On the cube core: what the message says, at once.
void MatmulCompute(Core& cube, const MatmulMessage& message);

}  // namespace sim

#endif
