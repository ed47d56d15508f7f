# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Ways in which the address of a region's function reaches the call that opens the region. Only read.
        .text
        .type at_once._omp_fn.0, @function
at_once._omp_fn.0:
        ret # LINE at_once
        .type in_a_slot._omp_fn.0, @function
in_a_slot._omp_fn.0:
        ret # LINE in_a_slot
        .type far._omp_fn.0, @function
far._omp_fn.0:
        ret # LINE far
        .type behind._omp_fn.0, @function
behind._omp_fn.0:
        ret # LINE behind
        .type other._omp_fn.0, @function
other._omp_fn.0:
        ret # LINE other
        .globl main
        .type main, @function
main:
        push %rbp
        mov %rsp, %rbp
        sub $1024, %rsp
        lea in_a_slot._omp_fn.0(%rip), %rax
        mov %rax, 24(%rsp)
        lea far._omp_fn.0(%rip), %r9
        mov %r9, -512(%rbp)
        lea other._omp_fn.0(%rip), %rcx
        mov %rcx, 32(%rsp)
        lea other._omp_fn.0(%rip), %rbx
        jmp 2f
1:
        lea at_once._omp_fn.0(%rip), %rdi
        call GOMP_parallel@PLT
        mov 24(%rsp), %rdi
        call GOMP_parallel@PLT
        mov -512(%rbp), %rdi
        call GOMP_parallel@PLT
        mov %r12, %rdi
        call GOMP_parallel@PLT
        mov 40(%rsp), %rdi
        call GOMP_parallel@PLT # LINE unknown
        mov %r13, %rdi
        call GOMP_parallel@PLT # LINE no_constant
        call GOMP_parallel@PLT # LINE no_argument
        leave
        ret
2:
        lea behind._omp_fn.0(%rip), %r12
        jmp 1b
        .size main, . - main
        .section .note.GNU-stack, "", @progbits
