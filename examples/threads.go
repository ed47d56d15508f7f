// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Counts pairs of coprime numbers below N with goroutines: equal shares, a channel, an atomic counter, and the
// library's scheduler, of which a call takes Go some 60 ns and a range some 10 us. Row i takes i steps, so equal
// shares are uneven.
//
//	go build threads.go
//	./threads 3000 2
package main

// #cgo LDFLAGS: -lwstree
// #include <wstree/loop.h>
import "C"

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

func row(i uint64) (pairs uint64) {
	for k := uint64(1); k < i; k++ {
		a, b := i, k
		for b != 0 {
			a, b = b, a%b
		}
		if a == 1 {
			pairs++
		}
	}
	return pairs
}

// inGoroutines sums what work returns for each number below threads.
func inGoroutines(threads uint64, work func(number uint64) uint64) (sum uint64) {
	var group sync.WaitGroup
	results := make([]uint64, threads)
	for number := range results {
		group.Add(1)
		go func(number int) {
			defer group.Done()
			results[number] = work(uint64(number))
		}(number)
	}
	group.Wait()
	for _, result := range results {
		sum += result
	}
	return sum
}

func equalShares(n, threads uint64) uint64 {
	return inGoroutines(threads, func(number uint64) (pairs uint64) {
		for i := n * number / threads; i < n*(number+1)/threads; i++ {
			pairs += row(i)
		}
		return pairs
	})
}

func channel(n, threads uint64) uint64 {
	numbers := make(chan uint64, 64)
	go func() {
		for i := uint64(0); i < n; i++ {
			numbers <- i
		}
		close(numbers)
	}()
	return inGoroutines(threads, func(uint64) (pairs uint64) {
		for i := range numbers {
			pairs += row(i)
		}
		return pairs
	})
}

func atomicCounter(n, threads uint64) uint64 {
	var counter uint64
	return inGoroutines(threads, func(uint64) (pairs uint64) {
		for i := atomic.AddUint64(&counter, 1) - 1; i < n; i = atomic.AddUint64(&counter, 1) - 1 {
			pairs += row(i)
		}
		return pairs
	})
}

func workStealing(n, threads uint64) uint64 {
	loop := C.wstree_loop_open(C.ulonglong(n), C.uint(threads), nil)
	if loop == nil {
		panic("no loop")
	}
	defer C.wstree_loop_close(loop)
	return inGoroutines(threads, func(number uint64) (pairs uint64) {
		var begin, end C.ulonglong
		for C.wstree_loop_next(loop, C.uint(number), &begin, &end) != 0 {
			for i := uint64(begin); i < uint64(end); i++ {
				pairs += row(i)
			}
		}
		return pairs
	})
}

func argument(at int, usual uint64) uint64 {
	if len(os.Args) <= at {
		return usual
	}
	number, err := strconv.ParseUint(os.Args[at], 10, 32)
	if err != nil {
		fmt.Fprintln(os.Stderr, "usage: threads [N [THREADS]]")
		os.Exit(2)
	}
	return number
}

func main() {
	n, threads := argument(1, 3000), argument(2, 2)
	ways := []struct {
		name    string
		execute func(n, threads uint64) uint64
		best    time.Duration
		pairs   uint64
	}{
		{name: "one goroutine", execute: func(n, _ uint64) uint64 { return equalShares(n, 1) }},
		{name: "equal shares", execute: equalShares},
		{name: "channel", execute: channel},
		{name: "atomic counter", execute: atomicCounter},
		{name: "work stealing", execute: workStealing},
	}
	// In turn, so that another program disturbs all of them.
	for turn := 0; turn < 5; turn++ {
		for i := range ways {
			begin := time.Now()
			ways[i].pairs = ways[i].execute(n, threads)
			if took := time.Since(begin); turn == 0 || took < ways[i].best {
				ways[i].best = took
			}
		}
	}
	fmt.Printf("%d coprime pairs below %d; the best of five times:\n", ways[0].pairs, n)
	for _, way := range ways {
		fmt.Printf("%-14s %8.1f ms\n", way.name, float64(way.best.Microseconds())/1000)
		if way.pairs != ways[0].pairs {
			fmt.Fprintln(os.Stderr, "the results differ")
			os.Exit(1)
		}
	}
}
