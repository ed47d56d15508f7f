// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that C++ has no words for: it hands on by a jump, because the C library goes by the return address.
// See lookup.cpp.

	.text

// The handles RTLD_NEXT (-1) and RTLD_DEFAULT (0) are no object that the program has opened.
	.macro	lookup name, number
	.globl	\name
	.type	\name, %function
	.p2align 4
\name:
	.cfi_startproc
	hint	#34			// bti c
	add	x16, x0, #1
	cmp	x16, #1
	b.hi	1f
	adrp	x16, wstree_next_lookups
	add	x16, x16, #:lo12:wstree_next_lookups
	ldr	x16, [x16, #8*\number]
	cbz	x16, 1f
	br	x16
1:	stp	x29, x30, [sp, #-48]!
	.cfi_def_cfa_offset 48
	.cfi_offset 29, -48
	.cfi_offset 30, -40
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	str	x2, [sp, #32]
	mov	w1, #\number
	bl	wstree_before_lookup
	mov	x16, x0
	ldp	x0, x1, [sp, #16]
	ldr	x2, [sp, #32]
	ldp	x29, x30, [sp], #48
	.cfi_restore 30
	.cfi_restore 29
	.cfi_def_cfa_offset 0
	br	x16
	.cfi_endproc
	.size	\name, .-\name
	.endm

// void* dlsym(void* handle, const char* name)
	lookup	dlsym, 0
// void* dlvsym(void* handle, const char* name, const char* version)
	lookup	dlvsym, 1

#include "branch_protection.S"
	.section .note.GNU-stack,"",%progbits
