# The simulated toolkit answers to the version of the CMake interface that it follows.
set(PACKAGE_VERSION 9.0.0)
set(PACKAGE_VERSION_COMPATIBLE TRUE)
