// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Counts pairs of coprime numbers below N with scoped threads: equal shares, an atomic counter, and the library's
//! scheduler. Row i takes i steps, so equal shares are uneven.
//!
//!     rustc -O threads.rs -lwstree
//!     ./threads 3000 2

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// A safe wrapper of wstree/loop.h.
mod wstree {
    use std::ops::Range;
    use std::os::raw::{c_int, c_uint, c_void};

    extern "C" {
        fn wstree_loop_open(n: u64, members: c_uint, options: *const c_void) -> *mut c_void;
        fn wstree_loop_next(shared: *mut c_void, member: c_uint, begin: *mut u64, end: *mut u64) -> c_int;
        fn wstree_loop_close(shared: *mut c_void);
    }

    /// The iterations 0 to n-1, each of which is handed out once.
    pub struct Loop {
        handle: *mut c_void,
        members: u32,
    }

    // Safety: different members may call at the same time.
    unsafe impl Send for Loop {}
    unsafe impl Sync for Loop {}

    /// The ranges of one member. It is no Clone, so that one thread at a time calls for a member.
    pub struct Member<'a> {
        shared: &'a Loop,
        number: u32,
    }

    impl Loop {
        /// None: an argument is out of its range, or there is no memory.
        pub fn new(n: u64, members: u32) -> Option<Loop> {
            let handle = unsafe { wstree_loop_open(n, members, std::ptr::null()) };
            if handle.is_null() { None } else { Some(Loop { handle, members }) }
        }

        /// Each member once, for as long as the loop is borrowed.
        pub fn members(&mut self) -> impl Iterator<Item = Member<'_>> {
            let shared = &*self;
            (0..shared.members).map(move |number| Member { shared, number })
        }
    }

    impl Drop for Loop {
        fn drop(&mut self) {
            unsafe { wstree_loop_close(self.handle) }
        }
    }

    impl Iterator for Member<'_> {
        type Item = Range<u64>;

        fn next(&mut self) -> Option<Range<u64>> {
            let (mut begin, mut end) = (0, 0);
            let is_range = unsafe { wstree_loop_next(self.shared.handle, self.number, &mut begin, &mut end) };
            if is_range != 0 { Some(begin..end) } else { None }
        }
    }
}

fn row(i: u64) -> u64 {
    let is_coprime = |&k: &u64| {
        let (mut a, mut b) = (i, k);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a == 1
    };
    (1..i).filter(is_coprime).count() as u64
}

/// Executes each of the functions in a thread of its own.
fn in_threads<F: FnOnce() -> u64 + Send>(functions: Vec<F>) -> u64 {
    std::thread::scope(|scope| {
        let crew: Vec<_> = functions.into_iter().map(|function| scope.spawn(function)).collect();
        crew.into_iter().map(|thread| thread.join().unwrap()).sum()
    })
}

fn equal_shares(n: u64, threads: u64) -> u64 {
    in_threads((0..threads).map(|t| move || (n * t / threads..n * (t + 1) / threads).map(row).sum()).collect())
}

fn one_counter(n: u64, threads: u64) -> u64 {
    let counter = AtomicU64::new(0);
    // Relaxed: the threads that are joined hand on their results.
    let take = || Some(counter.fetch_add(1, Ordering::Relaxed)).filter(|&i| i < n);
    in_threads((0..threads).map(|_| || std::iter::from_fn(take).map(row).sum()).collect())
}

fn work_stealing(n: u64, threads: u64) -> u64 {
    let mut shared = wstree::Loop::new(n, threads as u32).expect("no loop");
    in_threads(shared.members().map(|member| move || member.flatten().map(row).sum()).collect())
}

fn main() {
    let argument = |at, usual| std::env::args().nth(at).map_or(usual, |text| text.parse().expect("a number"));
    let (n, threads): (u64, u64) = (argument(1, 3000), argument(2, 2));
    let ways: [(&str, fn(u64, u64) -> u64); 4] = [
        ("one thread", |n, _| (0..n).map(row).sum()),
        ("equal shares", equal_shares),
        ("atomic counter", one_counter),
        ("work stealing", work_stealing),
    ];
    let mut best = [f64::INFINITY; 4];
    let mut results = [0; 4];
    // In turn, so that another program disturbs all of them.
    for _ in 0..5 {
        for (i, (_, way)) in ways.iter().enumerate() {
            let begin = Instant::now();
            results[i] = way(n, threads);
            best[i] = best[i].min(begin.elapsed().as_secs_f64());
        }
    }
    println!("{} coprime pairs below {n}; the best of five times:", results[0]);
    for (i, (name, _)) in ways.iter().enumerate() {
        println!("{name:<14} {:8.1} ms", best[i] * 1e3);
    }
    if results != [results[0]; 4] {
        eprintln!("the results differ");
        std::process::exit(1);
    }
}
