// The description of a list of tensors, whose address a kernel gets for a dynamic input or output.
#ifndef OPFORGE_NNOPBASE_TENSOR_LIST_H
#define OPFORGE_NNOPBASE_TENSOR_LIST_H

#include <vector>

#include "arguments.h"

namespace nnopbase {

// Its size; known before the addresses are.
uint64_t TensorListBytes(const Argument& argument);

// The description for tensors at these addresses. Page "ListTensorDesc": the offset of the data pointers, for each
// tensor its rank and its dims, then the data pointers, all words of 64 bits. Beside a rank CANN's aclnn runtime writes
// 1, where ListTensorDesc::GetSize looks for the number of tensors.
std::vector<uint64_t> TensorListWords(const Argument& argument, const std::vector<uint64_t>& addresses);

}  // namespace nnopbase
#endif
