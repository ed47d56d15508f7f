// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call on another stack, for which C++ has no words.

	.text

// void wstree_call_on_stack(void* top %rdi, void (*work)(void*) %rsi, void* data %rdx)
	.globl	wstree_call_on_stack
	.hidden	wstree_call_on_stack
	.type	wstree_call_on_stack, @function
	.p2align 4
wstree_call_on_stack:
	.cfi_startproc
	endbr64
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	movq	%rdi, %rsp		// a multiple of 16, as the call wants it
	movq	%rdx, %rdi
	call	*%rsi
	leave				// back to the caller's stack
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	wstree_call_on_stack, .-wstree_call_on_stack

#include "branch_protection.S"
	.section .note.GNU-stack,"",@progbits
