// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call on another stack, for which C++ has no words.

	.text

// void wstree_call_on_stack(void* top x0, void (*work)(void*) x1, void* data x2)
	.globl	wstree_call_on_stack
	.hidden	wstree_call_on_stack
	.type	wstree_call_on_stack, %function
	.p2align 4
wstree_call_on_stack:
	.cfi_startproc
	hint	#34			// bti c
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 29, -16
	.cfi_offset 30, -8
	mov	x29, sp
	.cfi_def_cfa_register 29
	mov	sp, x0			// a multiple of 16, as the processor wants it
	mov	x0, x2
	blr	x1
	mov	sp, x29			// back to the caller's stack
	ldp	x29, x30, [sp], #16
	.cfi_restore 30
	.cfi_restore 29
	.cfi_def_cfa sp, 0
	ret
	.cfi_endproc
	.size	wstree_call_on_stack, .-wstree_call_on_stack

#include "branch_protection.S"
	.section .note.GNU-stack,"",%progbits
