// A library that exists for its name only: whoever asks for it gets libascendcl, which it needs.
namespace {
[[maybe_unused]] const char* const kPurpose = "opforge: a name for libascendcl";
}
