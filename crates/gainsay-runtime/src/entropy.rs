//! The process's source of randomness, made deterministic: std seeds its hash maps from
//! `getrandom`, and what a subject does must not differ from process to process.
#![allow(unsafe_code)] // Defines a C function that std and the subject call.

use std::ffi::{c_uint, c_void};

/// Fills the buffer with bytes that are the same in each process and on each call.
///
/// # Safety
/// As for the C library's function: `len` bytes at `buffer` can be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn getrandom(buffer: *mut c_void, len: usize, _flags: c_uint) -> isize {
    let bytes = buffer.cast::<u8>();
    let mut state = 0x0067_6169_6e73_6179_u64;
    for i in 0..len {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        // SAFETY: `i` is below `len`, and the caller vouches for `len` bytes.
        unsafe { bytes.add(i).write((state >> 56) as u8) };
    }
    len.cast_signed()
}

/// Makes the linker keep [`getrandom`]: std refers to it weakly only.
pub(crate) fn settle() {
    std::hint::black_box(getrandom as unsafe extern "C" fn(*mut c_void, usize, c_uint) -> isize);
}
