// The texts op_build writes, each a pure function of the resolved ops.
#ifndef OPFORGE_OP_BUILD_WRITERS_H
#define OPFORGE_OP_BUILD_WRITERS_H

#include <string>
#include <vector>

#include "aclnn_arguments.h"
#include "resolved_op.h"
#include "values.h"

namespace op_build {

std::string AclnnHeader(const ResolvedOp& op, uint32_t version, Errors* errors);
std::string AclnnSource(const ResolvedOp& op, uint32_t version, Errors* errors);
std::string ProtoHeader(const std::vector<ResolvedOp>& ops);
std::string ProtoSource(const std::vector<ResolvedOp>& ops);
// The operator information of one SoC: an ini section an op that supports it.
std::string OpsInfo(const std::vector<ResolvedOp>& ops, const std::string& soc);
// The struct that the kernel of an op with BEGIN_TILING_DATA_DEF gets by GET_TILING_DATA, to be included before the
// kernel's source; empty for ops whose kernel names a plain struct itself.
std::string TilingStruct(const ResolvedOp& op);
// What op_host declares, for opforge to compare with the spec.
std::string Signature(const std::vector<ResolvedOp>& ops, Errors* errors);

}  // namespace op_build
#endif
