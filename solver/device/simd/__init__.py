"""Vector instructions that LLVM does not find by itself."""
