// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that C++ has no words for: it hands on arguments whose number is not known. See call_filters.cpp.

	.text

// long syscall(long number, ...)
	.globl	syscall
	.type	syscall, @function
	.p2align 4
syscall:
	.cfi_startproc
	endbr64
	cmpl	$317, %edi		// seccomp
	je	1f
	cmpl	$157, %edi		// prctl
	je	1f
	movq	wstree_next_syscall(%rip), %rax
	testq	%rax, %rax
	je	1f
	jmp	*%rax
1:	pushq	%r9
	.cfi_adjust_cfa_offset 8
	pushq	%r8
	.cfi_adjust_cfa_offset 8
	pushq	%rcx
	.cfi_adjust_cfa_offset 8
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	subq	$8, %rsp		// a multiple of 16, as the call wants it
	.cfi_adjust_cfa_offset 8
	call	wstree_before_syscall
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	popq	%r8
	.cfi_adjust_cfa_offset -8
	popq	%r9
	.cfi_adjust_cfa_offset -8
	jmp	*%rax
	.cfi_endproc
	.size	syscall, .-syscall

#include "branch_protection.S"
	.section .note.GNU-stack,"",@progbits
