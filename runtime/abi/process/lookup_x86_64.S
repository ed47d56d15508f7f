// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that C++ has no words for: it hands on by a jump, because the C library goes by the return address.
// See lookup.cpp.

	.text

// The handles RTLD_NEXT (-1) and RTLD_DEFAULT (0) are no object that the program has opened.
	.macro	lookup name, number
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	endbr64
	leaq	1(%rdi), %rax
	cmpq	$1, %rax
	ja	1f
	movq	wstree_next_lookups+8*\number(%rip), %rax
	testq	%rax, %rax
	je	1f
	jmp	*%rax
1:	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	movl	$\number, %esi
	call	wstree_before_lookup
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	jmp	*%rax
	.cfi_endproc
	.size	\name, .-\name
	.endm

// void* dlsym(void* handle, const char* name)
	lookup	dlsym, 0
// void* dlvsym(void* handle, const char* name, const char* version)
	lookup	dlvsym, 1

#include "branch_protection.S"
	.section .note.GNU-stack,"",@progbits
