// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern "C" int early_is_here();
int main() { return early_is_here() - 1; }
