// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that C++ has no words for: handing over a variable argument list unseen, and making a call with a
// number of arguments that is known only at run time.

	.text

// void __kmpc_fork_call(ident_t*, int argc, kmpc_micro, ...)
// While no schedule of ours is asked for, jumps to the runtime with everything as it came. An object does that once.
	.globl	__kmpc_fork_call
	.type	__kmpc_fork_call, %function
	.p2align 4
__kmpc_fork_call:
	.cfi_startproc
	hint	#34			// bti c
	adrp	x16, wstree_is_idle
	ldrb	w16, [x16, :lo12:wstree_is_idle]
	cbnz	w16, .Lbind
	b	wstree_fork_call
.Lbind:				// keeps all that came in registers
	stp	x29, x30, [sp, #-80]!
	.cfi_def_cfa_offset 80
	.cfi_offset 29, -80
	.cfi_offset 30, -72
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	stp	x2, x3, [sp, #32]
	stp	x4, x5, [sp, #48]
	stp	x6, x7, [sp, #64]
	mov	x0, x2			// the outlined function
	mov	x1, x30			// the caller
	bl	wstree_bind_fork_call
	mov	x16, x0
	ldp	x0, x1, [sp, #16]
	ldp	x2, x3, [sp, #32]
	ldp	x4, x5, [sp, #48]
	ldp	x6, x7, [sp, #64]
	ldp	x29, x30, [sp], #80
	.cfi_restore 30
	.cfi_restore 29
	.cfi_def_cfa_offset 0
	br	x16
	.cfi_endproc
	.size	__kmpc_fork_call, .-__kmpc_fork_call

// void wstree_invoke_microtask(kmpc_micro x0, int* gtid x1, int* tid x2, int count w3, void** args x4)
	.globl	wstree_invoke_microtask
	.hidden	wstree_invoke_microtask
	.type	wstree_invoke_microtask, %function
	.p2align 4
wstree_invoke_microtask:
	.cfi_startproc
	hint	#34			// bti c
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 29, -16
	.cfi_offset 30, -8
	mov	x29, sp
	.cfi_def_cfa_register 29
	mov	x9, x0
	mov	x10, x4
	sub	w11, w3, #6		// arguments that go on the stack
	cmp	w11, #0
	b.le	.Lregisters
	add	w12, w11, #1
	bic	w12, w12, #1		// the stack stays a multiple of 16
	sub	sp, sp, w12, uxtw #3
	mov	w13, #0
.Lcopy:
	add	w14, w13, #6
	ldr	x15, [x10, w14, uxtw #3]
	str	x15, [sp, w13, uxtw #3]
	add	w13, w13, #1
	cmp	w13, w11
	b.lt	.Lcopy
.Lregisters:
	mov	x0, x1
	mov	x1, x2
	ldp	x2, x3, [x10]
	ldp	x4, x5, [x10, #16]
	ldp	x6, x7, [x10, #32]
	blr	x9
	mov	sp, x29
	ldp	x29, x30, [sp], #16
	.cfi_def_cfa sp, 0
	ret
	.cfi_endproc
	.size	wstree_invoke_microtask, .-wstree_invoke_microtask

#include "branch_protection.S"
	.section .note.GNU-stack,"",%progbits
