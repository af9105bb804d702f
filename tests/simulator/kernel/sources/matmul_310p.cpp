// Matmul objects on AI Cores with both units: C in global memory and in the unified buffer. The tiling key chooses;
// every core computes singleCoreM rows. // <- NAME marks the line of a message.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

struct CoupledTiling {
    TCubeTiling cube;
    uint64_t scale;
    uint32_t pitch;      // of rows of C; 0: as B's
    uint32_t roomBytes;  // for SetLocalWorkspace
};

template <typename T, CubeFormat format = CubeFormat::ND>
using Gm = MatmulType<TPosition::GM, format, T>;
template <typename T>
using Across = MatmulType<TPosition::GM, CubeFormat::ND, T, true>;
template <typename T, CubeFormat format>
using InUb = MatmulType<TPosition::VECIN, format, T>;

template <typename T>
__aicore__ inline GlobalTensor<T> At(GM_ADDR address, uint64_t offset = 0) {
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address) + offset);
    return tensor;
}

struct Data {
    const CoupledTiling& tiling;
    GM_ADDR a;
    GM_ADDR b;
    GM_ADDR bias;
    GM_ADDR z;
    int32_t row;

    __aicore__ inline int32_t Rows() const {
        return row + tiling.cube.singleCoreM > tiling.cube.M ? tiling.cube.M - row : tiling.cube.singleCoreM;
    }
};

template <typename A, typename Bias, class Object>
__aicore__ inline void Begin(const Data& d, Object& mm, const LocalTensor<uint8_t>& room, bool transposed) {
    const TCubeTiling& t = d.tiling.cube;
    const uint64_t first = static_cast<uint64_t>(d.row);
    mm.SetLocalWorkspace(room);  // <- small room
    if (d.tiling.pitch != 0) {
        mm.SetOrgShape(t.M, t.N, t.Ka, t.Kb, static_cast<int>(d.tiling.pitch));
    }
    mm.SetTail(d.Rows());
    mm.SetTensorA(At<A>(d.a, transposed ? first : first * t.Ka), transposed);
    mm.SetTensorB(At<A>(d.b), transposed);
    if (t.isBias != 0) {
        mm.SetBias(At<Bias>(d.bias));
    }
}

template <typename A, typename Bias, typename C, class Object>
__aicore__ inline void ToGm(const Data& d, Object& mm, const LocalTensor<uint8_t>& room, bool transposed = false) {
    Begin<A, Bias>(d, mm, room, transposed);
    const uint64_t pitch = d.tiling.pitch != 0 ? d.tiling.pitch : d.tiling.cube.N;
    mm.IterateAll(At<C>(d.z, static_cast<uint64_t>(d.row) * pitch));  // <- ragged rows
    mm.End();
}

// Base blocks of C one by one into the unified buffer, and from there to `z`, one behind the other.
template <class Object>
__aicore__ inline void ToUb(const Data& d, Object& mm, TPipe& pipe, const LocalTensor<uint8_t>& room) {
    const TCubeTiling& t = d.tiling.cube;
    TQue<TPosition::VECIN, 1> queue;
    const uint32_t elements = static_cast<uint32_t>(t.baseM * t.baseN);
    pipe.InitBuffer(queue, 1, elements * sizeof(float));
    Begin<half, float>(d, mm, room, false);
    for (uint64_t place = 0; mm.Iterate(); place += elements) {
        LocalTensor<float> block = queue.AllocTensor<float>();
        mm.GetTensorC(block, 0, true);
        Muls(block, block, 2.0f, elements);
        const event_t done = static_cast<event_t>(pipe.FetchEventID(HardEvent::V_MTE3));
        SetFlag<HardEvent::V_MTE3>(done);
        WaitFlag<HardEvent::V_MTE3>(done);
        DataCopy(At<float>(d.z, place), block, elements);
        const event_t left = static_cast<event_t>(pipe.FetchEventID(HardEvent::MTE3_V));
        SetFlag<HardEvent::MTE3_V>(left);
        WaitFlag<HardEvent::MTE3_V>(left);
        queue.FreeTensor(block);
    }
    mm.End();
}

extern "C" __global__ __aicore__ void matmul_coupled(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR z, GM_ADDR workspace,
                                                     GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AICORE);
    REGISTER_TILING_DEFAULT(CoupledTiling);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, data.roomBytes);  // before REGIST_MATMUL_OBJ: there is no cube core to wait for
    LocalTensor<uint8_t> room = buffer.Get<uint8_t>();
    const Data d{data, a, b, bias, z, static_cast<int32_t>(GetBlockIdx()) * data.cube.singleCoreM};
    if (TILING_KEY_IS(0)) {
        Matmul<Gm<half>, Gm<half>, Gm<float, CubeFormat::ND_ALIGN>, Gm<float>> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
        ToGm<half, float, float>(d, mm, room);
    } else if (TILING_KEY_IS(1)) {
        Matmul<Across<half>, Across<half>, Gm<half>, Gm<float>, CFG_MDL> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
        ToGm<half, float, half>(d, mm, room, true);
    } else if (TILING_KEY_IS(2)) {
        Matmul<Gm<int8_t>, Gm<int8_t>, Gm<int32_t>, Gm<int32_t>> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
        ToGm<int8_t, int32_t, int32_t>(d, mm, room);
    } else if (TILING_KEY_IS(3)) {
        Matmul<Gm<half>, Gm<half>, InUb<float, CubeFormat::NZ>, Gm<float>> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
        ToUb(d, mm, pipe, room);
    } else if (TILING_KEY_IS(4)) {
        Matmul<Gm<half>, Gm<half>, InUb<float, CubeFormat::ND>, Gm<float>> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
        ToUb(d, mm, pipe, room);
    } else if (TILING_KEY_IS(20)) {
        Matmul<Gm<half>, Gm<half>, Gm<float>> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
        mm.SetTensorA(At<half>(a));
        mm.SetTensorB(At<half>(b));
        mm.IterateAll(At<float>(z));  // <- no room
    } else if (TILING_KEY_IS(21)) {
        Matmul<Across<int8_t>, Gm<int8_t>, Gm<int32_t>> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
        mm.SetLocalWorkspace(room);
        mm.SetTensorA(At<int8_t>(a), true);
        mm.SetTensorB(At<int8_t>(b));
        mm.IterateAll(At<int32_t>(z));  // <- turned bytes
    } else if (TILING_KEY_IS(22)) {
        Matmul<Gm<half>, Gm<half>, Gm<float>> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
        mm.SetLocalWorkspace(room);
        mm.SetTensorA(At<half>(a));
        mm.SetTensorB(At<half>(b));
        Duplicate(room.ReinterpretCast<float>(), 1.0f, 64);
        mm.IterateAll(At<float>(z));  // <- room in use
    } else if (TILING_KEY_IS(23)) {
        Matmul<Gm<half>, Gm<half>, InUb<float, CubeFormat::NZ>> mm;
        REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
        mm.SetLocalWorkspace(room);
        mm.SetTensorA(At<half>(a));
        mm.SetTensorB(At<half>(b));
        mm.Iterate();
        mm.GetTensorC(room.ReinterpretCast<float>(), 0, true);  // <- small block
    }
}
