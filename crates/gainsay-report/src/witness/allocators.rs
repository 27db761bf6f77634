//! Allocators that tests bring along.

use proc_macro2::TokenStream;
use quote::quote;

use crate::record::OracleRecord;

/// What ends a test that asks for memory without end before the machine is in need.
pub(super) fn limits(oracle: &OracleRecord) -> Vec<TokenStream> {
    if !matches!(oracle, OracleRecord::Memory) {
        return Vec::new();
    }
    let definition = quote! {
        /// Refuses to give more than 512 MB at a time, so that the test ends before the machine
        /// is in need.
        struct Limited;

        static TAKEN: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

        #[global_allocator]
        static LIMITED: Limited = Limited;
    };
    let allocator = quote! {
        // SAFETY: all is left to the system's allocator, and null is an answer that it may give.
        unsafe impl std::alloc::GlobalAlloc for Limited {
            unsafe fn alloc(&self, layout: std::alloc::Layout) -> *mut u8 {
                let taken = TAKEN.fetch_add(layout.size(), std::sync::atomic::Ordering::Relaxed);
                if taken.saturating_add(layout.size()) > 512 << 20 {
                    return std::ptr::null_mut();
                }
                unsafe { std::alloc::System.alloc(layout) }
            }

            unsafe fn dealloc(&self, memory: *mut u8, layout: std::alloc::Layout) {
                TAKEN.fetch_sub(layout.size(), std::sync::atomic::Ordering::Relaxed);
                unsafe { std::alloc::System.dealloc(memory, layout) }
            }
        }
    };
    vec![definition, allocator]
}

/// What fills fresh memory: by itself it may happen to hold what is right.
pub(super) fn filling() -> Vec<TokenStream> {
    let definition = quote! {
        /// Fills memory that is given out, so that nobody can take it for something.
        struct Filling;

        #[global_allocator]
        static FILLING: Filling = Filling;
    };
    let allocator = quote! {
        // SAFETY: all is left to the system's allocator; what it gives may hold anything.
        unsafe impl std::alloc::GlobalAlloc for Filling {
            unsafe fn alloc(&self, layout: std::alloc::Layout) -> *mut u8 {
                let memory = unsafe { std::alloc::System.alloc(layout) };
                if !memory.is_null() {
                    unsafe { memory.write_bytes(0xa5, layout.size()) };
                }
                memory
            }

            unsafe fn dealloc(&self, memory: *mut u8, layout: std::alloc::Layout) {
                unsafe { std::alloc::System.dealloc(memory, layout) }
            }
        }
    };
    vec![definition, allocator]
}
