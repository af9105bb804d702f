// How functions of a library are exported. Public: metadef inc/external/register/register_types.h.
#ifndef OPFORGE_REGISTER_REGISTER_TYPES_H
#define OPFORGE_REGISTER_REGISTER_TYPES_H

#if defined(HOST_VISIBILITY) && defined(__GNUC__)
#define FMK_FUNC_HOST_VISIBILITY __attribute__((visibility("default")))
#else
#define FMK_FUNC_HOST_VISIBILITY
#endif
#if defined(DEV_VISIBILITY) && defined(__GNUC__)
#define FMK_FUNC_DEV_VISIBILITY __attribute__((visibility("default")))
#else
#define FMK_FUNC_DEV_VISIBILITY
#endif

#endif
