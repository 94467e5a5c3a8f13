# What base/landing.h asks for, with WebAssembly's exceptions: clang's setjmp asks for parts that Debian's wasi-libc lacks.
# An exception carries the landing that it leaves for. Those for landings further out are thrown again.

	.globaltype	__stack_pointer, i32
	.tagtype	leaving i32
	.functype	comes_back (i32, i32, i32) -> (i32)
	.functype	leave (i32) -> ()

# bool comes_back(struct landing *landing, void (*action)(void *context), void *context)
	.globl	comes_back
	.type	comes_back,@function
comes_back:
	.functype	comes_back (i32, i32, i32) -> (i32)
	.local	i32, i32	# the stack before; the landing that is left for
	global.get	__stack_pointer
	local.set	3
	try
	local.get	2
	local.get	1
	call_indirect	(i32) -> ()
	i32.const	1
	return
	catch	leaving
	local.set	4
	local.get	3
	global.set	__stack_pointer
	local.get	4
	local.get	0
	i32.eq
	if
	i32.const	0
	return
	end_if
	local.get	4
	throw	leaving
	unreachable
	end_try
	i32.const	0
	end_function

# void leave(struct landing *landing)
	.globl	leave
	.type	leave,@function
leave:
	.functype	leave (i32) -> ()
	local.get	0
	throw	leaving
	unreachable
	end_function

	.section	.tag.leaving,"",@
leaving:
