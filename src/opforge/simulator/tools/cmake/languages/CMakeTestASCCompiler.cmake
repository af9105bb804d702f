# A compiler that the toolkit brings along needs no try.
set(CMAKE_ASC_COMPILER_WORKS 1 CACHE INTERNAL "")
