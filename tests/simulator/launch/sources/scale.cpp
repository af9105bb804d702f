// y = x * FACTOR + bias for `object` elements, a name that stubs use themselves, one block of at most 256.
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void scale(GM_ADDR x, __gm__ float* y, int32_t object, float bias, GM_ADDR workspace) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, 1024);
    pipe.InitBuffer(out, 1, 1024);
    AscendC::GlobalTensor<float> source, target;
    source.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
    target.SetGlobalBuffer(y);
    AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(object * sizeof(float)), 0, 0, 0};
    AscendC::LocalTensor<float> from = in.AllocTensor<float>();
    AscendC::DataCopyPad(from, source, copy, AscendC::DataCopyPadExtParams<float>());
    in.EnQue(from);
    from = in.DeQue<float>();
    AscendC::LocalTensor<float> to = out.AllocTensor<float>();
    AscendC::Muls(to, from, static_cast<float>(FACTOR), object);
    AscendC::Adds(to, to, bias, object);
    out.EnQue(to);
    in.FreeTensor(from);
    to = out.DeQue<float>();
    AscendC::DataCopyPad(target, to, copy);
    out.FreeTensor(to);
}
