// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Included behind the code of each assembly file. Jumps into our assembly find endbr64 or bti, and each call
// returns. A single file without this note would take the property from the whole library.
	.section .note.gnu.property,"a"
	.balign	8
	.long	4			// bytes of the name
	.long	16			// bytes of the properties
	.long	5			// NT_GNU_PROPERTY_TYPE_0
	.asciz	"GNU"
#if defined(__x86_64__)
	.long	0xc0000002		// GNU_PROPERTY_X86_FEATURE_1_AND
	.long	4
	.long	3			// indirect branch tracking, and shadow stacks
#elif defined(__aarch64__)
	.long	0xc0000000		// GNU_PROPERTY_AARCH64_FEATURE_1_AND
	.long	4
	.long	1			// branch target identification
#endif
	.long	0
