// OPBASE_API of opbase's declarations.
#ifndef OPFORGE_OP_COMMON_OPBASE_EXPORT_H
#define OPFORGE_OP_COMMON_OPBASE_EXPORT_H
#ifndef OPBASE_API
#define OPBASE_API __attribute__((visibility("default")))
#endif
#endif
