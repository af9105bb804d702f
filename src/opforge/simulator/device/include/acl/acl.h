// Everything of acl that the simulated toolkit has, under CANN's name for "all of it".
#ifndef OPFORGE_ACL_H
#define OPFORGE_ACL_H

#include "acl/acl_rt.h"
#include "acl/acl_op.h"
#include "acl/acl_mdl.h"

#endif
