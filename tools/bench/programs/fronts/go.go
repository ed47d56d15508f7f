// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Goroutines: the library's scheduler, beside an atomic counter.
package main

// #include <stdint.h>
// #include <wstree/loop.h>
import "C"

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

//go:noinline
func spin(seed, units uint64) uint64 {
	x := seed*0x9E3779B97F4A7C15 + 1
	for k := uint64(0); k < units; k++ {
		x ^= x >> 29
		x *= 0xBF58476D1CE4E5B9
	}
	return x
}

//export front_execute
func front_execute(unitsAt, resultsAt *C.uint64_t, size C.uint64_t, way C.int) {
	n := uint64(size)
	units := unsafe.Slice((*uint64)(unsafe.Pointer(unitsAt)), n)
	results := unsafe.Slice((*uint64)(unsafe.Pointer(resultsAt)), n)
	execute := func(begin, end uint64) {
		for i := begin; i < end; i++ {
			results[i] = spin(i, units[i])
		}
	}
	if way == 0 {
		execute(0, n)
		return
	}
	var loop *C.wstree_loop
	if way == 1 {
		loop = C.wstree_loop_open(C.ulonglong(n), 2, nil)
	}
	var counter uint64
	var group sync.WaitGroup
	for number := C.uint(0); number < 2; number++ {
		group.Add(1)
		go func(number C.uint) {
			defer group.Done()
			if way == 1 {
				var begin, end C.ulonglong
				for C.wstree_loop_next(loop, number, &begin, &end) != 0 {
					execute(uint64(begin), uint64(end))
				}
				return
			}
			for i := atomic.AddUint64(&counter, 1) - 1; i < n; i = atomic.AddUint64(&counter, 1) - 1 {
				execute(i, i+1)
			}
		}(number)
	}
	group.Wait()
	C.wstree_loop_close(loop)
}

func main() {}
