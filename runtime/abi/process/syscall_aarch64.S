// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that C++ has no words for: it hands on arguments whose number is not known. See call_filters.cpp.

	.text

// long syscall(long number, ...)
	.globl	syscall
	.type	syscall, %function
	.p2align 4
syscall:
	.cfi_startproc
	hint	#34			// bti c
	cmp	w0, #277			// seccomp
	b.eq	1f
	cmp	w0, #167			// prctl
	b.eq	1f
	adrp	x16, wstree_next_syscall
	ldr	x16, [x16, #:lo12:wstree_next_syscall]
	cbz	x16, 1f
	br	x16
1:	stp	x29, x30, [sp, #-80]!
	.cfi_def_cfa_offset 80
	.cfi_offset 29, -80
	.cfi_offset 30, -72
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	stp	x2, x3, [sp, #32]
	stp	x4, x5, [sp, #48]
	str	x6, [sp, #64]
	bl	wstree_before_syscall
	mov	x16, x0
	ldp	x0, x1, [sp, #16]
	ldp	x2, x3, [sp, #32]
	ldp	x4, x5, [sp, #48]
	ldr	x6, [sp, #64]
	ldp	x29, x30, [sp], #80
	.cfi_restore 30
	.cfi_restore 29
	.cfi_def_cfa_offset 0
	br	x16
	.cfi_endproc
	.size	syscall, .-syscall

#include "branch_protection.S"
	.section .note.GNU-stack,"",%progbits
