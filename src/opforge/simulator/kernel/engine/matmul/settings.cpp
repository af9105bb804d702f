// The Matmul object's settings: registration, tiling, shapes, tensors. They cost no message of their own; what they say
// goes with the next computation.
#include <cstring>

#include "vector/arithmetic.h"
#include "memory/local_memory.h"
#include "operands.h"
#include "memory/ub_operand.h"

namespace sim {
namespace {

constexpr Rule kRegistered = {"matmul-registered", "an object is registered by REGIST_MATMUL_OBJ before it is used",
                              MATMUL_PAGE("REGIST_MATMUL_OBJ")};
constexpr Rule kTiled = {"matmul-tiled", "an object gets its tiling from REGIST_MATMUL_OBJ or Init before it is used",
                         MATMUL_PAGE("Init")};
constexpr DeviceRule kBeforeBuffers = {
    {"matmul-before-buffers", "REGIST_MATMUL_OBJ comes before InitBuffer", MATMUL_PAGE("REGIST_MATMUL_OBJ")},
    "TPipe has a pool for each memory, and what the object takes lies in L1",
    "asc-devkit 82b89a1, impl/basic_api/kernel_tpipe_impl.h:264; ops-transformer c29bc106, "
    "ffn/swin_transformer_ln_qkv/op_kernel/swin_transformer_ln_qkv.cpp:152"};
constexpr Rule kFourObjects = {"matmul-objects", "a kernel has at most 4 Matmul objects",
                               MATMUL_PAGE("REGIST_MATMUL_OBJ")};
constexpr Rule kFourBits = {"matmul-four-bits", "products of int4b_t are not simulated: a kernel with one compiles",
                            MATMUL_PAGE("Matmul使用说明")};
constexpr Rule kWorkspace = {"matmul-system-workspace",
                             "REGIST_MATMUL_OBJ takes the TPipe and the system workspace (GetSysWorkSpacePtr())",
                             MATMUL_PAGE("REGIST_MATMUL_OBJ")};
constexpr Rule kLengths = {"matmul-single-shape", "singleCoreM, singleCoreN and singleCoreK are above 0",
                           MATMUL_PAGE("SetSingleShape")};
constexpr Rule kOrgLengths = {"matmul-org-shape", "the lengths of the whole matrices are above 0",
                              MATMUL_PAGE("SetOrgShape")};
constexpr Rule kTransposed = {
    "matmul-transposed", "a matrix is transposed only where its MatmulType says ISTRANS; float matrices then always",
    MATMUL_PAGE("SetTensorA")};
constexpr Rule kBias = {"matmul-bias", "SetBias needs isBias in the tiling", MATMUL_PAGE("SetBias")};
constexpr Rule kHf32 = {"matmul-hf32", "transMode is 0 (ties to even) or 1 (away from zero)", MATMUL_PAGE("SetHF32")};
constexpr Rule kOffset = {"matmul-operand-blocks", "an operand in the unified buffer is a multiple of 32 bytes",
                          MATMUL_PAGE("SetTensorA")};

}  // namespace

MatmulState& MatmulFind(Core& core, int32_t object, const Call& call, bool tiled) {
    core.Poll();
    if (object < 0) {
        Fail(call, kRegistered, "this Matmul object has not been registered");
    }
    MatmulState& state = MatmulClientOf(core).objects[static_cast<size_t>(object)];
    if (tiled && !state.ready) {
        Fail(call, kTiled, "this Matmul object has no tiling");
    }
    return state;
}

MatmulGroup& MatmulOf(Core& core) {
    Group& group = core.Group();
    if (group.matmul == nullptr) {
        auto shared = std::make_shared<MatmulGroup>();
        shared->clients.resize(group.vectors.size() + 1);
        group.matmul = std::move(shared);
    }
    return *static_cast<MatmulGroup*>(group.matmul.get());
}

MatmulClient& MatmulClientOf(Core& core) {
    MatmulGroup& group = MatmulOf(core);
    return core.Kind() == CoreKind::kCube ? group.clients.back() : group.clients[core.SubBlock()];
}

int32_t MatmulRegister(const MatmulSpec& spec, void* pipe, const void* workspace, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    const Call call{"REGIST_MATMUL_OBJ", site};
    if (pipe == nullptr || (workspace == nullptr && !spec.cubeOnly)) {
        Fail(call, kWorkspace, "%s is null", pipe == nullptr ? "the TPipe" : "the workspace");
    }
    if (spec.a == Dtype::kInt4) {
        Fail(call, kFourBits, "A and B have the data type int4b_t");
    }
    if (!spec.cubeOnly && core.Kind() != CoreKind::kCoupled && core.memory.buffers.Any()) {
        LetPass(call, kBeforeBuffers, "InitBuffer has been called before");
    }
    MatmulClient& client = MatmulClientOf(core);
    if (client.count == kMostMatmulObjects) {
        Fail(call, kFourObjects, "this is Matmul object number %zu", client.count + 1);
    }
    client.left = false;
    client.objects[client.count].spec = spec;
    return static_cast<int32_t>(client.count++);
}

void MatmulLeave() {
    Core& core = CurrentCore();
    if (core.Kind() == CoreKind::kVector) {
        MatmulClientOf(core).left = true;
        Changed();
    }
}

void MatmulInit(int32_t object, const MatmulBlocks& blocks, Site site) {
    Core& core = CurrentCore();
    const Call call{"Init", site};
    MatmulState& state = MatmulFind(core, object, call, false);
    CheckMatmulBlocks(core, state.spec, blocks, call);
    state.ready = true;
    state.blocks = blocks;
    state.round.m = blocks.singleM;
    state.round.n = blocks.singleN;
    state.round.k = blocks.singleK;
    state.round.orgM = blocks.m;
    state.round.orgN = blocks.n;
    state.round.orgKa = blocks.ka;
    state.round.orgKb = blocks.kb;
    state.round.orgKc = 0;
    state.cache = 0;
    state.haveRoom = false;
    CountMatmulBuffers(core);
}

void MatmulSetOrgShape(int32_t object, const int32_t (&shape)[5], Site site) {
    const Call call{"SetOrgShape", site};
    MatmulState& state = MatmulFind(CurrentCore(), object, call);
    if (shape[0] <= 0 || shape[1] <= 0 || shape[2] <= 0 || shape[3] <= 0 || shape[4] < 0) {
        Fail(call, kOrgLengths, "M is %d, N %d, Ka %d, Kb %d, Kc %d", shape[0], shape[1], shape[2], shape[3], shape[4]);
    }
    state.round.orgM = shape[0];
    state.round.orgN = shape[1];
    state.round.orgKa = shape[2];
    state.round.orgKb = shape[3];
    state.round.orgKc = shape[4];
}

void MatmulSetSingleShape(int32_t object, const char* api, int32_t m, int32_t n, int32_t k, Site site) {
    const Call call{api, site};
    MatmulState& state = MatmulFind(CurrentCore(), object, call);
    const struct {
        int32_t value;
        int32_t* to;
        const char* name;
    } lengths[] = {{m, &state.round.m, "M"}, {n, &state.round.n, "N"}, {k, &state.round.k, "K"}};
    for (const auto& length : lengths) {
        if (length.value == -1) {
            continue;  // stays as it is
        }
        if (length.value <= 0) {
            Fail(call, kLengths, "%s is %d", length.name, length.value);
        }
        *length.to = length.value;
    }
}

namespace {

// A tensor of its own, or none and an address in global memory.
void SetOperand(MatmulState& state, MatmulOperand operand, uint64_t addr, bool transposed,
                std::shared_ptr<const MatmulLocal> local, const Call& call) {
    const bool isA = operand == MatmulOperand::kA;
    const bool transposable = isA ? state.spec.aTransposable : state.spec.bTransposable;
    const Dtype type = isA ? state.spec.a : state.spec.b;
    if ((transposed && !transposable) || (type == Dtype::kFloat && transposed != transposable)) {
        Fail(call, kTransposed, "%s of type %s is %stransposed here, but ISTRANS is %s", isA ? "A" : "B", Name(type),
             transposed ? "" : "not ", transposable ? "true" : "false");
    }
    (isA ? state.round.a : state.round.b) = addr;
    (isA ? state.round.localA : state.round.localB) = std::move(local);
    (isA ? state.round.aTransposed : state.round.bTransposed) = transposed;
    (isA ? state.haveA : state.haveB) = true;
    state.fresh = true;
}

void CheckBias(const MatmulState& state, const Call& call) {
    if (state.blocks.isBias == 0) {
        Fail(call, kBias, "isBias is 0");
    }
}

// The client copies what lies in its unified buffer into the workspace, at once and behind the vector unit.
std::shared_ptr<const MatmulLocal> Leave(Core& core, const Ub& place, const Call& call) {
    const uint32_t bytes = BytesLeft(place);
    if (bytes % 32 != 0) {
        Fail(call, kOffset, "the tensor has %u bytes", bytes);
    }
    core.order.clocks.Join(Pipe::kMte3, core.order.clocks.Snapshot(Pipe::kVector));
    LocalAccess access(call, MATMUL_PAGE("SetTensorA"), Pipe::kMte3);
    access.Check("the tensor", place, Memory::kUb, bytes, 32);
    access.Issue(Work::Store(bytes));
    auto local = std::make_shared<MatmulLocal>();
    const uint8_t* data = access.Read(place, 0, bytes);
    local->bytes.assign(data, data + bytes);
    if (core.Checks()) {
        local->defined.resize(bytes);
        core.memory.shadow.Known(place.addr, bytes, core.AsDevice(), local->defined.data());
    }
    return local;
}

}  // namespace

void MatmulSetTensor(int32_t object, MatmulOperand operand, uint64_t addr, bool transposed, Site site) {
    const Call call{operand == MatmulOperand::kA ? "SetTensorA" : "SetTensorB", site};
    SetOperand(MatmulFind(CurrentCore(), object, call), operand, addr, transposed, nullptr, call);
}

void MatmulSetBias(int32_t object, uint64_t addr, Site site) {
    const Call call{"SetBias", site};
    MatmulState& state = MatmulFind(CurrentCore(), object, call);
    CheckBias(state, call);
    state.round.bias = addr;
    state.round.localBias = nullptr;
}

void MatmulSetLocal(int32_t object, MatmulOperand operand, const Ub& place, bool transposed, Site site) {
    Core& core = CurrentCore();
    const Call call{operand == MatmulOperand::kA   ? "SetTensorA"
                    : operand == MatmulOperand::kB ? "SetTensorB"
                                                   : "SetBias",
                    site};
    MatmulState& state = MatmulFind(core, object, call);
    std::shared_ptr<const MatmulLocal> local;
    if (place.memory == Memory::kUb) {
        local = Leave(core, place, call);
    } else if (!core.HasCube()) {
        local = MatmulFromL1(place, call);
    } else {
        auto inL1 = std::make_shared<MatmulLocal>();
        inL1->place = place;
        inL1->inL1 = true;
        local = std::move(inL1);
    }
    if (operand != MatmulOperand::kBias) {
        return SetOperand(state, operand, 0, transposed, std::move(local), call);
    }
    CheckBias(state, call);
    state.round.bias = reinterpret_cast<uint64_t>(local->bytes.data());
    state.round.localBias = std::move(local);
}

void MatmulSetScalarA(int32_t object, uint64_t bits, Site site) {
    const Call call{"SetTensorA", site};
    MatmulState& state = MatmulFind(CurrentCore(), object, call);
    const uint32_t element = BytesOf(state.spec.a);
    const size_t count = static_cast<size_t>(state.round.m) * static_cast<size_t>(state.round.k);
    auto local = std::make_shared<MatmulLocal>();
    local->bytes.resize(count * element);
    for (size_t i = 0; i < count; ++i) {
        std::memcpy(local->bytes.data() + i * element, &bits, element);
    }
    SetOperand(state, MatmulOperand::kA, 0, false, std::move(local), call);
}

void MatmulSetQuant(int32_t object, const char* api, uint64_t scalar, uint64_t vector, Site site) {
    MatmulRound& round = MatmulFind(CurrentCore(), object, {api, site}).round;
    round.quantised = true;
    round.quantScalar = scalar;
    round.quantVector = vector;
}

void MatmulDisableBias(int32_t object, const char* api, Site site) {
    MatmulFind(CurrentCore(), object, {api, site}).round.bias = 0;
}

void MatmulSetWorkspace(int32_t object, uint64_t addr, Site site) {
    MatmulFind(CurrentCore(), object, {"SetWorkspace", site}).cache = addr;
}

void MatmulSetHf32(int32_t object, bool enable, int32_t ties, Site site) {
    const Call call{"SetHF32", site};
    MatmulState& state = MatmulFind(CurrentCore(), object, call);
    if (ties != 0 && ties != 1) {
        Fail(call, kHf32, "transMode is %d", ties);
    }
    state.round.hf32 = !enable ? Hf32::kOff : ties == 0 ? Hf32::kEven : Hf32::kAwayFromZero;
}

void MatmulSetInfo(int32_t object, uint64_t info, Site site) {
    MatmulFind(CurrentCore(), object, {"SetUserDefInfo", site}, false).round.info = info;
}

void MatmulSetData(int32_t object, uint64_t data, Site site) {
    MatmulFind(CurrentCore(), object, {"SetSelfDefineData", site}, false).round.data = data;
}

}  // namespace sim
