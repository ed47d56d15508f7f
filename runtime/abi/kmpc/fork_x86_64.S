// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that C++ has no words for: handing over a variable argument list unseen, and making a call with a
// number of arguments that is known only at run time.

	.text

// void __kmpc_fork_call(ident_t*, int argc, kmpc_micro, ...)
// While no schedule of ours is asked for, jumps to the runtime with everything as it came. An object does that once.
	.globl	__kmpc_fork_call
	.type	__kmpc_fork_call, @function
	.p2align 4
__kmpc_fork_call:
	.cfi_startproc
	endbr64
	cmpb	$0, wstree_is_idle(%rip)
	je	wstree_fork_call
	// Keeps all that came in registers, and the stack a multiple of 16 at the call.
	.irp	register, rax, rdi, rsi, rdx, rcx, r8, r9
	pushq	%\register
	.cfi_adjust_cfa_offset 8
	.endr
	movq	%rdx, %rdi		// the outlined function
	movq	56(%rsp), %rsi		// the caller
	call	wstree_bind_fork_call
	movq	%rax, %r11
	.irp	register, r9, r8, rcx, rdx, rsi, rdi, rax
	popq	%\register
	.cfi_adjust_cfa_offset -8
	.endr
	jmp	*%r11
	.cfi_endproc
	.size	__kmpc_fork_call, .-__kmpc_fork_call

// void wstree_invoke_microtask(kmpc_micro %rdi, int* gtid %rsi, int* tid %rdx, int count %ecx, void** args %r8)
	.globl	wstree_invoke_microtask
	.hidden	wstree_invoke_microtask
	.type	wstree_invoke_microtask, @function
	.p2align 4
wstree_invoke_microtask:
	.cfi_startproc
	endbr64
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	movq	%rdi, %r11
	movq	%r8, %r10
	movslq	%ecx, %rax
	subq	$4, %rax		// arguments that go on the stack
	jle	.Lregisters
	testb	$1, %al
	je	.Lpush
	subq	$8, %rsp		// keeps the stack a multiple of 16 at the call
.Lpush:
	pushq	24(%r10,%rax,8)		// args[3 + rax], the last one first
	decq	%rax
	jne	.Lpush
.Lregisters:
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	(%r10), %rdx
	movq	8(%r10), %rcx
	movq	16(%r10), %r8
	movq	24(%r10), %r9
	xorl	%eax, %eax		// no vector registers in use
	call	*%r11
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	wstree_invoke_microtask, .-wstree_invoke_microtask

#include "branch_protection.S"
	.section .note.GNU-stack,"",@progbits
