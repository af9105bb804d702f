// A tensor as aclnn's functions take it.
#ifndef ACL_TENSOR_H
#define ACL_TENSOR_H

#include <stdexcept>
#include <vector>
#include "aclnn/acl_meta.h"
#include "trial.h"

// The description of a device tensor; null for an optional one that is missing.
class AclTensor {
public:
    explicit AclTensor(const DeviceTensor& tensor) {
        if (tensor.Missing()) {
            return;
        }
        const Shape& shape = tensor.shape;
        Shape strides(shape.size(), 1);
        for (size_t i = shape.size(); i-- > 1;) {
            strides[i - 1] = strides[i] * shape[i];
        }
        tensor_ = aclCreateTensor(shape.data(), shape.size(), tensor.type, strides.data(), 0, ACL_FORMAT_ND,
                                  shape.data(), shape.size(), tensor.Address());
        if (tensor_ == nullptr) {
            throw std::runtime_error(Failure("aclCreateTensor", 0));
        }
    }

    ~AclTensor() {
        if (tensor_ != nullptr) {
            Report(aclDestroyTensor(tensor_), "aclDestroyTensor");
        }
    }

    AclTensor(AclTensor&& other) noexcept : tensor_(other.tensor_) { other.tensor_ = nullptr; }

    AclTensor(const AclTensor&) = delete;
    AclTensor& operator=(const AclTensor&) = delete;

    aclTensor* Get() const { return tensor_; }

private:
    aclTensor* tensor_ = nullptr;
};

#endif  // ACL_TENSOR_H
