// The kernel API of the simulated toolkit: what an op_kernel source includes. As on the device, ListTensorDesc is in
// kernel_operator_list_tensor_intf.h and the Matmul object in lib/matmul_intf.h.
// Documentation: SIMD-API/通用说明和约束
#ifndef ASCENDC_KERNEL_OPERATOR_H
#define ASCENDC_KERNEL_OPERATOR_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_type.h"
#include "kernel_tensor.h"
#include "kernel_tpipe.h"
#include "kernel_tiling.h"
#include "kernel_operator_block_sync_intf.h"
#include "kernel_operator_cache_intf.h"
#include "kernel_operator_data_copy_intf.h"
#include "kernel_operator_dump_tensor_intf.h"
#include "kernel_operator_set_atomic_intf.h"
#include "kernel_operator_sys_var_intf.h"
#include "kernel_operator_vec_binary_intf.h"
#include "kernel_operator_vec_binary_scalar_intf.h"
#include "kernel_operator_vec_cmpsel_intf.h"
#include "kernel_operator_vec_duplicate_intf.h"
#include "kernel_operator_vec_ternary_scalar_intf.h"
#include "kernel_operator_vec_unary_intf.h"
#include "kernel_operator_vec_vconv_intf.h"
#include "kernel_operator_vec_absent_intf.h"
#include "kernel_operator_vec_mask_intf.h"
#include "kernel_operator_vec_reduce_intf.h"
#include "kernel_operator_vec_brcb_intf.h"
#include "kernel_operator_vec_gather_intf.h"
#include "kernel_operator_vec_transpose_intf.h"
#include "kernel_operator_vec_proposal_intf.h"
#include "kernel_operator_vec_createvecindex_intf.h"
#include "kernel_operator_scalar_intf.h"
#include "kernel_operator_common_intf.h"
#include "kernel_operator_mm_intf.h"
#include "kernel_operator_fixpipe_intf.h"
#include "kernel_operator_cce_intrinsics.h"
#include "adv/kernel_operator_adv_intf.h"

#endif
