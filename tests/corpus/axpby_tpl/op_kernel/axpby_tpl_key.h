// The template parameters of AxpbyTpl's kernel, and the combinations it is compiled for.
#ifndef AXPBY_TPL_KEY_H
#define AXPBY_TPL_KEY_H

#include "ascendc/host_api/tiling/template_argument.h"

// clang-format off
ASCENDC_TPL_ARGS_DECL(AxpbyTpl,
    ASCENDC_TPL_DATATYPE_DECL(D_T_X, C_DT_FLOAT16, C_DT_FLOAT, ASCENDC_TPL_INPUT(0)),
    ASCENDC_TPL_UINT_DECL(TERMS, ASCENDC_TPL_2_BW, ASCENDC_TPL_UI_LIST, 1, 2),
    ASCENDC_TPL_BOOL_DECL(IS_SUM, 0, 1), );

ASCENDC_TPL_SEL(
    ASCENDC_TPL_ARGS_SEL(
        ASCENDC_TPL_DATATYPE_SEL(D_T_X, C_DT_FLOAT16, C_DT_FLOAT),
        ASCENDC_TPL_UINT_SEL(TERMS, ASCENDC_TPL_UI_LIST, 1),
        ASCENDC_TPL_BOOL_SEL(IS_SUM, 0), ),
    ASCENDC_TPL_ARGS_SEL(
        ASCENDC_TPL_DATATYPE_SEL(D_T_X, C_DT_FLOAT16, C_DT_FLOAT),
        ASCENDC_TPL_UINT_SEL(TERMS, ASCENDC_TPL_UI_LIST, 2),
        ASCENDC_TPL_BOOL_SEL(IS_SUM, 0, 1), ), );
// clang-format on

#endif  // AXPBY_TPL_KEY_H
