// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Scoped threads: the library's scheduler, beside an atomic counter.
use std::os::raw::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

extern "C" {
    fn wstree_loop_open(n: u64, members: c_uint, options: *const c_void) -> *mut c_void;
    fn wstree_loop_next(shared: *mut c_void, member: c_uint, begin: *mut u64, end: *mut u64) -> c_int;
    fn wstree_loop_close(shared: *mut c_void);
}

#[inline(never)]
fn spin(seed: u64, units: u64) -> u64 {
    let mut x = seed.wrapping_mul(0x9E3779B97F4A7C15).wrapping_add(1);
    for _ in 0..units {
        x ^= x >> 29;
        x = x.wrapping_mul(0xBF58476D1CE4E5B9);
    }
    x
}

#[no_mangle]
pub unsafe extern "C" fn front_execute(units: *const u64, results: *mut u64, n: u64, way: c_int) {
    let units = std::slice::from_raw_parts(units, n as usize);
    let results = std::slice::from_raw_parts(results as *const AtomicU64, n as usize);
    let execute = |i: u64| results[i as usize].store(spin(i, units[i as usize]), Relaxed);
    let shared = if way == 1 { wstree_loop_open(n, 2, std::ptr::null()) as usize } else { 0 };
    let counter = AtomicU64::new(0);
    let member = |number| {
        if way == 1 {
            let (mut begin, mut end) = (0, 0);
            while wstree_loop_next(shared as *mut c_void, number, &mut begin, &mut end) != 0 {
                (begin..end).for_each(execute);
            }
        } else {
            std::iter::from_fn(|| Some(counter.fetch_add(1, Relaxed)).filter(|&i| i < n)).for_each(execute);
        }
    };
    if way == 0 {
        return (0..n).for_each(execute);
    }
    std::thread::scope(|scope| {
        scope.spawn(|| member(1));
        member(0);
    });
    wstree_loop_close(shared as *mut c_void);
}
