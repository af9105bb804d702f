// libplatform.so: a library that exists for its name. On a real system it reads the platform tables; here
// libtiling_api, which it needs, does.
namespace {
[[maybe_unused]] const char* const kPurpose = "opforge: a name for libtiling_api";
}
