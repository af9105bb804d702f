// The header that op_host sources include: OpDef, OP_ADD, the contexts.
#ifndef OPFORGE_REGISTER_OP_DEF_REGISTRY_H
#define OPFORGE_REGISTER_OP_DEF_REGISTRY_H

// Sources in the field rely on these standard headers coming with it.
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "register/op_def.h"
#include "register/op_impl_registry.h"
#include "register/tilingdata_base.h"

#endif
