// Calls the op through the two-phase aclnn interface, without PyTorch. See CMakeLists.txt for how to build it.
#include "device_tensor.h"
#include "aclnn_vector_add.h"

int main() {
    Check(aclInit(nullptr), "aclInit");
    Check(aclrtSetDevice(0), "aclrtSetDevice");
    aclrtStream stream = nullptr;
    Check(aclrtCreateStream(&stream), "aclrtCreateStream");
    {
        const std::vector<int64_t> shape = {2, 5};
        DeviceTensor xTensor(shape, ACL_FLOAT);
        DeviceTensor yTensor(shape, ACL_FLOAT);
        DeviceTensor zTensor(shape, ACL_FLOAT);
        xTensor.Fill(1.0f, 0.25f);
        yTensor.Fill(2.0f, 0.25f);

        // First phase: checks the arguments and says how much workspace the op needs.
        uint64_t workspaceSize = 0;
        aclOpExecutor* executor = nullptr;
        Check(aclnnVectorAddGetWorkspaceSize(xTensor.Get(), yTensor.Get(), zTensor.Get(), &workspaceSize, &executor),
              "aclnnVectorAddGetWorkspaceSize");
        void* workspace = nullptr;
        if (workspaceSize > 0) {
            Check(aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        }
        // Second phase: puts the op on the stream. The executor is gone after it.
        Check(aclnnVectorAdd(workspace, workspaceSize, executor, stream), "aclnnVectorAdd");
        Check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
        if (workspace != nullptr) {
            aclrtFree(workspace);
        }

        xTensor.Print("x");
        yTensor.Print("y");
        zTensor.Print("z");
    }
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
    return 0;
}
